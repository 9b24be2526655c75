"""The transaction of a search: one snapshot, read-only, under the search role, with a time limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql as compose

from brain_dagster.errors import DatabaseUnavailable, SchemaOutOfDate, Transient
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql

TIMEOUT_MS = 15_000
_NOT_MIGRATED = (
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
)


class SearchTimedOut(Transient):
    """The search took longer than its time limit; ask again, or name fewer collections."""


class SearchBlocked(Transient):
    """The database refused this part of the search; `brain doctor` shows what is wrong with it."""


@contextmanager
def reading(db: Database, *, timeout_ms: int = TIMEOUT_MS) -> Iterator[Connection]:
    """Open the transaction of a search: one snapshot, read-only, as brain_search, with a time limit (C3).

    Errors  SearchTimedOut, DatabaseUnavailable, SchemaOutOfDate.
    """
    try:
        with db.transaction() as connection:
            connection.execute(sql("reading.begin"))
            connection.execute(sql("reading.configure"), {"timeout_ms": str(timeout_ms)})
            yield connection
    except psycopg.errors.QueryCanceled as error:
        raise SearchTimedOut() from error
    except _NOT_MIGRATED as error:
        raise SchemaOutOfDate() from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable() from error


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one transaction of a search sees, for others to see the same while it lasts."""

    name: str
    timeout_ms: str


def export_snapshot(connection: Connection) -> Snapshot:
    """Return the snapshot of a search; not inside a savepoint, where PostgreSQL exports none."""
    return Snapshot(*one_row(connection, "reading.export_snapshot", {}))


def join_snapshot(connection: Connection, snapshot: Snapshot) -> None:
    """Make the transaction just begun on another connection a part of that search.

    It sees the same commit, read-only, with the same role and time limit; no rows before it is narrowed.
    """
    begin = compose.SQL(sql("reading.join_snapshot")).format(snapshot=compose.Literal(snapshot.name))
    connection.execute(begin)
    connection.execute(sql("reading.configure"), {"timeout_ms": snapshot.timeout_ms})


@contextmanager
def attempt(connection: Connection) -> Iterator[None]:
    """Run a part of a search inside a savepoint: if it fails, the transaction goes on without it (I11).

    Errors  SearchTimedOut; SearchBlocked for a missing right, damaged data, a limit of the server, or too
            little room on its disk or in its memory. A syntax error is not among them: that is our bug and
            must be loud.
    """
    try:
        with connection.transaction():
            yield
    except psycopg.errors.QueryCanceled as error:
        raise SearchTimedOut() from error
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.ProgramLimitExceeded,
        psycopg.errors.ConfigurationLimitExceeded,
        psycopg.errors.DiskFull,
        psycopg.errors.OutOfMemory,
        psycopg.DataError,
        psycopg.InternalError,
    ) as error:
        # The SQLSTATE and no more: a driver's message may quote the question (I12).
        raise SearchBlocked(f"the database refused this part of the search ({error.sqlstate})") from error


def one_row(connection: Connection, name: str, parameters: dict[str, Any]) -> tuple[Any, ...]:
    row = connection.execute(sql(name), parameters).fetchone()
    assert row is not None, f"{name} promises one row"
    return row
