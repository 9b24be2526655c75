"""Sync runs: one row per run and source, from its listing to its last outcome."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from brain_dagster.errors import Refused
from brain_dagster.model import Listing, OutcomeCounts, Source, SyncRun
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql


class NothingListed(Refused):
    """This source was never listed; materialize its `diff` first, or run `brain sync`."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """What decides whether a source needs a run: see `is_current`."""

    listing_token: str | None
    recipe: str | None
    has_retry_due: bool
    has_staged: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that is failed now, for people."""

    path: str
    code: str
    reason: str
    retry_at: datetime | None


def close_abandoned(connection: Connection, source: Source) -> bool:
    """Close the runs of a source whose process died; the caller holds its claim, so none is alive.

    Returns whether its latest run was abandoned: what that run staged is good, and is worth keeping. A
    run that a stage or a check stopped may have staged what stopped it.
    """
    connection.execute(sql("runs.close_abandoned"), {"source_id": source.id})
    row = connection.execute(sql("runs.get_last_state"), {"source_id": source.id}).fetchone()
    return row == ("abandoned",)


def begin_run(
    connection: Connection, source: Source, listing: Listing, *, recipe: str, run_key: str
) -> SyncRun:
    """Open a run under the source's next generation."""
    generation = _scalar(connection.execute(sql("runs.next_generation"), {"source_id": source.id}).fetchone())
    run_id = _scalar(
        connection.execute(
            sql("runs.insert_run"),
            {
                "source_id": source.id,
                "generation": generation,
                "run_key": run_key,
                "revision": listing.revision,
                "listing_token": listing.token,
                "listing_is_complete": listing.is_complete,
                "recipe": recipe,
                "listed": len(listing.items),
                "excluded": listing.excluded,
                "problems": [clean_text(problem) for problem in listing.problems],
            },
        ).fetchone()
    )
    return SyncRun(
        run_id, source.id, generation, run_key, "running", listing.revision, listing.is_complete, recipe
    )


def find_run(db: Database, source: Source, run_key: str) -> SyncRun:
    """Return the run a stage works for: its own Dagster run's, or else the source's latest.

    A stage that is materialized alone carries on with what the latest run staged.
    Raises  NothingListed - the source has no run yet.
    """
    row = db.one(sql("runs.get_run"), {"source_id": source.id, "run_key": run_key})
    if row is None:
        raise NothingListed(subject=source.key)
    if row[4] in ("failed", "abandoned"):
        db.run(sql("runs.reopen_run"), {"run_id": row[0]})
    return SyncRun(*row)


def close_run(db: Database, run: SyncRun, state: str, error: str | None) -> None:
    """End a run that did not publish everything; one that has ended keeps its own end."""
    db.run(
        sql("runs.close_run"),
        {"run_id": run.id, "state": state, "error": clean_text(error) if error else None},
    )


def fail_run(db: Database, source_key: str, run_key: str, error: str) -> None:
    """Close the run that `run_key` opened on a source, if it is still running."""
    db.run(sql("runs.fail_run"), {"source_key": source_key, "run_key": run_key, "error": clean_text(error)})


def end_unfinished_runs(db: Database, run_key: str) -> None:
    """Close what a Dagster run leaves open when it ends between two stages; staged work stays."""
    db.run(sql("runs.end_unfinished"), {"run_key": run_key})


def close_all_abandoned(db: Database) -> tuple[str, ...]:
    """Close every run whose claim nobody holds; returns their run keys (A5)."""
    return tuple(row[0] for row in db.all(sql("runs.close_all_abandoned")))


def freshness(db: Database, source: Source) -> Freshness:
    """Return what decides whether this source needs a run."""
    row = db.one(sql("runs.get_freshness"), {"source_id": source.id})
    if row is None:
        raise NothingListed(subject=source.key)
    return Freshness(*row)


def last_listed_token(db: Database, source: Source) -> str | None:
    """Return the token of the latest listing of a source, however its run ended; None if there is none."""
    row = db.one(sql("runs.get_last_listing"), {"source_id": source.id})
    return row[0] if row else None


def counts_when_unchanged(db: Database, source: Source) -> OutcomeCounts:
    """Return the outcomes of a source in which nothing changed since its last run."""
    states = dict(db.all(sql("runs.count_documents"), {"source_id": source.id}))
    return OutcomeCounts(
        unchanged=states.get("ready", 0), skipped=states.get("skipped", 0), failed=states.get("failed", 0)
    )


@dataclass(frozen=True, slots=True)
class EndedRun:
    """How a run ended: its state, its outcomes, what kept its listing incomplete, what stopped it."""

    state: str
    counts: OutcomeCounts
    problems: tuple[str, ...]
    error: str | None


def run_of(db: Database, source: Source, run_key: str) -> EndedRun | None:
    """Return how the run that `run_key` opened on a source ended; None if it never listed the source."""
    row = db.one(sql("runs.get_counts"), {"source_id": source.id, "run_key": run_key})
    if row is None:
        return None
    state, counts, problems, error = row
    return EndedRun(state, OutcomeCounts(**counts), tuple(problems), error)


def failures(db: Database, source: Source, limit: int | None = 20) -> tuple[Failure, ...]:
    """Return the items of a source that are failed now, by path; all of them where `limit` is None."""
    rows = db.all(sql("runs.get_failures"), {"source_id": source.id, "limit": limit})
    return tuple(Failure(*row) for row in rows)


def finish_run(connection: Connection, run: SyncRun, counts: OutcomeCounts, *, is_whole: bool) -> None:
    """Close a run that published all it could; only a whole one moves the source's mark."""
    numbers = {
        "indexed": counts.indexed,
        "unchanged": counts.unchanged,
        "skipped": counts.skipped,
        "failed": counts.failed,
        "deleted": counts.deleted,
    }
    state = "done" if is_whole else "partial"
    connection.execute(
        sql("publish.finish_run"), {"run_id": run.id, "state": state, "counts": Jsonb(numbers)}
    )
    if is_whole:
        connection.execute(sql("publish.set_source_current"), {"source_id": run.source_id, "run_id": run.id})


def _scalar(row: tuple[Any, ...] | None) -> int:
    assert row is not None, "the statement promises one row"
    return int(row[0])
