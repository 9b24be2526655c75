"""`brain manifest`: what you may search here, and how much of it there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from brain_dagster.model import Principal
from brain_dagster.surface.cli.options import as_option, json_option
from brain_dagster.surface.context import acting_user, opened_database
from brain_dagster.surface.render import print_json, say, shown

if TYPE_CHECKING:
    from brain_dagster.query.manifest import Manifest, ManifestEntry


@click.command()
@click.option("--place", metavar="PLACE", help="Where answers will be spoken; else to you alone.")
@as_option
@json_option
def manifest(place: str | None, as_user: str | None, as_json: bool) -> None:
    """List the collections you may search, what each covers, and what it holds.

    With --place, only those whose answers may be spoken there.
    """
    from brain_dagster import query

    user = acting_user(as_user)
    with opened_database(size=2) as database:
        found = query.manifest(database, Principal(user), place)
    if as_json:
        print_json(manifest_json(found, user, place))
        return
    for entry in found.collections:
        _print(entry)
    if found.collections:
        say(found.caveat)
    else:
        say(f"{shown(user)} may search nothing{f' in {shown(place)}' if place is not None else ''}")


def manifest_json(found: Manifest, user: str, place: str | None) -> dict[str, Any]:
    """Return what `brain manifest --json` prints."""
    return {
        "user": user,
        "place": place,
        "caveat": found.caveat,
        "collections": [_entry_json(entry) for entry in found.collections],
    }


def _entry_json(entry: ManifestEntry) -> dict[str, Any]:
    contents = entry.contents
    return {
        "collection": entry.name,
        "description": entry.description,
        "reason": entry.reason,
        "documents": {
            "ready": contents.ready,
            "processing": contents.processing,
            "failed": contents.failed,
            "skipped": contents.skipped,
        },
        "chunks": contents.chunks,
        "files": [{"source": source, "path": path} for source, path in contents.files],
        "more_files": entry.more_files,
    }


def _print(entry: ManifestEntry) -> None:
    contents = entry.contents
    click.echo(f"{entry.name}: {shown(entry.description) if entry.description else '(no subject line)'}")
    counts = [f"{contents.ready:,} documents ready in {contents.chunks:,} chunks"]
    for number, words in (
        (contents.processing, "still processing"),
        (contents.failed, "failed"),
        (contents.skipped, "skipped"),
    ):
        if number:
            counts.append(f"{number:,} {words}")
    click.echo(f"  {', '.join(counts)}; {shown(entry.reason)}")
    for source, path in contents.files:
        click.echo(f"    {shown(source)}: {shown(path)}")
    if entry.more_files:
        click.echo(f"    and {entry.more_files:,} more")
    click.echo()
