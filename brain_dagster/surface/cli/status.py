"""`brain status`: how this Brain is doing, right now."""

from __future__ import annotations

import click

from brain_dagster.store.pool import Database
from brain_dagster.store.runs import failures
from brain_dagster.store.sources import list_sources
from brain_dagster.store.status import Status, read_status
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import opened_database
from brain_dagster.surface.render import age, print_json, print_table, say


@click.command()
@click.option("--failed", "only_failed", is_flag=True, help="List every failed document with its reason.")
@json_option
def status(only_failed: bool, as_json: bool) -> None:
    """Show sources, documents by state, running runs, vectors and the health of their index.

    Everything is counted when you ask; a run is "alive" if a live connection holds its source.
    """
    with opened_database() as database:
        if only_failed:
            _print_failed(database, as_json=as_json)
            return
        found = read_status(database)
    if as_json:
        print_json(found)
        return
    _print_sources(found)
    if found.running:
        print_table(
            ("source", "run", "since", "alive"),
            [(r.source, r.run_key, found.at - r.started_at, r.is_alive) for r in found.running],
            title="Running",
        )
    if found.spaces:
        _print_spaces(found)
    _say_what_stands_out(found)


def _print_failed(database: Database, *, as_json: bool) -> None:
    failed = {source.key: failures(database, source, limit=None) for source in list_sources(database)}
    if as_json:
        print_json(failed)
        return
    print_table(
        ("source", "path", "code", "reason", "retry"),
        [(key, f.path, f.code, f.reason, f.retry_at) for key, found in failed.items() for f in found],
        title="Failed",
    )


def _print_sources(found: Status) -> None:
    columns = ("source", "collection", "ready", "processing", "failed", "skipped", "chunks", "synced", "run")
    rows = [
        (
            s.key,
            s.collection,
            s.ready,
            s.pending + s.staged,
            s.failed,
            s.skipped,
            s.chunks,
            "never" if s.last_synced_at is None else f"{age(found.at - s.last_synced_at)} ago",
            s.last_state,
        )
        for s in found.sources
    ]
    print_table(columns, rows, title="Sources")


def _print_spaces(found: Status) -> None:
    columns = (
        "model",
        "width",
        "state",
        "vectors",
        "failed",
        "index",
        "recall",
        "filled",
        "dead",
        "measured",
    )
    rows = [
        (
            s.model,
            s.width,
            s.state,
            s.vectors,
            s.failed_embeddings,
            _index_words(s.index_is_valid),
            s.index_recall,
            s.index_fill_rate,
            s.index_dead_share,
            None if s.index_measured_at is None else f"{age(found.at - s.index_measured_at)} ago",
        )
        for s in found.spaces
    ]
    print_table(columns, rows, title="Vectors")


def _index_words(is_valid: bool | None) -> str:
    if is_valid is None:
        return "not measured"
    return "valid" if is_valid else "invalid"


def _say_what_stands_out(found: Status) -> None:
    if not found.sources:
        say("no sources yet; `brain source add --help` says how to add one")
    for run in found.running:
        if not run.is_alive:
            say(f"{run.source}: run {run.run_key} says it is running, but its process is gone; sync it again")
    for source in found.sources:
        if source.last_problem:
            say(f"{source.key}: {source.last_problem}")
