"""Several statements of one search at once: further connections that see what the first one sees.

The connection of the search works through its statements itself. Connections that the pool can spare take
statements from the same queue, each in a transaction with the same snapshot, role, rights and time limit.
If none can be had, the first one does everything: nobody ever waits for a connection that is held by
somebody who waits (a pool of one works, and so does a full one).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

import psycopg

from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import Snapshot, export_snapshot, join_snapshot
from brain_dagster.store.scope import narrow

# More would take the pool from other searches; a search has one or two statements that take long.
MOST_HELPERS = 3
# For so long a helper waits for its connection: the pool may have to open one, or to reset one that came
# back a moment ago.
PATIENCE_S = 0.05

Result = TypeVar("Result")
Task = Callable[[Connection], Result]


def run_together(
    db: Database, connection: Connection, collections: Sequence[int], tasks: Sequence[Task[Result]]
) -> list[Result]:
    """Run tasks, each on `connection` or on another one with the same snapshot.

    connection   in the transaction of a search, not inside a savepoint
    collections  what the search may read: the other connections are narrowed to the same
    Order        results stand in the order of the tasks, whichever ended first. Tasks are begun in order.
    Raises       what the first task in order that failed has raised; all tasks have ended by then.
    """
    desk = _Desk(tasks)
    helpers: list[threading.Thread] = []
    if len(tasks) > 1 and db.can_spare():
        snapshot = export_snapshot(connection)
        for _ in range(min(len(tasks) - 1, MOST_HELPERS)):
            helpers.append(threading.Thread(target=_help, args=(db, snapshot, collections, desk)))
            helpers[-1].start()
    try:
        desk.work(connection)
    except BaseException:
        desk.stop()
        raise
    finally:
        for helper in helpers:
            helper.join()
    # What a helper lost its connection over is not lost.
    desk.work(connection)
    return desk.results()


class _Desk(Generic[Result]):
    """The tasks to do, and what became of them."""

    def __init__(self, tasks: Sequence[Task[Result]]) -> None:
        self._tasks = tasks
        self._open = deque(range(len(tasks)))
        self._results: dict[int, Result] = {}
        self._errors: dict[int, Exception] = {}
        self._at_work: set[Connection] = set()

    @property
    def has_work(self) -> bool:
        """Whether there is a task that nobody has begun."""
        return bool(self._open)

    def work(self, connection: Connection) -> None:
        """Do tasks until none is open. Raises what the connection itself fails with."""
        while self._open:
            try:
                task = self._open.popleft()
            except IndexError:
                return
            try:
                self._results[task] = self._tasks[task](connection)
            except psycopg.OperationalError:
                self._open.append(task)
                raise
            except Exception as error:  # noqa: BLE001 - handed on to the one who asked, below
                self._errors[task] = error

    def help(self, connection: Connection) -> None:
        """Do tasks on a connection that may be stopped from outside."""
        self._at_work.add(connection)
        try:
            self.work(connection)
        finally:
            self._at_work.discard(connection)

    def stop(self) -> None:
        """Begin nothing more, and cancel what helpers are doing."""
        self._open.clear()
        for connection in tuple(self._at_work):
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=1.0)

    def results(self) -> list[Result]:
        """Return the results in order, or raise the first error."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._results[task] for task in range(len(self._tasks))]


def _help(db: Database, snapshot: Snapshot, collections: Sequence[int], desk: _Desk[Result]) -> None:
    """Take tasks as long as there are any; a helper that fails leaves its task to the others."""
    with (
        suppress(psycopg.Error),
        db.spare(patience_s=PATIENCE_S, is_wanted=lambda: desk.has_work) as connection,
    ):
        if connection is not None:
            join_snapshot(connection, snapshot)
            narrow(connection, collections)
            desk.help(connection)
