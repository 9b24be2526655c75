"""`brain collection`: access and subject lines, by the owner."""

from __future__ import annotations

import click

from brain_dagster.model import GROUP_MARK, Mode
from brain_dagster.store import collections as store
from brain_dagster.surface.cli.options import Command, as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, opened_database
from brain_dagster.surface.render import print_json, print_table, say


def _is_group_option(command: Command) -> Command:
    return click.option("--group", "is_group", is_flag=True, help="READER is a group, not a user.")(command)


@click.group()
def collection() -> None:
    """See and change who may search a collection; only its owner may change it."""


@collection.command("list")
@as_option
@group_option
@json_option
def list_command(as_user: str | None, groups: tuple[str, ...], as_json: bool) -> None:
    """List the collections you own or may search."""
    principal = acting_principal(as_user, groups)
    with opened_database() as database:
        found = store.list_collections(database, user=principal.user, groups=principal.groups)
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
@group_option
@json_option
def show(name: str, as_user: str | None, groups: tuple[str, ...], as_json: bool) -> None:
    """Show one collection: owner, subject, readers, places, sources."""
    principal = acting_principal(as_user, groups)
    with opened_database() as database:
        found = store.show_collection(database, name=name, user=principal.user, groups=principal.groups)
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
    actor = acting_principal(as_user, ())
    with opened_database() as database:
        changed = store.describe_collection(
            database, name=name, description=description, user=actor.user, groups=actor.groups
        )
    _tell(name, changed, "is described", "says that already", as_json)


@collection.command()
@click.argument("name")
@click.argument("reader")
@_is_group_option
@as_option
@json_option
def grant(name: str, reader: str, *, is_group: bool, as_user: str | None, as_json: bool) -> None:
    """Let READER search NAME: a user, or with --group or written `group:READER` a group."""
    actor = acting_principal(as_user, ())
    reader = _reader(reader, is_group=is_group)
    with opened_database() as database:
        changed = store.grant(database, name=name, reader=reader, user=actor.user, groups=actor.groups)
    _tell(name, changed, f"may now be searched by {reader}", f"may already be searched by {reader}", as_json)


@collection.command()
@click.argument("name")
@click.argument("reader")
@_is_group_option
@as_option
@json_option
def revoke(name: str, reader: str, *, is_group: bool, as_user: str | None, as_json: bool) -> None:
    """Stop READER, a user or a group, from searching NAME, from the next question on."""
    actor = acting_principal(as_user, ())
    reader = _reader(reader, is_group=is_group)
    with opened_database() as database:
        changed = store.revoke(database, name=name, reader=reader, user=actor.user, groups=actor.groups)
    _tell(name, changed, f"is closed to {reader}", f"was not open to {reader}", as_json)


@collection.command()
@click.argument("name")
@click.argument("place")
@click.option("--never", is_flag=True, help="Take the permission back.")
@as_option
@json_option
def speak(name: str, place: str, never: bool, as_user: str | None, as_json: bool) -> None:
    """Let answers from NAME be spoken in PLACE, such as a channel; nowhere is the default."""
    actor = acting_principal(as_user, ())
    change = store.forbid_place if never else store.allow_place
    with opened_database() as database:
        changed = change(database, name=name, place=place, user=actor.user, groups=actor.groups)
    words = "is no longer spoken in" if never else "may be spoken in"
    _tell(name, changed, f"{words} {place}", f"{words} {place} already", as_json)


@collection.command("mode")
@click.argument("name")
@click.argument("mode", type=click.Choice([mode.value for mode in store.DEFAULT_MODES]))
@as_option
@json_option
def mode_command(name: str, mode: str, as_user: str | None, as_json: bool) -> None:
    """Set the MODE in which NAME is searched where none is asked for; `brain eval` shows which is best."""
    actor = acting_principal(as_user, ())
    with opened_database() as database:
        changed = store.set_default_mode(
            database, name=name, mode=Mode(mode), user=actor.user, groups=actor.groups
        )
    _tell(name, changed, f"is ranked in mode {mode}", f"is ranked in mode {mode} already", as_json)


@collection.command()
@click.argument("name")
@click.argument("tokens", type=int)
@as_option
@json_option
def inline(name: str, tokens: int, as_user: str | None, as_json: bool) -> None:
    """Hand NAME over whole, if it is searched alone and holds at most TOKENS tokens; 0 is never."""
    actor = acting_principal(as_user, ())
    with opened_database() as database:
        changed = store.set_inline_limit(
            database, name=name, tokens=tokens, user=actor.user, groups=actor.groups
        )
    words = f"is handed over whole up to {tokens:,} tokens"
    _tell(name, changed, words, f"{words} already", as_json)


def _reader(given: str, *, is_group: bool) -> str:
    """Return the reader as it stands in the store; a mark that was typed counts as --group does."""
    return f"{GROUP_MARK}{given.removeprefix(GROUP_MARK)}" if is_group else given


def _tell(name: str, changed: bool, done: str, already: str, as_json: bool) -> None:
    if as_json:
        print_json({"collection": name, "changed": changed})
    say(f"{name} {done if changed else already}")
