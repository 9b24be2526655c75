"""Gathering: several statements at once see one snapshot, and a failure is never anybody else's."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import sql as compose

from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import dense as dense_half
from brain_dagster.query.embedder import NoVector
from brain_dagster.query.gather import Gathered, gather
from brain_dagster.query.question import read_question
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store import crew, dense, lexical
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading
from tests.support.cloud import add_cloud, build_index, clustered, nearest
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space

ALICE = Principal("alice")
EAST = (1.0, 0.0, 0.0, 0.0)
WIDTH = 8


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a connection may take long on a busy machine; here none does without."""
    monkeypatch.setattr(crew, "PATIENCE_S", 10.0)


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    return add_space(db)


@pytest.fixture
def shop(db: Database, space: EmbeddingSpace) -> Database:
    """Three collections; against EAST the cosines are a1 1, b1 0.8, a2 0.6, b2 0.6, c1 0."""
    for name, passages in {
        "a": [Passage("the apple", EAST), Passage("the pear", (0.6, 0.8, 0.0, 0.0))],
        "b": [Passage("the apple tree", (0.8, 0.6, 0.0, 0.0)), Passage("the plum", (0.6, 0.0, 0.8, 0.0))],
        "c": [Passage("an apple and an apple", (0.0, 0.0, 0.0, 1.0))],
    }.items():
        source = add_source(db, name, add_collection(db, name))
        add_document(db, source, f"{name}.md", passages, space=space)
    return db


def look(
    db: Database,
    vector: QueryVector | NoVector | None,
    text: str = "apple",
    *,
    mode: Mode = Mode.HYBRID,
    depth: int = 10,
    timeout_ms: int = 15_000,
) -> Gathered:
    """Gather over everything that Alice may read."""
    with reading(db, timeout_ms=timeout_ms) as connection:
        scope = resolve_scope(connection, ALICE, None, None)
        return gather(db, connection, scope, read_question(text), vector, mode=mode, depth=depth)


def east(space: EmbeddingSpace) -> QueryVector:
    return QueryVector(space.id, np.array(EAST, dtype=np.float32))


def found_by(gathered: Gathered, half: str) -> list[int]:
    found = gathered.half(half)
    assert found is not None
    return [candidate.chunk_id for candidate in found.candidates]


def named(db_url: str) -> compose.Identifier:
    """The database that a URL points to."""
    return compose.Identifier(db_url.partition("?")[0].rpartition("/")[2])


def chunk_named(db: Database, text: str) -> int:
    row = db.one("SELECT id FROM brain.chunk WHERE text = %s", (text,))
    assert row is not None
    return int(row[0])


def test_a_half_is_one_list_over_the_union_and_each_collections_own(
    shop: Database, space: EmbeddingSpace
) -> None:
    gathered = look(shop, east(space))
    a1, a2, b1, b2, c1 = (
        chunk_named(shop, text)
        for text in ("the apple", "the pear", "the apple tree", "the plum", "an apple and an apple")
    )
    assert found_by(gathered, "dense") == [a1, b1, a2, b2, c1], "a2 and b2 tie, and go by chunk id"
    halves = [gathered.half("dense"), gathered.half("lexical")]
    own = [[[c.chunk_id for c in part] for part in half.by_collection] for half in halves if half]
    assert own == [[[a1, a2], [b1, b2], [c1]], [[a1], [b1], [c1]]]
    assert gathered.missing == ()


def test_the_union_is_cut_to_the_depth_and_so_is_each_collection(
    shop: Database, space: EmbeddingSpace
) -> None:
    gathered = look(shop, east(space), mode=Mode.DENSE, depth=1)
    found = gathered.half("dense")
    assert found is not None
    assert found_by(gathered, "dense") == [chunk_named(shop, "the apple")]
    assert [len(part) for part in found.by_collection] == [1, 1, 1]


def test_the_trace_has_a_row_per_half_and_collection_in_order(shop: Database, space: EmbeddingSpace) -> None:
    rows = look(shop, east(space)).trace
    assert [(row.half, row.collection, row.candidates) for row in rows] == [
        ("dense", "a", 2),
        ("dense", "b", 2),
        ("dense", "c", 1),
        ("lexical", "a", 1),
        ("lexical", "b", 1),
        ("lexical", "c", 1),
    ]
    assert all(row.strategy == "every vector compared" for row in rows[:3])
    assert all(row.ms > 0 for row in rows)


