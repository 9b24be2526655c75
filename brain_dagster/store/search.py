"""What a search reads: every statement of it runs in one read-only transaction under the search role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import SparseVector
from psycopg import sql as compose

from brain_dagster.errors import DatabaseUnavailable, SchemaOutOfDate, Transient
from brain_dagster.model import Candidate, Excerpt, Mode, Principal, Score, ScoreKind
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql

TIMEOUT_MS = 15_000
# pgvector's default search width, its largest, and how far an iterative scan may walk for a filter.
DEFAULT_EF_SEARCH = 40
LARGEST_EF_SEARCH = 1_000
MAX_SCAN_TUPLES = 100_000


class SearchTimedOut(Transient):
    """The search took longer than its time limit; ask again, or name fewer collections."""


class SearchBlocked(Transient):
    """The database refused this part of the search; `brain doctor` shows what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ReadableCollection:
    """A collection that a principal may search in a place, and why."""

    id: int
    name: str
    description: str
    inline_token_limit: int
    default_mode: Mode
    reason: str


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 needs to know of the searched collections.

    chunks       how many there are
    frequencies  in how many of them a term occurs; terms that occur nowhere are absent
    """

    chunks: int
    frequencies: dict[int, int]


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question in an embedding space. Shape of values: (width,), float32, finite, not zero."""

    space_id: int
    values: NDArray[np.float32]

    @property
    def width(self) -> int:
        """Number of dimensions."""
        return int(self.values.shape[0])


@dataclass(frozen=True, slots=True)
class FoundExcerpt:
    """An excerpt with the identities by which a ranking knows it."""

    chunk_id: int
    document_id: int
    excerpt: Excerpt


@contextmanager
def reading(db: Database, *, timeout_ms: int = TIMEOUT_MS) -> Iterator[Connection]:
    """Open the transaction of a search: one snapshot, read-only, as brain_search, with a time limit (C3).

    Errors  SearchTimedOut, DatabaseUnavailable, SchemaOutOfDate.
    """
    try:
        with db.transaction() as connection:
            connection.execute(sql("search.begin_reading"))
            connection.execute(sql("search.configure_reading"), {"timeout_ms": str(timeout_ms)})
            yield connection
    except psycopg.errors.QueryCanceled as error:
        raise SearchTimedOut() from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as error:
        raise SchemaOutOfDate() from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable() from error


@contextmanager
def attempt(connection: Connection) -> Iterator[None]:
    """Run a part of a search inside a savepoint: if it fails, the transaction goes on without it (I11).

    Errors  SearchTimedOut; SearchBlocked for a missing right, damaged data or a limit of the server. A
            syntax error is not among them: that is our bug and must be loud.
    """
    try:
        with connection.transaction():
            yield
    except psycopg.errors.QueryCanceled as error:
        raise SearchTimedOut() from error
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.ProgramLimitExceeded,
        psycopg.DataError,
        psycopg.InternalError,
    ) as error:
        # The SQLSTATE and no more: a driver's message may quote the question (I12).
        raise SearchBlocked(f"the database refused this part of the search ({error.sqlstate})") from error


def readable_collections(
    connection: Connection, principal: Principal, place: str | None
) -> list[ReadableCollection]:
    """Return what the principal may search if the answer is spoken in `place`, by name.

    `place` None means to the asker alone; any string, the empty one too, is a place and must be granted.
    """
    parameters = {
        "readers": [clean_text(name) for name in (principal.user, *principal.groups)],
        "place": None if place is None else clean_text(place),
    }
    rows = connection.execute(sql("scope.readable_collections"), parameters).fetchall()
    return [ReadableCollection(i, name, words, limit, Mode(m), why) for i, name, words, limit, m, why in rows]


def fits_inline(connection: Connection, collection: ReadableCollection) -> bool:
    """Whether the collection's chunks together hold no more tokens than it may be handed over whole."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit + 1}
    tokens, chunks = _one(connection, "scope.tokens_up_to", parameters)
    return bool(tokens <= collection.inline_token_limit and 0 < chunks <= collection.inline_token_limit)


def term_statistics(
    connection: Connection, collections: Sequence[int], terms: Sequence[int]
) -> TermStatistics:
    """Return the statistics of `terms`, summed over the sources of `collections`."""
    scope = {"collections": list(collections)}
    (chunks,) = _one(connection, "lexical.count_chunks", scope)
    rows = connection.execute(sql("lexical.document_frequencies"), {**scope, "terms": list(terms)})
    return TermStatistics(chunks, dict(rows.fetchall()))


def rank_lexically(
    connection: Connection,
    collections: Sequence[int],
    *,
    gate: Sequence[int],
    question: SparseVector,
    depth: int,
) -> list[Candidate]:
    """Return the best chunks by BM25 among those that hold one of the gate's terms, best first."""
    parameters = {
        "collections": list(collections),
        "gate": list(gate),
        "question": question,
        "depth": depth,
    }
    return _candidates(connection.execute(sql("lexical.rank"), parameters), ScoreKind.BM25)


