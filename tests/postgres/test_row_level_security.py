"""The second line: what a search may read whatever it asks for, and that it writes nothing (I3, D6, C3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import numpy as np
import psycopg
import pytest
from pgvector import SparseVector
from psycopg import sql as compose

from brain_dagster.lexical.bm25 import DIMENSIONS, terms_of
from brain_dagster.store import exact, lexical
from brain_dagster.store.dense import QueryVector, rank_densely_by_scan
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import export_snapshot, join_snapshot, reading
from brain_dagster.store.scope import narrow
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space

# Which collection a row of each table that a search reads belongs to.
READABLE = {
    "collection": "t.id",
    "source": "t.collection_id",
    "document": "t.collection_id",
    "chunk": "t.collection_id",
    "chunk_embedding": "t.collection_id",
    "source_term": "(SELECT s.collection_id FROM brain.source s WHERE s.id = t.source_id)",
    "code_map": "(SELECT s.collection_id FROM brain.source s WHERE s.id = t.source_id)",
    "staged_item": "(SELECT s.collection_id FROM brain.source s WHERE s.id = t.source_id)",
    "embedding_failure": "(SELECT c.collection_id FROM brain.chunk c WHERE c.embed_key = t.key)",
}
# Names of models and no content: of no collection.
OPEN = {"embedding_space"}
# Who may read what, and content that no search reads: no policy, so no row for anybody but the owner.
HIDDEN = {
    "collection_reader",
    "collection_place",
    "sync_run",
    "outcome",
    "staged_chunk",
    "context_cache",
    "embedding_cache",
}
# For analysts, who get the right to read them: only the search role has none.
UNGRANTED = {
    "eval_run",
    "eval_metric",
    "eval_case",
    "eval_history",
    "eval_case_history",
    "index_health",
    "schema_migration",
}
NAMES = ("open", "secret")
VECTOR = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture
def filled(db: Database) -> Database:
    """Two collections of the same shape, `open` and `secret`, each with a row in every table."""
    space = add_space(db)
    for name in NAMES:
        source = add_source(db, name, add_collection(db, name, places=("#all",)))
        add_document(db, source, f"{name}.py", [Passage("shared words", VECTOR, symbol="run")], space=space)
        _stage(db, source, name)
    db.run("UPDATE brain.chunk SET embed_key = sha256(id::text::bytea)")
    db.run(
        "INSERT INTO brain.embedding_failure (space_id, key, reason)"
        " SELECT %s, embed_key, 'nan' FROM brain.chunk",
        (space.id,),
    )
    db.run(
        "INSERT INTO brain.code_map (source_id, document_id, kind, name, line, generation)"
        " SELECT source_id, id, 'route', path, 1, 1 FROM brain.document"
    )
    db.run(
        "INSERT INTO brain.embedding_cache (space_id, key, width, embedding)"
        " SELECT space_id, chunk_id::text::bytea, width, embedding FROM brain.chunk_embedding"
    )
    return db


def _stage(db: Database, source: int, name: str) -> None:
    """Put a file on its way, and record a run."""
    db.run(
        "INSERT INTO brain.staged_item (source_id, path_bytes, path, change, item_kind, token, recipe)"
        " VALUES (%s, 'new', 'new', 'added', 'file', 't', 'r')",
        (source,),
    )
    db.run(
        "INSERT INTO brain.staged_chunk (source_id, path_key, ordinal, kind, symbol, enclosing, headings,"
        " text, tokens) SELECT source_id, path_key, 0, 'lines', '', '{}', '{}', 'on its way', 1"
        " FROM brain.staged_item WHERE source_id = %s",
        (source,),
    )
    db.run(
        "WITH run AS (INSERT INTO brain.sync_run (source_id, generation, run_key, state, revision,"
        " listing_token, listing_is_complete, recipe, listed, finished_at)"
        " VALUES (%s, 1, 'k', 'done', 'r1', 't', true, 'r', 1, now()) RETURNING id)"
        " INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome)"
        " SELECT id, 'new', 'new', 'new', 'indexed' FROM run",
        (source,),
    )
    db.run(
        "INSERT INTO brain.context_cache (key, kind, model, prompt_hash, state, sentence)"
        " VALUES (%s, 'structure', '', '', 'ok', 'a sentence')",
        (name.encode(),),
    )


@contextmanager
def as_search_role(db: Database, *, settings: dict[str, str] | None = None) -> Iterator[Connection]:
    """Open a transaction under the search role that is neither read-only nor narrowed."""
    with db.transaction({"role": "brain_search", **(settings or {})}) as connection:
        yield connection


def collection(db: Database, name: str) -> int:
    row = db.one("SELECT id FROM brain.collection WHERE name = %s", (name,))
    assert row is not None
    return int(row[0])


def rows(connection: Connection, table: str) -> set[str]:
    """Every row of a table that can be seen: a query without any filter."""
    query = compose.SQL("SELECT t.ctid::text FROM {} t").format(compose.Identifier("brain", table))
    return {place for (place,) in connection.execute(query)}


def rows_of(db: Database, table: str, name: str) -> set[str]:
    """The rows of a table that belong to a collection, as the owner sees them."""
    query = compose.SQL("SELECT t.ctid::text FROM {} t WHERE {} = %s").format(
        compose.Identifier("brain", table),
        compose.SQL(READABLE[table]),
    )
    with db.transaction() as connection:
        return {place for (place,) in connection.execute(query, (collection(db, name),))}


@pytest.mark.parametrize("names", [["open"], ["secret"], ["open", "secret"]], ids="+".join)
def test_i3_query_without_a_filter_sees_the_named_collections_only(
    filled: Database, names: list[str]
) -> None:
    for table in READABLE:
        expected: set[str] = set().union(*(rows_of(filled, table, name) for name in names))
        assert len(expected) >= len(names), f"the fixture has no row of {names} in {table}"
        with reading(filled) as connection:
            narrow(connection, [collection(filled, name) for name in names])
            assert rows(connection, table) == expected, table


NOTHING_NAMED = [None, "", " ", "{}", ",", "1,", "NULL", "-1", "0", "1;2", "1 OR true", "all", "{1,2}", "*"]


def test_i3_without_a_named_collection_there_is_no_row(filled: Database) -> None:
    """Nor where what was written down names none in the one way that counts."""
    for setting in NOTHING_NAMED:
        settings = None if setting is None else {"brain.collections": setting}
        with as_search_role(filled, settings=settings) as connection:
            found = {table for table in READABLE if rows(connection, table)}
        assert found == set(), setting


def test_i3_naming_no_collection_leaves_none(filled: Database) -> None:
    with reading(filled) as connection:
        narrow(connection, [collection(filled, "open")])
        narrow(connection, [])
        assert {table: rows(connection, table) for table in READABLE} == {table: set() for table in READABLE}


def test_i3_tables_that_no_search_reads_are_closed(filled: Database) -> None:
    with as_search_role(filled) as connection:
        for table in sorted(HIDDEN | UNGRANTED):
            query = compose.SQL("SELECT FROM {}").format(compose.Identifier("brain", table))
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(query)


def test_i3_access_and_content_on_its_way_stay_hidden_even_if_somebody_grants_them(filled: Database) -> None:
    with filled.transaction() as connection:
        empty = [table for table in sorted(HIDDEN) if not rows(connection, table)]
        assert empty == [], "the fixture has no row there"
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA brain TO brain_search")
        narrow(connection, [collection(filled, name) for name in NAMES])
        connection.execute("SELECT set_config('role', 'brain_search', true)")
        assert {table: rows(connection, table) for table in HIDDEN} == {table: set() for table in HIDDEN}


def test_every_table_is_decided_upon(db: Database) -> None:
    """A table that is new is closed; whoever opens it says here how its rows belong to a collection."""
    relations = db.all(
        "SELECT relname, relrowsecurity, has_table_privilege('brain_search', oid, 'SELECT')"
        " FROM pg_class WHERE relnamespace = 'brain'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f')"
    )
    assert {name for name, _, may_read in relations if may_read} == set(READABLE) | OPEN
    assert {name for name, is_guarded, _ in relations if is_guarded} == set(READABLE) | HIDDEN
    assert {name for name, _, _ in relations} == set(READABLE) | OPEN | HIDDEN | UNGRANTED


WRITES = {
    "INSERT": "INSERT INTO {} DEFAULT VALUES",
    "UPDATE": "UPDATE {} SET {} = DEFAULT",
    "DELETE": "DELETE FROM {}",
    "TRUNCATE": "TRUNCATE {} CASCADE",
}


@pytest.mark.parametrize("verb", WRITES)
def test_d6_search_role_writes_no_table(filled: Database, verb: str) -> None:
    tables = filled.all(
        "SELECT c.relname, min(a.attname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'brain'::regnamespace AND c.relkind = 'r' AND a.attnum > 0"
        " AND a.attidentity = '' AND a.attgenerated = '' GROUP BY c.relname"
    )
    assert len(tables) == len(set(READABLE) | OPEN | HIDDEN | UNGRANTED) - 2, "all but the two views"
    with as_search_role(filled) as connection:
        narrow(connection, [collection(filled, name) for name in NAMES])
        for table, column in tables:
            name = compose.Identifier("brain", table)
            statement = compose.SQL(WRITES[verb]).format(name, compose.Identifier(column))
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement)


CHANGES = [
    "CREATE TABLE brain.mine (a integer)",
    "CREATE TABLE public.mine (a integer)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION brain.mine() RETURNS integer LANGUAGE sql RETURN 1",
    "ALTER TABLE brain.chunk DISABLE ROW LEVEL SECURITY",
    "DROP POLICY searched ON brain.chunk",
    "CREATE POLICY all_of_it ON brain.chunk USING (true)",
    "CALL brain.admit_search_role()",
    "SELECT nextval('brain.chunk_id_seq')",
    "SELECT * FROM brain.chunk FOR UPDATE",
]


def test_d6_search_role_makes_and_changes_nothing(filled: Database) -> None:
    with as_search_role(filled) as connection:
        for statement in CHANGES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement.encode())


def test_d6_transaction_of_a_search_cannot_become_one_that_writes(filled: Database) -> None:
    with pytest.raises(psycopg.errors.ActiveSqlTransaction), reading(filled) as connection:
        connection.execute("SET TRANSACTION READ WRITE")


def test_c3_next_borrower_of_the_connection_inherits_nothing(db_url: str, filled: Database) -> None:
    database = Database(db_url, size=1)
    try:
        with reading(database) as connection:
            narrow(connection, [collection(filled, "open")])
            assert rows(connection, "chunk")
        with reading(database) as connection:
            assert rows(connection, "chunk") == set()
        with pytest.raises(psycopg.errors.DivisionByZero), reading(database) as connection:
            narrow(connection, [collection(filled, "secret")])
            connection.execute("SELECT 1/0")
        with reading(database) as connection:
            assert rows(connection, "chunk") == set()
    finally:
        database.close()


def test_i3_savepoint_that_fails_takes_its_narrowing_back(filled: Database) -> None:
    with reading(filled) as connection:
        narrow(connection, [collection(filled, "open")])
        with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction():
            narrow(connection, [collection(filled, "open"), collection(filled, "secret")])
            connection.execute("SELECT 1/0")
        assert rows(connection, "chunk") == rows_of(filled, "chunk", "open")


def test_i3_second_connection_of_a_search_sees_nothing_before_it_is_narrowed_too(filled: Database) -> None:
    with reading(filled) as first, filled.transaction() as second:
        narrow(first, [collection(filled, "open"), collection(filled, "secret")])
        join_snapshot(second, export_snapshot(first))
        assert rows(second, "chunk") == set()
        narrow(second, [collection(filled, "open")])
        assert rows(second, "chunk") == rows_of(filled, "chunk", "open")


# What runs with the owner's rights ------------------------------------------------------------------


def weighed(question: str) -> SparseVector:
    return SparseVector(dict.fromkeys(terms_of(question), 1.0), DIMENSIONS)


def test_i3_queries_that_forget_their_filter_find_the_named_collection_only(filled: Database) -> None:
    """Every collection is asked for, one is named: also what is found by the owner's rights is held to it."""
    every = [collection(filled, name) for name in NAMES]
    only = collection(filled, "open")
    terms = sorted(set(terms_of("shared")))
    declares = sorted(set(terms_of("run")))
    words = weighed("shared words")
    with reading(filled) as connection:
        narrow(connection, [only])
        space = connection.execute("SELECT id FROM brain.embedding_space").fetchone()
        assert space is not None
        found = {
            "lexical": lexical.rank_lexically(
                connection,
                every,
                gate=lexical.Gate(tuple(terms)),
                question=words,
                document_question=words,
                depth=10,
            ),
            "dense": rank_densely_by_scan(
                connection, every, QueryVector(space[0], np.array(VECTOR, dtype=np.float32)), 10
            ),
            "declared": [
                place.candidate
                for place in exact.find_declared(connection, every, terms=declares, pattern="run", rows=10)
            ],
            "holding": [
                place.candidate for place in exact.find_holding(connection, every, terms=terms, rows=10)
            ],
            "path": exact.find_at_path(connection, every, path="secret.py", rows=10)
            + exact.find_at_path(connection, every, path="open.py", rows=10),
        }
    assert {half: [each.collection_id for each in places] for half, places in found.items()} == {
        half: [only] for half in found
    }


