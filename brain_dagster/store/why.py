"""Where one chunk stands in each list, measured by the same expressions that make the lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import SparseVector

from brain_dagster.store.clean import clean_text
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.lexical import Gate
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row

# The largest numbers that PostgreSQL's types hold; a larger one names nothing.
LARGEST_CHUNK = 2**63 - 1
LARGEST_LINE = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Target:
    """What a person points at: a chunk by its number, or a place in a file.

    source, path  key of the source and printable path; the rest narrows it down to a line or a page
    whole_path    the path if what narrows it down is part of a file's name, as in `notes:12`
    """

    chunk_id: int | None = None
    source: str | None = None
    path: str | None = None
    line: int | None = None
    page: int | None = None
    whole_path: str | None = None

    @property
    def written(self) -> str:
        """The target as people write it."""
        if self.chunk_id is not None:
            return str(self.chunk_id)
        return f"{self.source}:{self.whole_path or self.path}"


@dataclass(frozen=True, slots=True)
class VectorFound:
    """How near a chunk is to a question. `similarity` None: it has no vector; `failure` may say why."""

    similarity: float | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class WordsFound:
    """What a chunk and its document hold of a question's terms.

    score, document_score      BM25 of the chunk's own words, and of its document's; the list adds them
    passes_gate                whether the chunk holds a term of the gate, so that the scan looks at it
    weights, document_weights  the document half of BM25, per term of the question that is held
    """

    score: float
    document_score: float
    passes_gate: bool
    weights: dict[int, float]
    document_weights: dict[int, float]


def find_chunks(connection: Connection, collections: Sequence[int], target: Target) -> list[int]:
    """Return the live chunks in scope that are meant, in reading order; none if there is none (I3)."""
    if (target.chunk_id or 0) > LARGEST_CHUNK or max(target.line or 0, target.page or 0) > LARGEST_LINE:
        return []
    parameters = {
        "collections": list(collections),
        "chunk": target.chunk_id,
        "source": None if target.source is None else clean_text(target.source),
        "path": None if target.path is None else clean_text(target.path),
        "line": target.line,
        "page": target.page,
        "whole_path": None if target.whole_path is None else clean_text(target.whole_path),
    }
    return [chunk_id for (chunk_id,) in connection.execute(sql("why.find_chunks"), parameters)]


def find_vectors(
    connection: Connection, chunk_ids: Sequence[int], vector: QueryVector
) -> dict[int, VectorFound]:
    """Return how near each of these chunks is to the question."""
    parameters = {"chunks": list(chunk_ids), "space": vector.space_id, "question": vector.values}
    rows = connection.execute(sql("why.find_vectors"), parameters)
    return {
        chunk: VectorFound(None if near is None else float(near), failure) for chunk, near, failure in rows
    }


def count_nearer(
    connection: Connection, collections: Sequence[int], vector: QueryVector, chunk_id: int
) -> int:
    """Count the vectors in scope that come before this chunk's; every one is compared."""
    parameters = {
        "collections": list(collections),
        "space": vector.space_id,
        "question": vector.values,
        "chunk": chunk_id,
    }
    return int(one_row(connection, "why.count_nearer", parameters)[0])


def find_words(
    connection: Connection,
    chunk_ids: Sequence[int],
    *,
    gate: Gate,
    question: SparseVector,
    document_question: SparseVector,
) -> dict[int, WordsFound]:
    """Return what each of these chunks holds of the question's terms."""
    parameters = {
        "chunks": list(chunk_ids),
        "question": question,
        "document_question": document_question,
        **gate.parameters,
    }
    asked = set(question.indices())
    return {
        chunk: WordsFound(float(own), float(whole), passes, _weights(held, asked), _weights(around, asked))
        for chunk, own, whole, passes, held, around in connection.execute(sql("why.find_words"), parameters)
    }


def count_better(
    connection: Connection,
    collections: Sequence[int],
    *,
    gate: Gate,
    question: SparseVector,
    chunk_id: int,
) -> int:
    """Count the chunks in scope that the gate lets in and that come before this one by their own BM25."""
    parameters = {
        "collections": list(collections),
        **gate.parameters,
        "question": question,
        "chunk": chunk_id,
    }
    return int(one_row(connection, "why.count_better", parameters)[0])


def _weights(held: SparseVector | None, asked: set[int]) -> dict[int, float]:
    if held is None:
        return {}
    return {t: weight for t, weight in zip(held.indices(), held.values(), strict=True) if t in asked}
