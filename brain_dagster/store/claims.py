"""One claim per source: whoever holds it may sync, everyone else says so and goes home (A4).

The claim is a lock that belongs to a direct database connection, never to a pooled one (A6): it is free
the moment the connection or its process ends, so a killed run blocks nobody.
"""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Lock

import psycopg

from brain_dagster.errors import AlreadyRunning, Superseded
from brain_dagster.model import Source
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql


class Claim:
    """The right to sync one source, held until `release` or the end of this process."""

    def __init__(self, source: Source, owner: str, connection: Connection) -> None:
        self.source = source
        self.owner = owner
        self._connection = connection

    def assert_held(self) -> None:
        """Make sure the connection that carries the claim still lives.

        Raises  Superseded - it is gone, so another run may have started meanwhile.
        """
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error as error:
            raise Superseded(subject=self.source.key) from error

    def release(self) -> None:
        """Give the claim back."""
        self._connection.close()


_held: dict[tuple[str, int, str], Claim] = {}
_guard = Lock()


def claim(db: Database, source: Source, owner: str) -> Claim:
    """Take the claim on a source for `owner` (a run), or return the one this process already holds for it.

    Raises  AlreadyRunning - another run holds it; the message says since when.
    """
    with _guard:
        key = (db.url, source.id, owner)
        if key not in _held:
            _held[key] = _take(db, source, owner)
        return _held[key]


def release_all(owner: str) -> None:
    """Give back every claim that this process holds for one run."""
    with _guard:
        for key in [key for key in _held if key[2] == owner]:
            _held.pop(key).release()


def _take(db: Database, source: Source, owner: str) -> Claim:
    connection = db.direct()
    row = connection.execute(sql("runs.try_claim"), {"source_id": source.id}).fetchone()
    if row == (True,):
        return Claim(source, owner, connection)
    running = connection.execute(sql("runs.get_running"), {"source_id": source.id}).fetchone()
    connection.close()
    raise AlreadyRunning(_words(running), subject=source.key)


def _words(running: tuple[str, datetime] | None) -> str:
    if running is None:
        return "another run has just started on this source; nothing to do"
    run_key, since = running
    seconds = (datetime.now(UTC) - since).total_seconds()
    return f"already running since {since:%H:%M:%S} UTC ({seconds:.0f} s, run {run_key[:8]}); nothing to do"