@pytest.mark.parametrize(
    "call",
    [
        "SELECT chunk_id FROM brain.rank_words(%(every)s, %(words)s, %(weighed)s, 10)",
        "SELECT * FROM brain.find_declared(%(every)s, %(declares)s, 'run', 10)",
        "SELECT * FROM brain.find_holding(%(every)s, %(words)s, 10)",
        "SELECT chunk_id FROM brain.embedding_space s,"
        " brain.rank_vectors(%(every)s, s.id, %(vector)s::vector, 10)",
    ],
)
def test_i3_functions_with_the_owners_rights_return_no_number_of_other_collections(
    filled: Database, call: LiteralString
) -> None:
    """Asked directly, without a query around them whose tables have policies of their own."""
    ids = {name: collection(filled, name) for name in NAMES}
    chunks = dict(filled.all("SELECT id, collection_id FROM brain.chunk"))
    parameters = {
        "every": list(ids.values()),
        "words": sorted(set(terms_of("shared"))),
        "declares": sorted(set(terms_of("run"))),
        "weighed": weighed("shared words"),
        "vector": np.array(VECTOR, dtype=np.float32),
    }
    for names in (["open"], ["secret"], ["open", "secret"], []):
        with reading(filled) as connection:
            narrow(connection, [ids[name] for name in names])
            found = [chunks[row[0]] for row in connection.execute(call, parameters)]
        assert sorted(found) == sorted(ids[name] for name in names)