def test_a_tiny_collection_stands_where_its_scores_put_it_beside_a_large_one(db: Database) -> None:
    space = add_space(db, width=WIDTH)
    add_cloud(db, "large", clustered(2_000, width=WIDTH, seed=1), space)
    vector = QueryVector(space.id, clustered(1, width=WIDTH, seed=2)[0])
    (tiny,) = add_cloud(db, "tiny", vector.values[np.newaxis], space)
    gathered = look(db, vector, mode=Mode.DENSE, depth=50)
    assert found_by(gathered, "dense") == nearest(db, vector, ["large", "tiny"], 50)
    assert found_by(gathered, "dense")[0] == tiny


@pytest.fixture
def mixed(db: Database, monkeypatch: pytest.MonkeyPatch) -> tuple[Database, EmbeddingSpace]:
    """Two collections that the index is asked for, and two that are compared whole."""
    monkeypatch.setattr(dense_half, "least_vectors_for_index", lambda *_, **__: 300)
    space = add_space(db, width=WIDTH)
    for number, size in enumerate((500, 40, 400, 5)):
        add_cloud(db, f"c{number}", clustered(size, width=WIDTH, seed=number), space)
    build_index(db, space)
    return db, space


def test_i11_the_answer_does_not_depend_on_which_statement_ends_first(
    mixed: tuple[Database, EmbeddingSpace], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, space = mixed
    shuffle = random.Random(5)

    def delayed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            time.sleep(shuffle.random() / 200)
            return function(*arguments, **keywords)

        return call

    for module, name in (
        (dense, "rank_densely_by_scan"),
        (dense, "rank_densely_by_index"),
        (lexical, "rank_lexically"),
    ):
        monkeypatch.setattr(module, name, delayed(getattr(module, name)))
    vector = QueryVector(space.id, clustered(1, width=WIDTH, seed=9)[0])
    answers = {
        (gathered.lists, tuple((row.half, row.collection, row.strategy) for row in gathered.trace))
        for gathered in (look(db, vector, "c0 c1 c2 c3") for _ in range(100))
    }
    assert len(answers) == 1
    ((_, trace),) = answers
    assert [strategy for half, _, strategy in trace if half == "dense"] == [
        "index",
        "every vector compared",
        "index",
        "every vector compared",
    ]


def test_a_document_committed_meanwhile_is_in_no_half(
    shop: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = add_source(shop, "late", add_collection(shop, "late"))
    plan = dense_half.plan

    def plan_late(*arguments: Any) -> Any:
        add_document(shop, source, "late.md", [Passage("apple", EAST)], space=space)
        return plan(*arguments)

    monkeypatch.setattr(dense_half, "plan", plan_late)
    gathered = look(shop, east(space))
    late = chunk_named(shop, "apple")
    assert late not in found_by(gathered, "dense") + found_by(gathered, "lexical")
    monkeypatch.undo()
    assert found_by(look(shop, east(space)), "dense")[1] == late, "it was there to be found"


@pytest.fixture
def single(db_url: str, shop: Database) -> Iterator[Database]:
    """The shop through a pool of one connection."""
    database = Database(db_url, size=1)
    yield database
    database.close()


def test_a_pool_of_one_gives_the_same_answer(shop: Database, single: Database, space: EmbeddingSpace) -> None:
    assert look(single, east(space)).lists == look(shop, east(space)).lists


def test_searches_that_hold_all_connections_do_not_wait_for_each_other(
    db_url: str, shop: Database, space: EmbeddingSpace
) -> None:
    pair = Database(db_url, size=2)
    all_hold_one = threading.Barrier(2, timeout=10)
    answers: list[Gathered] = []

    def search() -> None:
        with reading(pair) as connection:
            all_hold_one.wait()
            scope = resolve_scope(connection, ALICE, None, None)
            question = read_question("apple")
            for _ in range(20):
                answers.append(
                    gather(pair, connection, scope, question, east(space), mode=Mode.HYBRID, depth=10)
                )

    threads = [threading.Thread(target=search) for _ in range(2)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    pair.close()
    assert len(answers) == 40
    assert time.monotonic() - begun < 10
    assert len({answer.lists for answer in answers}) == 1


def test_connections_go_back_to_the_pool_clean(shop: Database, space: EmbeddingSpace) -> None:
    for _ in range(20):
        look(shop, east(space))
    in_a_transaction = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE state LIKE 'idle in transaction%' AND datname = current_database()"
    )
    give_up = time.monotonic() + 10
    while shop.one(in_a_transaction) != (0,):
        # The pool resets a connection on its own thread, in a transaction of its own.
        assert time.monotonic() < give_up
        time.sleep(0.01)
    for _ in range(4):
        with shop.transaction() as connection:
            row = connection.execute(
                "SELECT current_user = session_user, current_setting('statement_timeout'),"
                " current_setting('transaction_read_only')"
            ).fetchone()
        assert row == (True, "0", "off")


def test_i11_both_halves_down_is_an_empty_answer_with_two_reasons(
    shop: Database, space: EmbeddingSpace
) -> None:
    gathered = look(shop, NoVector("the model does not answer"), "?!")
    assert gathered.lists == ()
    assert gathered.missing == (
        "dense: the model does not answer",
        "lexical: there is no word in the question",
    )


def test_i11_a_half_that_is_blocked_is_named_and_the_other_answers(
    db_url: str, shop: Database, space: EmbeddingSpace
) -> None:
    with psycopg.connect(db_url) as blocker:
        blocker.execute("LOCK TABLE brain.source_term IN ACCESS EXCLUSIVE MODE")
        gathered = look(shop, east(space), timeout_ms=300)
    assert gathered.half("lexical") is None
    assert found_by(gathered, "dense")[0] == chunk_named(shop, "the apple")
    assert [words[:34] for words in gathered.missing] == ["lexical: The search took longer th"]


def test_i11_a_half_for_which_the_server_has_no_room_is_named_and_the_other_answers(
    db_url: str, shop: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spill(connection: Connection, *arguments: Any) -> None:
        connection.execute("SELECT set_config('work_mem', '64kB', true)")
        connection.execute(
            "SELECT count(*) FROM (SELECT n FROM generate_series(1, 50000) n ORDER BY md5(n::text)) s"
        )

    shop.run(compose.SQL("ALTER DATABASE {} SET temp_file_limit = '64kB'").format(named(db_url)))
    monkeypatch.setattr(lexical, "term_statistics", spill)
    fresh = Database(db_url, size=4)
    gathered = look(fresh, east(space))
    fresh.close()
    assert gathered.missing == ("lexical: the database refused this part of the search (53400)",)
    assert found_by(gathered, "dense")[0] == chunk_named(shop, "the apple")


def test_i11_a_collection_whose_vectors_are_damaged_is_named_and_the_others_answer(
    shop: Database, space: EmbeddingSpace
) -> None:
    damaged = chunk_named(shop, "the plum")
    shop.run("ALTER TABLE brain.chunk_embedding DROP CONSTRAINT chunk_embedding_check")
    shop.run("UPDATE brain.chunk_embedding SET embedding = '[1,2]' WHERE chunk_id = %s", (damaged,))
    gathered = look(shop, east(space))
    assert found_by(gathered, "dense") == [
        chunk_named(shop, text) for text in ("the apple", "the pear", "an apple and an apple")
    ]
    assert gathered.missing == ("dense of b: the database refused this part of the search (22000)",)
    assert [(row.collection, row.strategy) for row in gathered.trace if row.half == "dense"] == [
        ("a", "every vector compared"),
        ("b", "failed"),
        ("c", "every vector compared"),
    ]
    assert len(found_by(gathered, "lexical")) == 3


def test_i11_a_collection_whose_index_takes_too_long_is_named_and_the_others_answer(
    mixed: tuple[Database, EmbeddingSpace], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, space = mixed
    by_index = dense.rank_densely_by_index
    slow = db.one("SELECT id FROM brain.collection WHERE name = 'c2'")
    assert slow is not None

    def sometimes_never(connection: Connection, collection: int, *arguments: Any) -> Any:
        if collection == slow[0]:
            connection.execute("SELECT pg_sleep(30)")
        return by_index(connection, collection, *arguments)

    monkeypatch.setattr(dense, "rank_densely_by_index", sometimes_never)
    vector = QueryVector(space.id, clustered(1, width=WIDTH, seed=9)[0])
    gathered = look(db, vector, "c2", timeout_ms=500)
    assert [words[:40] for words in gathered.missing] == ["dense of c2: The search took longer than"]
    assert found_by(gathered, "dense") == nearest(db, vector, ["c0", "c1", "c3"], 10)
    assert len(found_by(gathered, "lexical")) == 10


def test_b7_the_first_query_of_a_fresh_connection_returns_vectors_as_numbers(
    db_url: str, shop: Database
) -> None:
    fresh = Database(db_url, size=1)
    row = fresh.one("SELECT embedding FROM brain.chunk_embedding ORDER BY chunk_id LIMIT 1")
    fresh.close()
    assert row is not None
    values = row[0].to_numpy()
    assert (values.dtype, values.shape) == (np.float32, (4,))
    assert values.tolist() == list(EAST)


def test_b7_the_first_search_of_a_fresh_pool_compares_numbers(
    db_url: str, shop: Database, space: EmbeddingSpace
) -> None:
    fresh = Database(db_url, size=4)
    found = look(fresh, east(space)).half("dense")
    fresh.close()
    assert found is not None
    assert [candidate.score.value for candidate in found.candidates] == pytest.approx([1, 0.8, 0.6, 0.6, 0])
