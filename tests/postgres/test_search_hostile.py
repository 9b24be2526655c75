"""Questions that try to be something else, and a transaction that leaves no trace."""

from __future__ import annotations

import psycopg
import pytest

from brain_dagster.errors import Refused
from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import manifest, search
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import SearchTimedOut, reading
from tests.support.seed import Passage, PointingEmbedder, add_collection, add_document, add_source, add_space

ALICE = Principal("alice")
HOSTILE = [
    "'",
    '"; DROP TABLE brain.document; --',
    "') OR 1=1 --",
    "/* */ ; SELECT pg_sleep(10)",
    "%s %(collections)s %%",
    "\\",
    "{space}",
    "$$; DELETE FROM brain.chunk; $$",
    "foo & | ! ( :* <-> std::vector <script>",
    "C++ x AND y",
    "-" * 30_000,
    "( " * 15_000,
    "\U0001f600\u202e\u0000\ud800",
]


@pytest.fixture
def small(db: Database) -> Database:
    """One document that answers to `parcel`."""
    source = add_source(db, "s", add_collection(db, "c", places=("#here",)))
    add_document(db, source, "a.md", [Passage("the parcel", (1.0, 0.0, 0.0, 0.0))], space=add_space(db))
    return db


@pytest.fixture
def space(small: Database) -> EmbeddingSpace:
    """The active space of `small`."""
    from brain_dagster.store.spaces import active_space

    found = active_space(small)
    assert found is not None
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_d5_d6_no_question_breaks_the_query(small: Database, space: EmbeddingSpace, text: str) -> None:
    try:
        search(small, PointingEmbedder(space), ALICE, f"{text} parcel", mode=Mode.HYBRID)
        result = search(small, PointingEmbedder(space), ALICE, text, mode=Mode.HYBRID)
    except Refused as error:
        pytest.fail(f"refused: {error}")
    assert [excerpt.path for excerpt in result.excerpts] == ["a.md"]


@pytest.mark.parametrize("text", HOSTILE)
def test_d6_no_other_field_breaks_it_either(small: Database, text: str) -> None:
    with pytest.raises(Refused):
        search(small, None, ALICE, "parcel", collections=[text], mode=Mode.LEXICAL)
    stranger = Principal(text, (text,))
    assert search(small, None, stranger, "parcel", mode=Mode.LEXICAL).excerpts == ()
    assert search(small, None, ALICE, "parcel", place=text, mode=Mode.LEXICAL).excerpts == ()
    assert manifest(small, stranger, text).collections == ()
    assert search(small, None, ALICE, "parcel", place="#here", mode=Mode.LEXICAL).excerpts


def test_d5_a_question_of_the_longest_size_with_distinct_words_answers(small: Database) -> None:
    words = " ".join(f"w{number:x}" for number in range(5_000))[:31_000]
    result = search(small, None, ALICE, f"parcel {words}", mode=Mode.LEXICAL)
    assert [excerpt.path for excerpt in result.excerpts] == ["a.md"]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM brain.document",
        "UPDATE brain.collection SET owner = 'mallory'",
        "INSERT INTO brain.collection_reader VALUES (1, 'mallory', 'mallory')",
        "CREATE TABLE brain.mine (a integer)",
    ],
)
def test_d6_a_search_cannot_write(small: Database, statement: str) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), reading(small) as connection:
        connection.execute(statement)
    # Not read-only, but the role alone: it has no right to write either.
    with pytest.raises(psycopg.errors.InsufficientPrivilege), small.transaction() as connection:
        connection.execute("SELECT set_config('role', 'brain_search', true)")
        connection.execute(statement)


def test_d6_a_search_runs_as_the_search_role(small: Database) -> None:
    with reading(small) as connection:
        row = connection.execute("SELECT current_user, current_setting('transaction_isolation')").fetchone()
    assert row == ("brain_search", "repeatable read")


def test_c3_the_settings_of_a_search_do_not_outlive_it(db_url: str) -> None:
    names = (
        "role",
        "statement_timeout",
        "plan_cache_mode",
        "jit",
        "transaction_read_only",
        "transaction_isolation",
        "hnsw.ef_search",
        "hnsw.iterative_scan",
        "hnsw.max_scan_tuples",
        "search_path",
    )
    query = "SELECT '[1]'::vector, " + ", ".join(f"current_setting('{name}')" for name in names)
    database = Database(db_url, size=1)
    try:
        before = database.one(query)
        with reading(database, timeout_ms=1_234) as connection:
            from brain_dagster.store.queries import sql

            connection.execute(sql("dense.configure_hnsw"), {"ef_search": "321", "max_scan_tuples": "54321"})
            inside = connection.execute(query).fetchone()
        assert inside is not None
        assert inside[1:] == (
            "brain_search",
            "1234ms",
            "force_custom_plan",
            "off",
            "on",
            "repeatable read",
            "321",
            "strict_order",
            "54321",
            before[10] if before else None,
        )
        assert database.one(query) == before
        with pytest.raises(SearchTimedOut), reading(database, timeout_ms=50) as connection:
            connection.execute("SELECT pg_sleep(5)")
        assert database.one(query) == before
    finally:
        database.close()
