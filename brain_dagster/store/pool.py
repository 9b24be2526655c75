"""Connections: a pool whose borrowers leave no trace, and direct ones for locks and long builds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg_pool import ConnectionPool, PoolTimeout

from brain_dagster.errors import DatabaseUnavailable

Connection = psycopg.Connection[tuple[Any, ...]]
# How long one look for a spare connection lasts before the borrower is asked whether it still wants it.
_GLANCE_S = 0.005


class Database:
    """One PostgreSQL database, opened lazily, safe to share between threads."""

    def __init__(self, url: str, *, size: int = 8, application_name: str = "brain") -> None:
        self.url = url
        self._keywords: dict[str, Any] = {"application_name": application_name, "connect_timeout": 10}
        self._pool = ConnectionPool(
            url,
            min_size=0,
            max_size=size,
            open=False,
            kwargs=self._keywords,
            configure=_configure,
            reset=_reset,
            timeout=30,
        )

    @contextmanager
    def transaction(self, settings: Mapping[str, str] | None = None) -> Iterator[Connection]:
        """Borrow a connection for one transaction; `settings` hold inside it only (fault C3).

        Errors  DatabaseUnavailable when no connection can be had.
        """
        with self._borrow() as connection, connection.transaction():
            for name, value in (settings or {}).items():
                connection.execute("SELECT set_config(%s, %s, true)", (name, value))
            yield connection

    @contextmanager
    def _borrow(self) -> Iterator[Connection]:
        try:
            self._pool.open()
            connection = self._pool.getconn()
        except (PoolTimeout, psycopg.OperationalError) as error:
            raise DatabaseUnavailable() from error
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def can_spare(self) -> bool:
        """Whether a further connection is idle, or may be opened: a guess, as others borrow meanwhile."""
        pool = self._pool.get_stats()
        return pool["pool_available"] > 0 or pool["pool_size"] < pool["pool_max"]

    @contextmanager
    def spare(self, *, patience_s: float, is_wanted: Callable[[], bool]) -> Iterator[Connection | None]:
        """Borrow a further connection for one transaction, if one can be had almost at once; else None.

        Who holds a connection must not wait for another one without end: two that do so in a pool of two
        wait for each other.

        is_wanted  asked every few milliseconds; the wait ends when it says no
        """
        connection = self._wait_for_spare(patience_s, is_wanted)
        if connection is None:
            yield None
            return
        try:
            with connection.transaction():
                yield connection
        finally:
            self._pool.putconn(connection)

    def _wait_for_spare(self, patience_s: float, is_wanted: Callable[[], bool]) -> Connection | None:
        give_up = monotonic() + patience_s
        while self.can_spare() and is_wanted() and monotonic() < give_up:
            with suppress(PoolTimeout):
                return self._pool.getconn(timeout=_GLANCE_S)
        return None

    def direct(self) -> Connection:
        """Open a connection outside the pool, in autocommit: for locks and for index builds (A6).

        The caller closes it; whatever it locks is free the moment it or its process ends.
        """
        try:
            connection = psycopg.connect(self.url, autocommit=True, **self._keywords)
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable() from error
        register_vector(connection)
        return connection

    def all(self, query: LiteralString, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Run one query in its own transaction and return its rows."""
        with self.transaction() as connection:
            return connection.execute(query, parameters).fetchall()

    def one(self, query: LiteralString, parameters: Any = None) -> tuple[Any, ...] | None:
        """Run one query in its own transaction and return its first row, or None."""
        with self.transaction() as connection:
            return connection.execute(query, parameters).fetchone()

    def run(self, query: LiteralString, parameters: Any = None) -> int:
        """Run one statement in its own transaction and return the number of rows it touched."""
        with self.transaction() as connection:
            return connection.execute(query, parameters).rowcount

    def close(self) -> None:
        """Close the pool; borrowed connections close when they come back."""
        self._pool.close()


def _configure(connection: Connection) -> None:
    """Prepare a fresh pooled connection: without this, vectors come back as strings (B7)."""
    register_vector(connection)
    connection.commit()


def _reset(connection: Connection) -> None:
    """Clear what a borrower may have set, so that the next one starts clean (C3)."""
    connection.execute("RESET ALL")
    connection.commit()
