"""`brain export`: evaluations and chunks as Parquet, for analysts."""

from __future__ import annotations

from pathlib import Path

import click

from brain_dagster.query.scope import resolve_scope
from brain_dagster.store.exports import export_chunks, export_evaluations
from brain_dagster.surface.cli.options import as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, opened_database
from brain_dagster.surface.render import print_json, say

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.group()
def export() -> None:
    """Write what Brain knows to Parquet, for polars, DuckDB or a spreadsheet."""


@export.command("eval")
@click.argument("file", type=_FILE)
@json_option
def eval_command(file: Path, as_json: bool) -> None:
    """Write every case of every evaluation to FILE: one row per case and mode, with its rank."""
    with opened_database() as database:
        rows = export_evaluations(database, file)
    _tell(file, rows, as_json)


@export.command()
@click.argument("file", type=_FILE)
@as_option
@group_option
@json_option
def chunks(file: Path, as_user: str | None, groups: tuple[str, ...], as_json: bool) -> None:
    """Write the chunks you may search to FILE, with their places and their contexts."""
    principal = acting_principal(as_user, groups)
    with opened_database() as database:
        with database.transaction() as connection:
            scope = resolve_scope(connection, principal, None, None)
        rows = export_chunks(database, file, collection_ids=scope.ids)
    _tell(file, rows, as_json)


def _tell(file: Path, rows: int, as_json: bool) -> None:
    if as_json:
        print_json({"file": file, "rows": rows})
    say(f"wrote {rows:,} rows to {file}")
