"""`brain map`: what a source declares, with file and line."""

from __future__ import annotations

import click

from brain_dagster.surface.cli.options import as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, opened_database
from brain_dagster.surface.render import print_json, print_table, say

_GROUPS = {
    "manifests": "manifest",
    "dependencies": "dependency",
    "entry_points": "entry_point",
    "routes": "route",
}


@click.command("map")
@click.argument("key")
@as_option
@group_option
@json_option
def map_command(key: str, as_user: str | None, groups: tuple[str, ...], as_json: bool) -> None:
    """Show the code map of the source KEY: manifests, dependencies, entry points and HTTP routes."""
    from brain_dagster.store.codemap import code_map_of

    with opened_database() as database:
        found = code_map_of(database, acting_principal(as_user, groups), key)
    if as_json:
        entries = {
            group: [
                {"name": entry.name, "detail": entry.detail, "path": entry.path, "line": entry.line}
                for entry in found.entries
                if entry.kind == kind
            ]
            for group, kind in _GROUPS.items()
        }
        print_json({"source": found.source, "revision": found.revision, **entries})
        return
    print_table(
        ("kind", "name", "detail", "place"),
        [(entry.kind, entry.name, entry.detail, f"{entry.path}:{entry.line}") for entry in found.entries],
    )
    if not found.entries:
        say(f"source {key} declares no manifest, entry point or route")