def test_i3_places_of_other_collections_are_not_counted(filled: Database) -> None:
    """`brain why` counts what is better: a number would tell of what may not be read."""
    every = [collection(filled, name) for name in NAMES]
    terms = sorted(set(terms_of("shared")))
    for names, better in ((["open"], 1), (["open", "secret"], 2), ([], 0)):
        with reading(filled) as connection:
            narrow(connection, [collection(filled, name) for name in names])
            counted = connection.execute(
                "SELECT brain.count_better_by_words(%s, %s, %s, 1e9, 0)",
                (every, terms, weighed("shared words")),
            ).fetchone()
        assert counted == (better,)


def test_functions_with_the_owners_rights_are_for_the_search_role_and_fix_their_path(db: Database) -> None:
    found = db.all(
        "SELECT p.proname, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE'),"
        " has_function_privilege('brain_search', p.oid, 'EXECUTE')"
        " FROM pg_proc p WHERE p.pronamespace = 'brain'::regnamespace AND p.prosecdef ORDER BY p.proname"
    )
    path = "search_path=pg_catalog, public, pg_temp"
    assert found == [
        (name, [path], False, True)
        for name in (
            "count_better_by_words",
            "find_declared",
            "find_holding",
            "rank_vectors",
            "rank_words",
            "readable_collections",
        )
    ]


