"""A database gets to the program's schema from anywhere, once, whoever asks."""

from __future__ import annotations

import multiprocessing
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from brain_dagster.errors import DatabaseUnavailable, DatabaseUnsuitable, SchemaOutOfDate
from brain_dagster.store import migrate as migrations
from brain_dagster.store.cluster import find_binaries
from brain_dagster.store.migrate import (
    SCHEMA_FILE,
    Migration,
    SchemaForeign,
    SchemaTooNew,
    known_migrations,
    migrate,
    schema_is_current,
    schema_version,
)
from brain_dagster.store.pool import Database
from brain_dagster.store.server import BadDatabaseUrl, read_versions

FORK = multiprocessing.get_context("fork")


def dump(url: str) -> str:
    """Return all of schema brain as pg_dump writes it: columns, constraints, indexes, views, grants."""
    program = find_binaries(Path("/nowhere")).folder / "pg_dump"
    done = subprocess.run(
        [program, "--schema-only", "--schema=brain", url], capture_output=True, text=True, check=True
    )
    return re.sub(r"^\\(un)?restrict .*$", "", done.stdout, flags=re.MULTILINE)  # a random word in each


def run(url: str, statement: bytes) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def test_schema_and_all_migrations_give_the_same_database(empty_url: str, db_url: str) -> None:
    run(empty_url, b"CREATE EXTENSION vector")
    for step in known_migrations():
        run(empty_url, step.path.read_bytes())
    assert "CREATE TABLE brain.chunk_embedding" in dump(db_url)
    assert "GRANT SELECT ON TABLE brain.chunk TO brain_search" in dump(db_url)
    assert dump(empty_url) == dump(db_url)


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [step.version for step in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_fresh_database_is_created_once(empty_url: str) -> None:
    assert schema_version(empty_url) is None
    assert migrate(empty_url) == ["schema"]
    assert migrate(empty_url) == []
    db = Database(empty_url)
    schema_is_current(db)
    assert db.all("SELECT version FROM brain.schema_migration ORDER BY version") == [
        (step.version,) for step in known_migrations()
    ]
    assert db.one("SELECT count(*) FROM pg_namespace WHERE nspname = 'dagster'") == (1,)
    db.close()


def test_eight_processes_at_once_apply_everything_once(empty_url: str) -> None:
    barrier, answers = FORK.Barrier(8), FORK.Queue()

    def work() -> None:
        barrier.wait()
        answers.put(migrate(empty_url))

    processes = [FORK.Process(target=work) for _ in range(8)]
    for process in processes:
        process.start()
    applied = [answers.get(timeout=30) for _ in processes]
    for process in processes:
        process.join(30)
    assert sorted(applied) == [[]] * 7 + [["schema"]]
    assert schema_version(empty_url) == known_migrations()[-1].version


def with_extra_migration(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> Migration:
    """Let the program know one migration more than it ships."""
    real = known_migrations()
    path = folder / f"{real[-1].version + 1:04}_extra.sql"
    path.write_text(text)
    extra = Migration(real[-1].version + 1, "extra", path)
    monkeypatch.setattr(migrations, "known_migrations", lambda: (*real, extra))
    return extra


def test_old_database_gets_what_it_lacks(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    extra = with_extra_migration(monkeypatch, tmp_path, "CREATE TABLE brain.extra (id integer);")
    db = Database(empty_url)
    with pytest.raises(SchemaOutOfDate, match="run `brain init`"):
        schema_is_current(db)
    assert migrate(empty_url) == [extra.path.stem]
    schema_is_current(db)
    # A table that a migration makes later stays closed to the search role until it is opened on purpose.
    assert db.one("SELECT has_table_privilege('brain_search', 'brain.extra', 'SELECT')") == (False,)
    db.close()


def test_migration_that_fails_half_way_leaves_nothing(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    extra = with_extra_migration(monkeypatch, tmp_path, "CREATE TABLE brain.half (); SELECT 1/0;")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    assert schema_version(empty_url) == extra.version - 1
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT to_regclass('brain.half')").fetchone() == (None,)


def test_database_of_a_newer_program_is_refused(empty_url: str) -> None:
    migrate(empty_url)
    run(empty_url, b"INSERT INTO brain.schema_migration (version, name) VALUES (9999, 'future')")
    with pytest.raises(SchemaTooNew, match=r"database 9999, program \d+"):
        migrate(empty_url)


def test_schema_brain_of_somebody_else_is_refused(empty_url: str) -> None:
    run(empty_url, b"CREATE SCHEMA brain; CREATE TABLE brain.neurons (id integer)")
    with pytest.raises(SchemaForeign):
        migrate(empty_url)


def test_schema_loaded_by_hand_is_taken_over(empty_url: str) -> None:
    run(empty_url, SCHEMA_FILE.read_bytes())
    assert migrate(empty_url) == ["schema loaded by hand"]
    assert migrate(empty_url) == []


def test_old_pgvector_in_the_database_is_updated(empty_url: str) -> None:
    migrate(empty_url)
    run(empty_url, b"UPDATE pg_extension SET extversion = '0.8.3' WHERE extname = 'vector'")
    db = Database(empty_url)
    with pytest.raises(SchemaOutOfDate, match="pgvector"):
        schema_is_current(db)
    migrate(empty_url)
    assert read_versions(empty_url).needs_vector_update is False
    schema_is_current(db)
    db.close()


@pytest.fixture
def plain_login(server_url: str, empty_url: str) -> Iterator[Callable[[str], str]]:
    """Make a login without superuser rights that owns the empty database; give its URL."""
    login = sql.Identifier(f"login_{uuid4().hex}")
    database = sql.Identifier(str(conninfo_to_dict(empty_url)["dbname"]))

    def make(rights: str) -> str:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN {}; ALTER DATABASE {} OWNER TO {}").format(
                    login, sql.SQL(rights), database, login
                )
            )
        return empty_url.replace("postgres:@", f"{login.as_string().strip(chr(34))}:@")

    yield make
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(login))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO postgres").format(database))
        connection.execute(sql.SQL("DROP ROLE {}").format(login))


@pytest.mark.parametrize(("rights", "has_role"), [("NOCREATEROLE", False), ("CREATEROLE", True)])
def test_login_that_is_no_superuser_gets_the_schema_and_the_search_role_if_it_may_make_one(
    *,
    rights: str,
    has_role: bool,
    plain_login: Callable[[str], str],
    empty_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Roles belong to the server, and this one has brain_search already: look for one of another name.
    role = f"search_{uuid4().hex}"
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA_FILE.read_text().replace("brain_search", role))
    monkeypatch.setattr(migrations, "SCHEMA_FILE", schema)
    run(empty_url, b"CREATE EXTENSION vector")
    url = plain_login(rights)
    assert migrate(url) == ["schema"]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM brain.chunk").fetchone() == (0,)
        found = connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        assert found == (int(has_role),)
        if has_role:
            connection.execute("SELECT set_config('role', %s, true)", (role,))
            assert connection.execute("SELECT count(*) FROM brain.chunk").fetchone() == (0,)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("DELETE FROM brain.chunk")
    if has_role:
        run(empty_url, f"DROP OWNED BY {role}; DROP ROLE {role}".encode())


def test_login_that_may_not_create_the_extension_is_told_what_an_administrator_must_do(
    plain_login: Callable[[str], str],
) -> None:
    with pytest.raises(DatabaseUnsuitable, match="let an administrator run `CREATE EXTENSION vector`"):
        migrate(plain_login("NOCREATEROLE"))


def test_url_that_cannot_be_read_is_refused_without_repeating_its_password() -> None:
    with pytest.raises(BadDatabaseUrl) as caught:
        migrate("mysql+hunter2 = nonsense")
    assert "hunter2" not in str(caught.value)


def test_server_that_is_not_there_is_unavailable_and_its_password_stays_secret() -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        migrate("postgresql://ann:hunter2@127.0.0.1:1/brain")
    assert caught.value.subject == "127.0.0.1/brain"
    assert "hunter2" not in str(caught.value)
