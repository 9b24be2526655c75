"""Values as people and programs read them: tables and JSON on stdout, words on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from brain_dagster.store.clean import printable_path


def print_json(value: object) -> None:
    """Print one JSON document; dataclasses become objects, times ISO 8601, bytes their printable form."""
    click.echo(json.dumps(value, default=_jsonable, ensure_ascii=False, indent=2))


def _jsonable(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bytes):
        return printable_path(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def say(words: str) -> None:
    """Tell people something; never data."""
    click.echo(words, err=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print rows: a drawn table on a terminal, else tab-separated lines with a header line."""
    cells = [[shown(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in [list(columns), *cells]:
            click.echo("\t".join(line))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for line in cells:
        table.add_row(*(Text(cell) for cell in line))  # Text: a path such as `[red]` is no markup
    Console().print(table)


def shown(value: object) -> str:
    """Return a cell as people read it, without the characters that move a terminal's cursor."""
    match value:
        case None:
            words = "-"
        case bool():
            words = "yes" if value else "no"
        case int():
            words = f"{value:,}"
        case float():
            words = f"{value:.3f}"
        case datetime():
            words = value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        case timedelta():
            words = age(value)
        case list() | tuple():
            words = ", ".join(shown(item) for item in value)
        case _:
            words = printable_path(str(value).encode("utf-8", "replace"))
    return words


def age(span: timedelta) -> str:
    """Return a time span in its largest unit, as in `3 h`."""
    seconds = int(span.total_seconds())
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
