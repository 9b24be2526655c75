"""`brain sync`: bring sources up to date, through Dagster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from brain_dagster.surface.bars import shown_progress
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import brain_settings, opened_database
from brain_dagster.surface.dagster_launcher import dagster_launcher
from brain_dagster.surface.render import print_json, print_table, say
from brain_dagster.surface.syncing import SyncedSource, chosen_sources, sync_sources


@click.command()
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@json_option
def sync(keys: tuple[str, ...], as_json: bool) -> int:
    """Bring the sources KEY... up to date, or all of them.

    Exit code 0: everything is in place; 1: done, with failures listed; 3: no source could be reached.
    """
    settings = brain_settings()
    synced: list[SyncedSource] = []
    with opened_database() as db, shown_progress():
        chosen = chosen_sources(db, keys)
        for one in sync_sources(db, chosen, settings, lambda: dagster_launcher(settings, db)):
            say(line(one))
            synced.append(one)
    if as_json:
        print_json({one.key: _shape(one) for one in synced})
    else:
        print_counts(synced)
    if not synced:
        say("there are no sources yet; `brain source add --help` says how to add one")
    return exit_code(synced)


def exit_code(synced: Sequence[SyncedSource]) -> int:
    """0 if all is in place, 3 if nothing could be reached, else 1."""
    if synced and all(one.is_unavailable for one in synced):
        return 3
    return 0 if all(one.is_clean for one in synced) else 1


def line(one: SyncedSource) -> str:
    """One line for people, with what failed below it."""
    words = {
        "current": "nothing changed",
        "done": "synced",
        "partial": "synced in part; the next sync tries the rest again",
        "failed": "FAILED",
        "running": "not started",
    }
    lines = [f"{one.key}: {words.get(one.state, one.state)}" + (f": {one.error}" if one.error else "")]
    lines += [f"  problem: {problem}" for problem in one.problems]
    lines += [f"  failed: {failure.path}: {failure.reason}" for failure in one.failures]
    if one.counts.failed > len(one.failures) > 0:
        lines.append(
            f"  ... and {one.counts.failed - len(one.failures)} more; `brain status --failed` lists them all"
        )
    return "\n".join(lines)


def print_counts(synced: Sequence[SyncedSource]) -> None:
    """The outcome counts, one source a row."""
    columns = ("source", "state", "indexed", "unchanged", "skipped", "failed", "deleted")
    print_table(columns, [(one.key, one.state, *asdict(one.counts).values()) for one in synced])


def _shape(one: SyncedSource) -> dict[str, object]:
    return {
        **asdict(one.counts),
        "state": one.state,
        "run_id": one.run_id,
        "error": one.error,
        "problems": list(one.problems),
        "failures": [asdict(failure) for failure in one.failures],
    }
