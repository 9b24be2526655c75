"""The HNSW index of a space: made after the first load, kept valid, measured against the exact answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
import psycopg
from psycopg import sql as compose

from brain_dagster.model import EmbeddingSpace
from brain_dagster.progress import reporter
from brain_dagster.store import dense
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql

# Above this share of dead rows a nearest-neighbour scan starts to come back short (C5).
MAX_DEAD_SHARE = 0.2
_SAMPLE = 20
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """What was found and measured.

    recall     share of the exact ten nearest that the index returns, over a sample; None without vectors
    fill_rate  share of asked rows that the index returned at all; 1.0 is the only good value
    """

    is_valid: bool
    was_built: bool
    vectors: int
    dead_share: float
    recall: float | None
    fill_rate: float | None


def index_name(space: EmbeddingSpace) -> str:
    """The index of one space; `store.dense` asks for the same expression."""
    return dense.index_name(space.id)


def is_behind(db: Database) -> bool:
    """Whether something was published since the index was last looked after."""
    row = db.one(sql("vector_index.get_watermark"))
    assert row is not None, "an aggregate promises one row"
    return bool(row[0] > row[1])


def refresh(db: Database, space: EmbeddingSpace) -> IndexHealth:
    """Make sure the index exists and is valid, vacuum where dead rows pile up, measure, and record it.

    Idempotent; builds CONCURRENTLY, so searches and syncs go on meanwhile.
    """
    connection = db.direct()
    try:
        vectors, exists, is_valid, dead_share, reflects = _state(connection, space)
        if dead_share > MAX_DEAD_SHARE:
            connection.execute("VACUUM (ANALYZE) brain.chunk_embedding")
        elif not exists:
            connection.execute("ANALYZE brain.chunk, brain.chunk_embedding, brain.document")
        must_build = not (exists and is_valid)
        if must_build:
            _build(connection, space, vectors)
        vectors, _, is_valid, dead_share, _ = _state(connection, space)
        recall, fill_rate = _measure(connection, space, vectors) if vectors else (None, None)
        health = IndexHealth(is_valid, must_build, vectors, dead_share, recall, fill_rate)
        _record(connection, space, health, reflects)
        return health
    finally:
        connection.close()


def _state(connection: Connection, space: EmbeddingSpace) -> tuple[int, bool, bool, float, int]:
    row = connection.execute(
        sql("vector_index.get_state"), {"space_id": space.id, "index_name": index_name(space)}
    ).fetchone()
    assert row is not None, "an aggregate promises one row"
    return int(row[0]), bool(row[1]), bool(row[2]), float(row[3]), int(row[4])


def _build(connection: Connection, space: EmbeddingSpace, vectors: int) -> None:
    """Build the index with memory for its graph; serially where workers get no shared memory (C4)."""
    report = reporter()
    report.begin("vector index", "build", vectors)
    megabytes = max(64, min(1024, psutil.virtual_memory().available // 8 // 2**20))
    connection.execute("SELECT set_config('maintenance_work_mem', %s, false)", (f"{megabytes}MB",))
    try:
        _create(connection, space)
    except psycopg.errors.DiskFull:
        # "could not resize shared memory segment": typical in containers with a small /dev/shm.
        connection.execute("SELECT set_config('max_parallel_maintenance_workers', '0', false)")
        _create(connection, space)
    report.end("vector index", "build", f"{vectors} vectors")


def _create(connection: Connection, space: EmbeddingSpace) -> None:
    name = compose.Identifier("brain", index_name(space))
    # An invalid index is what an interrupted CONCURRENTLY build leaves behind.
    connection.execute(compose.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(name))
    connection.execute(
        compose.SQL(
            "CREATE INDEX CONCURRENTLY {} ON brain.chunk_embedding"
            " USING hnsw ((embedding::vector({})) vector_cosine_ops) WHERE space_id = {}"
        ).format(
            compose.Identifier(index_name(space)),
            compose.Literal(space.width),
            compose.Literal(space.id),
        )
    )


def _measure(
    connection: Connection, space: EmbeddingSpace, vectors: int
) -> tuple[float | None, float | None]:
    """Ask the index and an exact scan the same questions; the exact scan is the oracle."""
    share = min(100.0, 100.0 * 10 * _SAMPLE / vectors)
    sample = connection.execute(
        sql("vector_index.sample_vectors"), {"space_id": space.id, "share": share, "limit": _SAMPLE}
    ).fetchall()
    found = asked = returned = 0
    for _, vector in sample:
        exact = _nearest(connection, space, vector, use_index=False)
        by_index = _nearest(connection, space, vector, use_index=True)
        found += len(set(exact) & set(by_index))
        asked += len(exact)
        returned += len(by_index)
    return (found / asked, returned / asked) if asked else (None, None)


def _nearest(
    connection: Connection, space: EmbeddingSpace, vector: np.ndarray[Any, Any], *, use_index: bool
) -> list[int]:
    settings = (
        {"enable_seqscan": "off", "hnsw.iterative_scan": "strict_order", "hnsw.ef_search": "100"}
        if use_index
        else {"enable_indexscan": "off", "enable_bitmapscan": "off"}
    )
    query = compose.SQL(
        "SELECT chunk_id FROM brain.chunk_embedding WHERE space_id = {}"
        " ORDER BY embedding::vector({}) <=> %s LIMIT {}"
    ).format(compose.Literal(space.id), compose.Literal(space.width), compose.Literal(_DEPTH))
    with connection.transaction():
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, true)", (name, value))
        return [row[0] for row in connection.execute(query, (vector,))]


def _record(connection: Connection, space: EmbeddingSpace, health: IndexHealth, reflects: int) -> None:
    connection.execute(
        sql("vector_index.insert_health"),
        {
            "space_id": space.id,
            "reflects_run": reflects,
            "is_valid": health.is_valid,
            "vectors": health.vectors,
            "dead_share": health.dead_share,
            "recall": health.recall,
            "fill_rate": health.fill_rate,
        },
    )
