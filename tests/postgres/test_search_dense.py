"""The dense list: which collections are compared whole and which go to the index; both give the nearest."""

from __future__ import annotations

import numpy as np
import pytest

from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import dense as half
from brain_dagster.query import rank_chunks
from brain_dagster.store import dense as store
from brain_dagster.store.dense import QueryVector, index_name
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import narrow
from tests.support.cloud import add_cloud, build_index, clustered, nearest
from tests.support.seed import PointingEmbedder, add_space

ALICE = Principal("alice")
WIDTH = 8


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    return add_space(db, width=WIDTH)


@pytest.fixture
def cloud(db: Database, space: EmbeddingSpace) -> Database:
    """Collections of 20, 299 and 300 vectors, with the identities 1, 2 and 3."""
    for name, size in (("few", 20), ("less", 299), ("many", 300)):
        add_cloud(db, name, clustered(size, width=WIDTH, seed=size), space)
    return db


def question(space: EmbeddingSpace) -> QueryVector:
    return QueryVector(space.id, clustered(1, width=WIDTH, seed=12)[0])


def planned(db: Database, vector: QueryVector) -> half.Plan | str:
    with reading(db) as connection:
        narrow(connection, [1, 2, 3])
        return half.plan(connection, [1, 2, 3], vector, 10)


@pytest.fixture
def from_300_by_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(half, "least_vectors_for_index", lambda *_, **__: 300)


def test_a_collection_goes_to_the_index_from_the_threshold_on(
    cloud: Database, space: EmbeddingSpace, from_300_by_index: None
) -> None:
    build_index(cloud, space)
    assert planned(cloud, question(space)) == half.Plan(by_scan=(1, 2), by_index=(3,))


def test_without_an_index_everything_is_compared(
    cloud: Database, space: EmbeddingSpace, from_300_by_index: None
) -> None:
    assert planned(cloud, question(space)) == half.Plan(by_scan=(1, 2, 3))


def test_an_index_that_is_not_valid_is_not_asked(
    cloud: Database, space: EmbeddingSpace, from_300_by_index: None
) -> None:
    build_index(cloud, space)
    cloud.run(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
        (f"brain.{index_name(space.id)}",),
    )
    assert planned(cloud, question(space)) == half.Plan(by_scan=(1, 2, 3))


def test_vectors_of_another_space_do_not_make_a_collection_large(
    cloud: Database, space: EmbeddingSpace, from_300_by_index: None
) -> None:
    build_index(cloud, space)
    other = add_space(cloud, width=WIDTH, model="next", state="building")
    cloud.run(
        "INSERT INTO brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding)"
        " SELECT chunk_id, %s, width, collection_id, embedding FROM brain.chunk_embedding"
        " WHERE collection_id = 2",
        (other.id,),
    )
    assert planned(cloud, question(space)) == half.Plan(by_scan=(1, 2), by_index=(3,))


def test_a_small_scope_is_compared_exactly(cloud: Database, space: EmbeddingSpace) -> None:
    vector = question(space)
    embedder = PointingEmbedder(space, vector.values.tolist())
    ranked = rank_chunks(cloud, embedder, ALICE, "anything", mode=Mode.DENSE, depth=50)
    assert [chunk.chunk_id for chunk in ranked.chunks] == nearest(cloud, vector, ["few", "less", "many"], 50)
    assert {row.strategy for row in ranked.trace} == {"every vector compared"}


def test_a_scan_of_several_collections_fills_the_list_of_each(cloud: Database, space: EmbeddingSpace) -> None:
    vector = question(space)
    with reading(cloud) as connection:
        narrow(connection, [1, 2, 3])
        found = store.rank_densely_by_scan(connection, [1, 2, 3], vector, 30)
    own = [[c.chunk_id for c in found if c.collection_id == collection] for collection in (1, 2, 3)]
    names = ("few", "less", "many")
    assert own == [nearest(cloud, vector, [name], 30) for name in names]
    assert [len(part) for part in own] == [20, 30, 30]
    assert [c.chunk_id for c in found][:10] == nearest(cloud, vector, names, 10)


def test_the_score_is_the_cosine_whatever_the_length_of_the_vectors(
    db: Database, space: EmbeddingSpace
) -> None:
    directions = np.zeros((3, WIDTH), dtype=np.float32)
    directions[0, 0] = 5.0
    directions[1, :2] = (0.3, 0.4)
    directions[2, 1] = -2.0
    add_cloud(db, "few", directions, space)
    vector = QueryVector(space.id, np.array([7.0, *[0.0] * (WIDTH - 1)], dtype=np.float32))
    with reading(db) as connection:
        narrow(connection, [1])
        found = store.rank_densely_by_scan(connection, [1], vector, 10)
    assert [candidate.score.value for candidate in found] == pytest.approx([1.0, 0.6, 0.0], abs=1e-6)


def test_the_exact_scan_does_not_use_the_index_and_the_other_one_can(
    cloud: Database, space: EmbeddingSpace
) -> None:
    build_index(cloud, space)
    vector = question(space)
    with reading(cloud) as connection:
        narrow(connection, [1, 2, 3])
        # Whichever way the costs of a few hundred rows fall, an index that could be used now is.
        connection.execute("SELECT set_config('enable_sort', 'off', true)")
        before = index_scans(connection, space)
        store.rank_densely_by_scan(connection, [1, 2, 3], vector, 10)
        between = index_scans(connection, space)
        store.rank_densely_by_index(connection, 3, vector, 10)
        after = index_scans(connection, space)
    assert (before, between, after) == (0, 0, 1)


def index_scans(connection: Connection, space: EmbeddingSpace) -> int:
    """How often this transaction has used the vector index, in whatever function."""
    row = connection.execute(
        "SELECT pg_stat_get_xact_numscans(%s::regclass)", (f"brain.{index_name(space.id)}",)
    ).fetchone()
    assert row is not None
    return int(row[0])