def space_is_active(connection: Connection, vector: QueryVector) -> bool:
    """Whether the store still answers from the space the question was embedded in (B5)."""
    parameters = {"space": vector.space_id, "width": vector.width}
    return bool(_one(connection, "search.space_is_active", parameters)[0])


def count_vectors_up_to(
    connection: Connection, collections: Sequence[int], space_id: int, at_most: int
) -> int:
    """Count the vectors in scope, but no further than `at_most`."""
    parameters = {"collections": list(collections), "space": space_id, "at_most": at_most}
    return int(_one(connection, "search.count_vectors_up_to", parameters)[0])


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
    return _candidates(connection.execute(sql("search.rank_dense_exactly"), parameters), ScoreKind.COSINE)


def rank_densely_by_index(
    connection: Connection, collections: Sequence[int], vector: QueryVector, depth: int
) -> list[Candidate]:
    """Ask the HNSW index; nearest first. May return fewer than match: the caller counts (C1)."""
    width = min(max(DEFAULT_EF_SEARCH, 2 * depth), LARGEST_EF_SEARCH)
    tuning = {"ef_search": str(width), "max_scan_tuples": str(MAX_SCAN_TUPLES)}
    connection.execute(sql("search.configure_hnsw"), tuning)
    query = compose.SQL(sql("search.rank_dense_by_index")).format(
        space=compose.Literal(int(vector.space_id)), width=compose.Literal(vector.width)
    )
    parameters = {"collections": list(collections), "question": vector.values, "depth": depth}
    return _candidates(connection.execute(query, parameters), ScoreKind.COSINE)


def place_chunks(
    connection: Connection, collections: Sequence[int], chunk_ids: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Return (source key, path) of each of these chunks that is live and in scope."""
    parameters = {"collections": list(collections), "chunks": list(chunk_ids)}
    rows = connection.execute(sql("search.place_chunks"), parameters)
    return {chunk_id: (key, path) for chunk_id, key, path in rows}


def fetch_excerpts(
    connection: Connection, collections: Sequence[int], candidates: Sequence[Candidate]
) -> list[FoundExcerpt]:
    """Return the excerpts of these candidates in their order; those no longer live are left out."""
    chunk_ids = [candidate.chunk_id for candidate in candidates]
    parameters = {"collections": list(collections), "chunks": chunk_ids}
    rows = {row[0]: row for row in connection.execute(sql("search.fetch_excerpts"), parameters)}
    return [_excerpt(rows[c.chunk_id], c.score) for c in candidates if c.chunk_id in rows]


def fetch_whole_collection(connection: Connection, collection: ReadableCollection) -> list[FoundExcerpt]:
    """Return a small collection in reading order; nothing is ranked, so no score has a value."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit}
    rows = connection.execute(sql("search.fetch_whole_collection"), parameters)
    return [_excerpt(row, Score(ScoreKind.INLINE, None)) for row in rows]


def _one(connection: Connection, name: str, parameters: dict[str, Any]) -> tuple[Any, ...]:
    row = connection.execute(sql(name), parameters).fetchone()
    assert row is not None, f"{name} promises one row"
    return row


def _candidates(rows: psycopg.Cursor[tuple[Any, ...]], kind: ScoreKind) -> list[Candidate]:
    return [Candidate(chunk, document, Score(kind, float(value))) for chunk, document, value in rows]


def _excerpt(row: tuple[Any, ...], score: Score) -> FoundExcerpt:
    chunk, document, collection, source, path, start, end, page, symbol, revision, indexed_at, text = row
    excerpt = Excerpt(
        collection=collection,
        source=source,
        path=path,
        start_line=start,
        end_line=end,
        page=page,
        symbol=symbol,
        score=score,
        revision=revision,
        indexed_at=indexed_at,
        text=text,
    )
    return FoundExcerpt(chunk, document, excerpt)
