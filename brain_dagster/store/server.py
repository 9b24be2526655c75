"""The server Brain's tables live on: which one it is, and whether it can hold them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from brain_dagster.errors import DatabaseUnavailable, DatabaseUnsuitable, Refused
from brain_dagster.settings import Settings
from brain_dagster.store import embedded
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql

OLDEST_POSTGRESQL = 15
OLDEST_PGVECTOR = (0, 8, 4)  # 0.8.3 and 0.8.4 fix corrupted HNSW graphs (C5)
DAGSTER_SCHEMA = "dagster"


class BadDatabaseUrl(Refused):
    """BRAIN_DATABASE_URL cannot be read; write postgresql://user:password@host:5432/database."""


@dataclass(frozen=True, slots=True)
class ServerVersions:
    """Versions on the server: PostgreSQL as in server_version_num, pgvector as on offer and as created."""

    postgresql: int
    vector_available: str | None
    vector_installed: str | None

    @property
    def needs_vector_update(self) -> bool:
        """Whether this database still runs a pgvector older than needed, though a newer one is there."""
        return self.vector_installed is not None and parse_version(self.vector_installed) < OLDEST_PGVECTOR


def check_versions(versions: ServerVersions) -> None:
    """Refuse a server that cannot hold Brain's tables.

    Errors  DatabaseUnsuitable, whose message names what was found and what to install.
    """
    major = versions.postgresql // 10_000
    needed = ".".join(map(str, OLDEST_PGVECTOR))
    if major < OLDEST_POSTGRESQL:
        raise DatabaseUnsuitable(
            f"this server is PostgreSQL {major}; Brain needs PostgreSQL {OLDEST_POSTGRESQL} or newer"
        )
    if versions.vector_available is None:
        raise DatabaseUnsuitable(
            f"the pgvector extension is not installed on this server; install pgvector {needed} or newer "
            f"for PostgreSQL {major} (package postgresql-{major}-pgvector, image pgvector/pgvector:pg{major})"
        )
    if parse_version(versions.vector_available) < OLDEST_PGVECTOR:
        raise DatabaseUnsuitable(
            f"this server has pgvector {versions.vector_available}; Brain needs {needed} or newer, because "
            f"older ones corrupt HNSW indexes; install it for PostgreSQL {major}, then run `brain init`"
        )


def parse_version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version such as `0.8.4`; what follows the numbers is ignored."""
    numbers = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def database_url(settings: Settings) -> str:
    """Return the URL of Brain's database, starting the embedded server if there is no other."""
    return settings.database_url or embedded.ensure_running(settings.home_path)


def open_database(settings: Settings, *, size: int = 8, application_name: str = "brain") -> Database:
    """Return Brain's database, after one look at whether the server can hold it; close it when done.

    Errors  DatabaseUnavailable, DatabaseUnsuitable, BadDatabaseUrl, and those of the embedded server.
    """
    url = database_url(settings)
    check_versions(read_versions(url))
    return Database(url, size=size, application_name=application_name)


def read_versions(url: str) -> ServerVersions:
    """Ask the server for its versions."""
    with plain_connection(url) as connection:
        row = connection.execute(sql("migrate.read_versions")).fetchone()
    assert row is not None
    return ServerVersions(*row)


@contextmanager
def plain_connection(url: str) -> Iterator[Connection]:
    """Open a connection that expects nothing of the database, not even pgvector; autocommit.

    Errors  BadDatabaseUrl, DatabaseUnavailable; neither repeats the URL, which may hold a password.
    """
    check_url(url)
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=10, application_name="brain")
    except psycopg.OperationalError as error:
        reason = " ".join(str(error).split()) or DatabaseUnavailable().message
        raise DatabaseUnavailable(reason, subject=server_name(url)) from error
    with connection:
        yield connection


def check_url(url: str) -> dict[str, Any]:
    """Return the parts of a connection URL or string."""
    try:
        return conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise BadDatabaseUrl() from error


def server_name(url: str) -> str:
    """Return how people call the server: host and database, without user and password."""
    parts = check_url(url)
    return f"{parts.get('host', 'localhost')}/{parts.get('dbname', '')}"


def dagster_storage_url(settings: Settings) -> str:
    """Return the URL of Dagster's storage: the same database, its own schema.

    The driver is named because SQLAlchemy may choose psycopg 3 by itself, with which every event that
    dagster-postgres writes fails.
    """
    return storage_url(database_url(settings))


def storage_url(url: str) -> str:
    """Return `url` as SQLAlchemy reads it, with Dagster's schema in front of whatever options it has."""
    from sqlalchemy.engine import URL

    parts = check_url(url)
    options = f"{parts.pop('options', '')} -csearch_path={DAGSTER_SCHEMA}".strip()
    user, password = parts.pop("user", None), parts.pop("password", None)
    database = parts.pop("dbname", None)
    host, port = None, None
    if not str(parts.get("host", "/")).startswith("/") and "," not in parts["host"]:
        host, port = parts.pop("host"), int(parts.pop("port", 5432))
    query = {name: str(value) for name, value in parts.items()} | {"options": options}
    made = URL.create("postgresql+psycopg2", user, password, host, port, database, query)
    return made.render_as_string(hide_password=False)
