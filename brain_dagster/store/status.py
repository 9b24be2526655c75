"""How this Brain is doing, counted in one snapshot of the store at the moment of the question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from psycopg import IsolationLevel

from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """Where one source stands.

    staged      items of a run in progress, or of one that died; the next run deals with them
    last_state  how the last run that ended did: done, partial, failed, superseded; None before the first
    """

    key: str
    collection: str
    kind: str
    revision: str | None
    ready: int
    pending: int
    failed: int
    skipped: int
    chunks: int
    staged: int
    last_synced_at: datetime | None
    last_state: str | None
    last_problem: str | None


@dataclass(frozen=True, slots=True)
class RunningRun:
    """A run that says it is running; `is_alive` says whether a live connection holds its source."""

    source: str
    run_key: str
    started_at: datetime
    is_alive: bool


@dataclass(frozen=True, slots=True)
class SpaceStatus:
    """An embedding space and the last measurement of its index (None: never measured)."""

    model: str
    revision: str
    width: int
    state: str
    vectors: int
    failed_embeddings: int
    index_is_valid: bool | None
    index_recall: float | None
    index_fill_rate: float | None
    index_dead_share: float | None
    index_measured_at: datetime | None


@dataclass(frozen=True, slots=True)
class Status:
    """Everything `brain status` shows; `at` is the moment all of it holds for, by the server's clock."""

    at: datetime
    sources: tuple[SourceStatus, ...]
    running: tuple[RunningRun, ...]
    spaces: tuple[SpaceStatus, ...]


@contextmanager
def snapshot(db: Database) -> Iterator[Connection]:
    """Give a transaction whose queries all see the same moment, and which cannot write."""
    with closing(db.direct()) as connection:
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield connection


def read_status(db: Database) -> Status:
    """Count everything, now."""
    with snapshot(db) as connection:
        now = connection.execute("SELECT now()").fetchone()
        assert now is not None
        return Status(
            at=now[0],
            sources=tuple(SourceStatus(*row) for row in connection.execute(sql("status.list_sources"))),
            running=tuple(RunningRun(*row) for row in connection.execute(sql("status.list_running"))),
            spaces=tuple(SpaceStatus(*row) for row in connection.execute(sql("status.list_spaces"))),
        )