def test_d5_terms_are_found_by_their_index_under_the_policies(filled: Database) -> None:
    """Without the functions every chunk of the collections would be read: 20,000 of them here."""
    filled.run(
        "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind,"
        " start_line, end_line, text, context, context_kind, context_model, context_prompt_hash,"
        " context_state, tokens, embed_key, terms, bm25)"
        " SELECT document_id, source_id, collection_id, 1, n, kind, n, n, text, '', 'structure', '', '',"
        " 'ok', 10, '', ARRAY[-n, -n - 1], bm25"
        " FROM brain.chunk, generate_series(1, 20000) n WHERE collection_id = %s",
        (collection(filled, "open"),),
    )
    filled.run("ANALYZE brain.chunk")
    scope = [collection(filled, "open")]
    terms = sorted(set(terms_of("shared")))
    words = weighed("shared")
    with reading(filled) as connection:
        narrow(connection, scope)
        before = scans(connection)
        found = lexical.rank_lexically(
            connection,
            scope,
            gate=lexical.Gate(tuple(terms)),
            question=words,
            document_question=words,
            depth=10,
        )
        held = exact.find_holding(connection, scope, terms=terms, rows=10)
        declared = exact.find_declared(connection, scope, terms=terms, pattern="run", rows=10)
        after = scans(connection)
    assert (len(found), len(held), len(declared)) == (1, 1, 1)
    assert (after[0] - before[0], after[1] - before[1]) == (3, 0)


def scans(connection: Connection) -> tuple[int, int]:
    """How often this transaction used the index over terms, and how often it read all chunks."""
    row = connection.execute(
        "SELECT pg_stat_get_xact_numscans('brain.chunk_by_term'::regclass),"
        " pg_stat_get_xact_numscans('brain.chunk'::regclass)"
        " + pg_stat_get_xact_numscans('brain.chunk_by_collection'::regclass)"
    ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])
