"""The HNSW index of a space: built, repaired, vacuumed, and measured against the exact answer (C4, C5)."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest

from brain_dagster.model import EmbeddingSpace
from brain_dagster.store import vector_index
from brain_dagster.store.pool import Connection, Database
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space

COUNT = 400


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    """A space with vectors in every direction of four dimensions."""
    made = add_space(db)
    source = add_source(db, "wiki", add_collection(db, "wiki"))
    random = np.random.default_rng(7)
    passages = [
        Passage(f"passage {number}", vector=tuple(float(x) for x in random.normal(size=4)))
        for number in range(COUNT)
    ]
    add_document(db, source, "page.md", passages, space=made)
    return made


def index_is_valid(db: Database, space: EmbeddingSpace) -> bool | None:
    row = db.one(
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = %s",
        (vector_index.index_name(space),),
    )
    return None if row is None else bool(row[0])


def test_first_refresh_builds_the_index_and_finds_it_as_good_as_an_exact_scan(
    db: Database, space: EmbeddingSpace
) -> None:
    health = vector_index.refresh(db, space)
    assert (health.was_built, health.is_valid, health.vectors) == (True, True, COUNT)
    assert health.recall == 1.0
    assert health.fill_rate == 1.0
    again = vector_index.refresh(db, space)
    assert not again.was_built


def test_index_that_an_interrupted_build_left_invalid_is_built_again(
    db: Database, space: EmbeddingSpace
) -> None:
    vector_index.refresh(db, space)
    db.run(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
        (f"brain.{vector_index.index_name(space)}",),
    )
    health = vector_index.refresh(db, space)
    assert health.was_built and health.is_valid
    assert index_is_valid(db, space) is True


def test_c4_build_without_shared_memory_for_workers_is_done_serially(
    db: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, workers = vector_index._create, []

    def no_room_at_first(connection: Connection, space: EmbeddingSpace) -> None:
        row = connection.execute("SHOW max_parallel_maintenance_workers").fetchone()
        assert row is not None
        workers.append(row[0])
        if len(workers) == 1:
            raise psycopg.errors.DiskFull('could not resize shared memory segment "/PostgreSQL.1"')
        create(connection, space)

    monkeypatch.setattr(vector_index, "_create", no_room_at_first)
    assert vector_index.refresh(db, space).is_valid
    assert workers[1] == "0"


def test_c5_dead_rows_are_vacuumed_away(db: Database, space: EmbeddingSpace) -> None:
    vector_index.refresh(db, space)
    db.run("DELETE FROM brain.chunk_embedding WHERE chunk_id %% 2 = 0", ())
    with db.transaction() as connection:
        connection.execute("SELECT pg_stat_force_next_flush()")
    health = vector_index.refresh(db, space)
    assert health.dead_share <= vector_index.MAX_DEAD_SHARE
    assert health.fill_rate == 1.0
    assert health.recall == 1.0


def test_watermark_says_whether_the_index_is_behind(db: Database, space: EmbeddingSpace) -> None:
    assert not vector_index.is_behind(db), "nothing was published by a run yet"
    db.run(
        "INSERT INTO brain.sync_run (source_id, generation, run_key, state, revision, listing_token,"
        " listing_is_complete, recipe, listed, counts, finished_at)"
        " SELECT id, 1, 'r', 'done', 'v', 't', true, 'x', 1, '{\"indexed\": 1}', now() FROM brain.source"
    )
    assert vector_index.is_behind(db)
    vector_index.refresh(db, space)
    assert not vector_index.is_behind(db)
