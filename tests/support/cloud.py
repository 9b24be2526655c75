"""Many vectors at once: collections of chunks that differ in nothing but where they point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from psycopg import sql as compose

from brain_dagster.model import EmbeddingSpace
from brain_dagster.store.dense import QueryVector, index_name
from brain_dagster.store.pool import Connection, Database
from tests.support.seed import add_collection, add_document, add_source

Vectors = NDArray[np.float32]


def add_cloud(db: Database, name: str, vectors: Vectors, space: EmbeddingSpace) -> list[int]:
    """Make a collection with one document of as many chunks as there are vectors; returns their ids.

    Each chunk holds one word, its collection's name.
    """
    source = add_source(db, name, add_collection(db, name))
    document = add_document(db, source, f"{name}.txt", [name])
    with db.transaction() as connection:
        # Copies of the one chunk: thousands of inserts one by one take seconds.
        connection.execute(
            "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind,"
            " start_line, end_line, text, context, context_kind, context_model, context_prompt_hash,"
            " context_state, tokens, embed_key, terms, bm25)"
            " SELECT document_id, source_id, collection_id, generation, n, kind, n, n, text, context,"
            " context_kind, context_model, context_prompt_hash, context_state, tokens, embed_key, terms, bm25"
            " FROM brain.chunk, generate_series(1, %s) n WHERE document_id = %s",
            (len(vectors) - 1, document),
        )
        connection.execute(
            "UPDATE brain.document SET chunk_count = %s WHERE id = %s", (len(vectors), document)
        )
        connection.execute(
            "UPDATE brain.source_term SET chunks = %s WHERE source_id = %s", (len(vectors), source)
        )
        rows = connection.execute(
            "SELECT id FROM brain.chunk WHERE document_id = %s ORDER BY id", (document,)
        ).fetchall()
        chunks = [int(chunk) for (chunk,) in rows]
        put_vectors(connection, chunks, vectors, space)
    return chunks


def put_vectors(
    connection: Connection, chunks: Sequence[int], vectors: Vectors, space: EmbeddingSpace
) -> None:
    """Give chunks without a vector their vectors."""
    rows = connection.execute(
        "SELECT c.collection_id FROM unnest(%s::bigint[]) WITH ORDINALITY AS o (id, n)"
        " JOIN brain.chunk c ON c.id = o.id ORDER BY o.n",
        (list(chunks),),
    ).fetchall()
    with connection.cursor().copy(
        "COPY brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding) FROM STDIN"
    ) as copy:
        for chunk, (collection,), vector in zip(chunks, rows, vectors, strict=True):
            copy.write_row((chunk, space.id, space.width, collection, vector))


def build_index(db: Database, space: EmbeddingSpace) -> None:
    """Build the HNSW index of a space, and give the planner its statistics."""
    with db.transaction() as connection:
        connection.execute(
            compose.SQL(
                "CREATE INDEX {} ON brain.chunk_embedding"
                " USING hnsw ((embedding::vector({})) vector_cosine_ops) WHERE space_id = {}"
            ).format(
                compose.Identifier(index_name(space.id)),
                compose.Literal(space.width),
                compose.Literal(space.id),
            )
        )
        connection.execute("ANALYZE brain.chunk_embedding, brain.chunk, brain.document")


def clustered(count: int, *, width: int, seed: int, clusters: int = 40) -> Vectors:
    """Draw vectors of length 1 around common centres, as embeddings lie. Shape (count, width)."""
    centres = np.random.default_rng(0).standard_normal((clusters, width))
    random = np.random.default_rng(seed)
    drawn = centres[random.integers(0, clusters, size=count)] + 0.5 * random.standard_normal((count, width))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def nearest(db: Database, vector: QueryVector, collections: Sequence[str], depth: int) -> list[int]:
    """The oracle: every cosine in numpy, nearest first, ties by chunk id."""
    rows = db.all(
        "SELECT e.chunk_id, e.embedding FROM brain.chunk_embedding e"
        " JOIN brain.collection c ON c.id = e.collection_id WHERE c.name = ANY(%s) ORDER BY e.chunk_id",
        (list(collections),),
    )
    matrix = np.array([row[1].to_numpy() for row in rows], dtype=np.float64)
    cosine = matrix @ vector.values / np.linalg.norm(matrix, axis=1) / np.linalg.norm(vector.values)
    return [int(rows[i][0]) for i in np.argsort(-cosine, kind="stable")[:depth]]
