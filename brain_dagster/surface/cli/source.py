"""`brain source`: add, list and remove sources."""

from __future__ import annotations

import click

from brain_dagster.connectors import validate_globs, validate_location
from brain_dagster.store.sources import add_source, list_sources, remove_source
from brain_dagster.surface.cli.options import as_option, json_option
from brain_dagster.surface.context import acting_user, opened_database
from brain_dagster.surface.render import print_json, print_table, say


@click.group()
def source() -> None:
    """Add, list and remove sources: what Brain knows comes from these."""


@source.command()
@click.argument("key")
@click.option("--kind", required=True, help="Connector: git, folder, ...")
@click.option("--location", required=True, metavar="PATH_OR_URL", help="Where it is.")
@click.option("--ref", help="Branch, tag or commit of a git source; else its default branch.")
@click.option(
    "--collection", "collection", required=True, metavar="NAME", help="Who may read it, as one unit."
)
@click.option("--description", default="", help="One line: the subjects this collection covers.")
@click.option("--include", multiple=True, metavar="GLOB", help="Only paths that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No paths that match; repeatable.")
@click.option("--reader", "readers", multiple=True, metavar="USER", help="Who else may search; repeatable.")
@click.option("--replace", is_flag=True, help="Change the settings of a source that exists.")
@as_option
@json_option
def add(
    key: str,
    *,
    kind: str,
    location: str,
    ref: str | None,
    collection: str,
    description: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    readers: tuple[str, ...],
    replace: bool,
    as_user: str | None,
    as_json: bool,
) -> None:
    """Register the source KEY; `brain sync KEY` then fetches it.

    Whoever adds the first source of a collection owns the collection and may read it.
    """
    place = validate_location(kind, location, ref)
    validate_globs(include, exclude)
    with opened_database() as database:
        added = add_source(
            database,
            key=key,
            kind=kind,
            location=place,
            ref=ref,
            collection=collection,
            description=description,
            include=include,
            exclude=exclude,
            readers=readers,
            added_by=acting_user(as_user),
            replace=replace,
        )
    if as_json:
        print_json(added)
    say(f"source {added.key} is registered; `brain sync {added.key}` fetches it")


@source.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the registered sources."""
    with opened_database() as database:
        found = list_sources(database)
    if as_json:
        print_json(found)
        return
    print_table(
        ("key", "kind", "collection", "location", "ref", "revision"),
        [(s.key, s.kind, s.collection, s.location, s.ref, s.revision and s.revision[:12]) for s in found],
    )
    if not found:
        say("no sources yet; `brain source add --help` says how to add one")


@source.command()
@click.argument("key")
@as_option
@json_option
def remove(key: str, as_user: str | None, as_json: bool) -> None:
    """Remove the source KEY and everything made from it; its collection stays."""
    with opened_database() as database:
        removed = remove_source(database, key=key, user=acting_user(as_user))
    if as_json:
        print_json(removed)
    say(f"removed {removed.key}: {removed.documents:,} documents, {removed.chunks:,} chunks")
