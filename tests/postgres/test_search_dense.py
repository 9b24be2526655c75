"""The dense list: exact where the scope is small, by index where it is not, never short without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from psycopg import sql as compose

from brain_dagster.model import Mode, Principal
from brain_dagster.query import gather, rank_chunks
from brain_dagster.store import dense as store
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import reading
from brain_dagster.store.spaces import active_space
from tests.support.seed import PointingEmbedder, add_collection, add_document, add_source, add_space

ALICE = Principal("alice")
WIDTH = 8
ROWS = 3_000
Vector = NDArray[np.float32]


@pytest.fixture
def cloud(db: Database) -> Database:
    """3,000 random vectors: the first 20 in `few`, the others in `many`, under one HNSW index."""
    space = add_space(db, width=WIDTH)
    vectors = np.random.default_rng(11).standard_normal((ROWS, WIDTH)).astype(np.float32)
    for name, size in (("few", 20), ("many", ROWS - 20)):
        source = add_source(db, name, add_collection(db, name))
        add_document(db, source, f"{name}.txt", [name])
        # Copies of the one chunk: three thousand inserts one by one take seconds.
        db.run(
            "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind,"
            " start_line, end_line, text, context, context_kind, context_model, context_prompt_hash,"
            " context_state, tokens, embed_key, terms, bm25)"
            " SELECT document_id, source_id, collection_id, generation, n, kind, n, n, text, context,"
            " context_kind, context_model, context_prompt_hash, context_state, tokens, embed_key, terms, bm25"
            " FROM brain.chunk, generate_series(1, %s) n WHERE source_id = %s",
            (size - 1, source),
        )
    with db.transaction() as connection:
        rows = connection.execute("SELECT id, collection_id FROM brain.chunk ORDER BY id").fetchall()
        with connection.cursor().copy(
            "COPY brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding) FROM STDIN"
        ) as copy:
            for (chunk, collection), vector in zip(rows, vectors, strict=True):
                copy.write_row((chunk, space.id, WIDTH, collection, vector))
        connection.execute(
            compose.SQL(
                "CREATE INDEX chunk_embedding_hnsw_1 ON brain.chunk_embedding"
                " USING hnsw ((embedding::vector({})) vector_cosine_ops) WHERE space_id = {}"
            ).format(compose.Literal(WIDTH), compose.Literal(space.id))
        )
    db.run("ANALYZE brain.chunk_embedding")
    return db


@pytest.fixture
def question() -> Vector:
    """A random direction."""
    return np.random.default_rng(12).standard_normal(WIDTH).astype(np.float32)


def nearest(db: Database, question: Vector, collections: set[str], depth: int) -> list[int]:
    """The oracle: every cosine in numpy."""
    rows = db.all(
        "SELECT e.chunk_id, e.embedding FROM brain.chunk_embedding e"
        " JOIN brain.collection c ON c.id = e.collection_id WHERE c.name = ANY(%s)",
        (sorted(collections),),
    )
    matrix = np.array([row[1].to_numpy() for row in rows], dtype=np.float64)
    cosine = matrix @ question / np.linalg.norm(matrix, axis=1) / np.linalg.norm(question)
    return [int(rows[i][0]) for i in np.argsort(-cosine)[:depth]]


def ask(db: Database, question: Vector, collections: list[str], depth: int) -> tuple[list[int], str]:
    """Return the chunks in rank order and how the list was made."""
    space = active_space(db)
    assert space is not None
    embedder = PointingEmbedder(space, question.tolist())
    ranked = rank_chunks(
        db, embedder, ALICE, "anything", collections=collections, mode=Mode.DENSE, depth=depth
    )
    return [chunk.chunk_id for chunk in ranked.chunks], ranked.trace[0]


def test_a_small_scope_is_compared_exactly(cloud: Database, question: Vector) -> None:
    got, trace = ask(cloud, question, ["few", "many"], 50)
    assert got == nearest(cloud, question, {"few", "many"}, 50)
    assert trace == f"dense: all {ROWS} vectors compared"


def test_c2_a_depth_above_the_search_width_is_still_filled(
    cloud: Database, question: Vector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "EXACT_SCAN_VECTORS", 100)
    for depth in (10, 40, 41, 200, 1_001):
        got, trace = ask(cloud, question, ["many"], depth)
        expected = nearest(cloud, question, {"many"}, depth)
        assert len(got) == depth
        assert len(set(got) & set(expected)) >= 0.9 * depth
        assert trace == "dense: by index"


def test_c1_when_the_index_falls_short_every_vector_is_compared_and_the_trace_says_so(
    cloud: Database, question: Vector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "EXACT_SCAN_VECTORS", 10)
    monkeypatch.setattr(store, "MAX_SCAN_TUPLES", 1)
    monkeypatch.setattr(store, "LARGEST_EF_SEARCH", 10)
    by_index = store.rank_densely_by_index

    def without_choice(connection: Connection, *arguments: Any) -> Any:
        # The planner would rather sort 20 rows than ask the index.
        connection.execute(
            "SELECT set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true)"
        )
        return by_index(connection, *arguments)

    monkeypatch.setattr(store, "rank_densely_by_index", without_choice)
    got, trace = ask(cloud, question, ["few"], 11)
    assert got == nearest(cloud, question, {"few"}, 11)
    assert "so every vector was compared" in trace


def test_the_exact_scan_does_not_use_the_index_and_the_other_one_can(
    cloud: Database, question: Vector
) -> None:
    parameters = {"collections": [1, 2], "space": 1, "question": question, "depth": 10}
    by_index = compose.SQL(sql("dense.rank_by_index")).format(
        space=compose.Literal(1), width=compose.Literal(WIDTH)
    )
    with reading(cloud) as connection:
        # Whichever way the costs of 3,000 rows fall, an index that could be used now is.
        connection.execute("SELECT set_config('enable_sort', 'off', true)")
        exact = connection.execute(
            compose.SQL("EXPLAIN ") + compose.SQL(sql("dense.rank_exactly")), parameters
        ).fetchall()
        indexed = connection.execute(compose.SQL("EXPLAIN ") + by_index, parameters).fetchall()
    assert not any("hnsw" in line for (line,) in exact)
    assert any("chunk_embedding_hnsw_1" in line for (line,) in indexed)


def test_c5_dead_rows_near_the_question_do_not_empty_the_answer(
    cloud: Database, question: Vector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "EXACT_SCAN_VECTORS", 100)
    gone = nearest(cloud, question, {"many"}, 100)
    cloud.run("DELETE FROM brain.chunk WHERE id = ANY(%s)", (gone,))
    got, _ = ask(cloud, question, ["many"], 10)
    assert set(got) == set(nearest(cloud, question, {"many"}, 10))
