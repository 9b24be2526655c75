"""The embedding cache: what still has to be embedded, and vectors on their way in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain_dagster.model import EmbeddingSpace, Source
from brain_dagster.store.clean import clean_text
from brain_dagster.store.cursors import stream
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql


@dataclass(frozen=True, slots=True)
class MissingVectors:
    """How much the cache lacks: different texts to embed, and staged chunks it already covers."""

    texts: int
    cached_chunks: int


@dataclass(frozen=True, slots=True)
class MissingText:
    """A text that neither the cache nor the list of failures covers; key is its sha256."""

    key: bytes
    text: str


def forget_failures(db: Database, source: Source, space: EmbeddingSpace) -> None:
    """Let a new run try again what the model could not embed last time."""
    db.run(sql("staging.forget_failures"), {"source_id": source.id, "space_id": space.id})


def count_missing(db: Database, source: Source, space: EmbeddingSpace) -> MissingVectors:
    """Return how much of the staged delta still has to be embedded."""
    row = db.one(sql("staging.count_without_vector"), {"source_id": source.id, "space_id": space.id})
    assert row is not None, "an aggregate promises one row"
    return MissingVectors(int(row[0]), int(row[1]))


def missing_texts(
    db: Database, source: Source, space: EmbeddingSpace, batch: int
) -> Iterator[list[MissingText]]:
    """Yield the texts to embed in lists of up to `batch`, short ones first."""
    parameters = {"source_id": source.id, "space_id": space.id}
    for rows in stream(db, sql("staging.get_without_vector"), parameters, batch):
        yield [MissingText(key, text) for key, text in rows]


def store_vectors(
    db: Database, space: EmbeddingSpace, keys: Sequence[bytes], vectors: NDArray[np.float32]
) -> None:
    """Put a batch of checked vectors into the cache; durable when this returns. Shape (len(keys), width)."""
    with db.transaction() as connection:
        connection.execute(sql("staging.create_incoming_vector"))
        with connection.cursor() as cursor, cursor.copy(sql("staging.copy_vectors")) as copy:
            copy.set_types(["bytea", "vector"])
            for key, vector in zip(keys, vectors, strict=True):
                copy.write_row((key, vector))
        connection.execute(sql("staging.insert_vectors"), {"space_id": space.id, "width": space.width})


def store_failure(db: Database, space: EmbeddingSpace, key: bytes, reason: str) -> None:
    """Record a text the model could not turn into a usable vector (B3)."""
    db.run(sql("staging.insert_failure"), {"space_id": space.id, "key": key, "reason": clean_text(reason)})
