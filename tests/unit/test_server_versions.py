"""Which servers can hold Brain's tables, and what Dagster's storage URL looks like."""

from __future__ import annotations

import pytest

from brain_dagster.errors import DatabaseUnsuitable
from brain_dagster.settings import Settings
from brain_dagster.store import server
from brain_dagster.store.server import ServerVersions, check_versions, open_database, storage_url


@pytest.mark.parametrize(
    ("versions", "words"),
    [
        (ServerVersions(140_012, "0.8.5", None), "this server is PostgreSQL 14; Brain needs PostgreSQL 15"),
        (
            ServerVersions(160_004, None, None),
            "not installed on this server; install pgvector 0.8.4 or newer",
        ),
        (ServerVersions(160_004, None, None), "package postgresql-16-pgvector"),
        (ServerVersions(160_004, "0.8.3", None), "pgvector 0.8.3; Brain needs 0.8.4 or newer"),
        (ServerVersions(160_004, "0.8.3", "0.8.3"), "install it for PostgreSQL 16, then run `brain init`"),
        (ServerVersions(160_004, "0.7", None), "pgvector 0.7; Brain needs"),
    ],
)
def test_c5_unsuitable_server_is_refused_with_what_to_install(versions: ServerVersions, words: str) -> None:
    with pytest.raises(DatabaseUnsuitable) as caught:
        check_versions(versions)
    assert words in caught.value.message


@pytest.mark.parametrize("available", ["0.8.4", "0.8.10", "0.9", "0.9.0-beta", "1.0.0"])
def test_suitable_server_is_accepted(available: str) -> None:
    check_versions(ServerVersions(150_000, available, None))


@pytest.mark.parametrize(
    ("installed", "is_due"), [(None, False), ("0.8.3", True), ("0.8.4", False), ("0.8.5", False)]
)
def test_older_pgvector_in_the_database_asks_for_an_update(installed: str | None, is_due: bool) -> None:
    assert ServerVersions(160_000, "0.8.5", installed).needs_vector_update is is_due


def test_opening_asks_the_server_before_anything_is_done_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "read_versions", lambda url: ServerVersions(160_004, "0.8.0", None))
    with pytest.raises(DatabaseUnsuitable, match=r"0\.8\.0"):
        open_database(Settings(database_url="postgresql://nowhere/brain"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "postgresql://ann:s%40cret@db.example:6432/brain?sslmode=require",
            "postgresql+psycopg2://ann:s%40cret@db.example:6432/brain"
            "?options=-csearch_path%3Ddagster&sslmode=require",
        ),
        (
            "postgresql://postgres@:5432/postgres?host=/srv/a%20b/pg",
            "postgresql+psycopg2://postgres@/postgres"
            "?host=%2Fsrv%2Fa+b%2Fpg&options=-csearch_path%3Ddagster&port=5432",
        ),
        (
            "postgresql://ann@db/brain?options=-cstatement_timeout%3D5s",
            "postgresql+psycopg2://ann@db:5432/brain"
            "?options=-cstatement_timeout%3D5s+-csearch_path%3Ddagster",
        ),
        (
            "host=db dbname=brain user=ann",
            "postgresql+psycopg2://ann@db:5432/brain?options=-csearch_path%3Ddagster",
        ),
    ],
)
def test_dagster_storage_is_the_same_server_with_its_own_schema(given: str, expected: str) -> None:
    assert storage_url(given) == expected
