"""`brain manifest`: what you may search here, and how much of it there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from brain_dagster.errors import BadUsage
from brain_dagster.model import State
from brain_dagster.surface.cli.options import as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, opened_database
from brain_dagster.surface.manifest_prompt import DEFAULT_TOKENS, manifest_prompt
from brain_dagster.surface.render import counted, print_json, say, shown

if TYPE_CHECKING:
    from brain_dagster.query.manifest import Manifest, ManifestEntry


@click.command()
@click.option("--place", metavar="PLACE", help="Where answers will be spoken; else to you alone.")
@click.option("--for-prompt", is_flag=True, help="Plain text for a model's prompt, within --tokens.")
@click.option("--tokens", type=int, metavar="N", help="How long that text may be.  [default: 2000]")
@as_option
@group_option
@json_option
def manifest(
    *,
    place: str | None,
    for_prompt: bool,
    tokens: int | None,
    as_user: str | None,
    groups: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the collections you may search, what each covers, and what it holds.

    With --place, only those whose answers may be spoken there.
    """
    from brain_dagster import query

    if for_prompt and as_json:
        raise BadUsage("--for-prompt prints text and --json a document; give one of them")
    if tokens is not None and not for_prompt:
        raise BadUsage("--tokens is the length of the text of --for-prompt; give both")
    principal = acting_principal(as_user, groups)
    user = principal.user
    with opened_database(size=2) as database:
        found = query.manifest(database, principal, place)
    if as_json:
        print_json(manifest_json(found, user, place))
    elif for_prompt:
        click.echo(manifest_prompt(found, tokens=DEFAULT_TOKENS if tokens is None else tokens))
    else:
        _print_all(found, user, place)


def _print_all(found: Manifest, user: str, place: str | None) -> None:
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
        "reasons": [
            {"state": reason.state.value, "code": reason.code, "documents": reason.documents}
            for reason in contents.reasons
        ],
        "more_reasons": {state.value: entry.more_reasons(state) for state in (State.FAILED, State.SKIPPED)},
        "mode": entry.mode.value,
        "inline": entry.is_inline,
        "sources": contents.sources,
        "synced_at": None if contents.synced_at is None else contents.synced_at.isoformat(),
    }


def _print(entry: ManifestEntry) -> None:
    contents = entry.contents
    click.echo(f"{entry.name}: {shown(entry.description) if entry.description else '(no subject line)'}")
    counts = [f"{counted(contents.ready, 'document')} ready in {counted(contents.chunks, 'chunk')}"]
    if contents.processing:
        counts.append(f"{contents.processing:,} still processing")
    for state, number in ((State.FAILED, contents.failed), (State.SKIPPED, contents.skipped)):
        if number:
            counts.append(f"{number:,} {state.value} ({_reasons(entry, state)})")
    click.echo(f"  {', '.join(counts)}; {shown(entry.reason)}")
    click.echo(f"  {_answers(entry)}; {_freshness(entry)}")
    for source, path in contents.files:
        click.echo(f"    {shown(source)}: {shown(path)}")
    if entry.more_files:
        click.echo(f"    and {entry.more_files:,} more")
    click.echo()


def _reasons(entry: ManifestEntry, state: State) -> str:
    named = [f"{shown(r.code)} {r.documents:,}" for r in entry.contents.reasons if r.state is state]
    more = entry.more_reasons(state)
    return ", ".join([*named, *([f"other reasons {more:,}"] if more else ())])


def _answers(entry: ManifestEntry) -> str:
    alone = "searched alone, handed over whole; with others, " if entry.is_inline else ""
    return f"{alone}ranked in mode {entry.mode.value}"


def _freshness(entry: ManifestEntry) -> str:
    contents = entry.contents
    if not contents.sources:
        return "no source yet"
    sources = counted(contents.sources, "source")
    if contents.synced_at is None:
        return f"{sources}, not completely synced yet"
    return f"{sources}, completely synced at {shown(contents.synced_at)}"
