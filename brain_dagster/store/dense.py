"""Nearest neighbours in the store: every vector compared, or the HNSW index asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg import sql as compose

from brain_dagster.model import Candidate, ScoreKind
from brain_dagster.store.candidates import candidates
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row

# pgvector's default search width, its largest, and how far an iterative scan may walk for a filter.
DEFAULT_EF_SEARCH = 40
LARGEST_EF_SEARCH = 1_000
MAX_SCAN_TUPLES = 100_000


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question in an embedding space. Shape of values: (width,), float32, finite, not zero."""

    space_id: int
    values: NDArray[np.float32]

    @property
    def width(self) -> int:
        """Number of dimensions."""
        return int(self.values.shape[0])


def space_is_active(connection: Connection, vector: QueryVector) -> bool:
    """Whether the store still answers from the space the question was embedded in (B5)."""
    parameters = {"space": vector.space_id, "width": vector.width}
    return bool(one_row(connection, "dense.space_is_active", parameters)[0])


def count_vectors_up_to(
    connection: Connection, collections: Sequence[int], space_id: int, at_most: int
) -> int:
    """Count the vectors in scope, but no further than `at_most`."""
    parameters = {"collections": list(collections), "space": space_id, "at_most": at_most}
    return int(one_row(connection, "dense.count_vectors_up_to", parameters)[0])


def rank_densely_by_scan(
    connection: Connection, collections: Sequence[int], vector: QueryVector, depth: int
) -> list[Candidate]:
    """Compare every vector in scope; nearest first."""
    parameters = {
        "collections": list(collections),
        "space": vector.space_id,
        "question": vector.values,
        "depth": depth,
    }
    return candidates(connection.execute(sql("dense.rank_exactly"), parameters), ScoreKind.COSINE)


def rank_densely_by_index(
    connection: Connection, collections: Sequence[int], vector: QueryVector, depth: int
) -> list[Candidate]:
    """Ask the HNSW index; nearest first. May return fewer than match: the caller counts (C1)."""
    width = min(max(DEFAULT_EF_SEARCH, 2 * depth), LARGEST_EF_SEARCH)
    tuning = {"ef_search": str(width), "max_scan_tuples": str(MAX_SCAN_TUPLES)}
    connection.execute(sql("dense.configure_hnsw"), tuning)
    query = compose.SQL(sql("dense.rank_by_index")).format(
        space=compose.Literal(int(vector.space_id)), width=compose.Literal(vector.width)
    )
    parameters = {"collections": list(collections), "question": vector.values, "depth": depth}
    return candidates(connection.execute(query, parameters), ScoreKind.COSINE)
