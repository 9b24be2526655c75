"""`brain map`: what a source declares, with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from brain_dagster.errors import BadUsage
from brain_dagster.surface.cli.options import as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, opened_database
from brain_dagster.surface.render import print_json, print_table, say

if TYPE_CHECKING:
    from brain_dagster.store.codemap import CodeMap

_GROUPS = {
    "manifests": "manifest",
    "dependencies": "dependency",
    "workspaces": "workspace",
    "entry_points": "entry_point",
    "routes": "route",
    "rpcs": "rpc",
    "consumers": "consumer",
}


@click.command("map")
@click.argument("key")
@click.option("--for-prompt", is_flag=True, help="Plain text for a model's prompt, within --tokens.")
@click.option("--tokens", type=int, metavar="N", help="How long that text may be.  [default: 1500]")
@as_option
@group_option
@json_option
def map_command(
    *,
    key: str,
    for_prompt: bool,
    tokens: int | None,
    as_user: str | None,
    groups: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the code map of the source KEY: manifests, dependencies, entry points, HTTP routes and more.

    With --for-prompt, a text that fits into --tokens of the embedding model and says what it leaves out.
    """
    from brain_dagster.store.codemap import code_map_of

    if for_prompt and as_json:
        raise BadUsage("--for-prompt prints text and --json a document; give one of them")
    if tokens is not None and not for_prompt:
        raise BadUsage("--tokens is the length of the text of --for-prompt; give both")
    with opened_database() as database:
        found = code_map_of(database, acting_principal(as_user, groups), key)
    if as_json:
        print_json(_json(found))
    elif for_prompt:
        _print_prompt(found, tokens)
    else:
        _print_entries(found)


def _json(found: CodeMap) -> dict[str, Any]:
    entries = {
        group: [
            {"name": entry.name, "detail": entry.detail, "path": entry.path, "line": entry.line}
            for entry in found.entries
            if entry.kind == kind
        ]
        for group, kind in _GROUPS.items()
    }
    return {"source": found.source, "revision": found.revision, **entries}


def _print_prompt(found: CodeMap, tokens: int | None) -> None:
    from brain_dagster.chunk.tokens import default_counter
    from brain_dagster.surface.map_prompt import DEFAULT_TOKENS, map_prompt

    budget = DEFAULT_TOKENS if tokens is None else tokens
    click.echo(map_prompt(found, default_counter().count, tokens=budget))


def _print_entries(found: CodeMap) -> None:
    print_table(
        ("kind", "name", "detail", "place"),
        [(entry.kind, entry.name, entry.detail, f"{entry.path}:{entry.line}") for entry in found.entries],
    )
    if not found.entries:
        say(f"source {found.source} declares no manifest, entry point or route")
