"""`brain collection`: access and subject lines, by the owner."""

from __future__ import annotations

import click

from brain_dagster.store import collections as store
from brain_dagster.surface.cli.options import as_option, json_option
from brain_dagster.surface.context import acting_user, opened_database
from brain_dagster.surface.render import print_json, print_table, say


@click.group()
def collection() -> None:
    """See and change who may search a collection; only its owner may change it."""


@collection.command("list")
@as_option
@json_option
def list_command(as_user: str | None, as_json: bool) -> None:
    """List the collections you own or may search."""
    with opened_database() as database:
        found = store.list_collections(database, user=acting_user(as_user))
    if as_json:
        print_json(found)
        return
    print_table(
        ("name", "owner", "readers", "places", "sources", "description"),
        [(c.name, c.owner, c.readers, c.places, len(c.sources), c.description) for c in found],
    )
    if not found:
        say("no collections yet; `brain source add` makes the one it names")


@collection.command()
@click.argument("name")
@as_option
@json_option
def show(name: str, as_user: str | None, as_json: bool) -> None:
    """Show one collection: owner, subject, readers, places, sources."""
    with opened_database() as database:
        found = store.show_collection(database, name=name, user=acting_user(as_user))
    if as_json:
        print_json(found)
        return
    print_table(
        ("field", "value"),
        [
            ("name", found.name),
            ("owner", found.owner),
            ("description", found.description),
            ("readers", found.readers or "nobody"),
            ("places", found.places or "nowhere but to the asker alone"),
            ("sources", found.sources or "none"),
            ("default mode", found.default_mode),
            ("inline up to", f"{found.inline_token_limit:,} tokens"),
        ],
    )


@collection.command()
@click.argument("name")
@click.argument("description")
@as_option
@json_option
def describe(name: str, description: str, as_user: str | None, as_json: bool) -> None:
    """Set the line that says which subjects NAME covers."""
    user = acting_user(as_user)
    with opened_database() as database:
        changed = store.describe_collection(database, name=name, description=description, user=user)
    _tell(name, changed, "is described", "says that already", as_json)


@collection.command()
@click.argument("name")
@click.argument("reader")
@as_option
@json_option
def grant(name: str, reader: str, as_user: str | None, as_json: bool) -> None:
    """Let READER, a user or a group, search NAME."""
    user = acting_user(as_user)
    with opened_database() as database:
        changed = store.grant(database, name=name, reader=reader, user=user)
    _tell(name, changed, f"may now be searched by {reader}", f"may already be searched by {reader}", as_json)


@collection.command()
@click.argument("name")
@click.argument("reader")
@as_option
@json_option
def revoke(name: str, reader: str, as_user: str | None, as_json: bool) -> None:
    """Stop READER from searching NAME, from the next question on."""
    user = acting_user(as_user)
    with opened_database() as database:
        changed = store.revoke(database, name=name, reader=reader, user=user)
    _tell(name, changed, f"is closed to {reader}", f"was not open to {reader}", as_json)


@collection.command()
@click.argument("name")
@click.argument("place")
@click.option("--never", is_flag=True, help="Take the permission back.")
@as_option
@json_option
def speak(name: str, place: str, never: bool, as_user: str | None, as_json: bool) -> None:
    """Let answers from NAME be spoken in PLACE, such as a channel; nowhere is the default."""
    user = acting_user(as_user)
    change = store.forbid_place if never else store.allow_place
    with opened_database() as database:
        changed = change(database, name=name, place=place, user=user)
    words = "is no longer spoken in" if never else "may be spoken in"
    _tell(name, changed, f"{words} {place}", f"{words} {place} already", as_json)


def _tell(name: str, changed: bool, done: str, already: str, as_json: bool) -> None:
    if as_json:
        print_json({"collection": name, "changed": changed})
    say(f"{name} {done if changed else already}")
