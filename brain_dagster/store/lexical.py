"""BM25 in the store: statistics of the searched collections, and the scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import SparseVector

from brain_dagster.model import Candidate
from brain_dagster.score import ScoreKind
from brain_dagster.store.candidates import candidates
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row

# For so many chunks, best by their own score, the document's score is looked up.
BREADTH = 1_000


@dataclass(frozen=True, slots=True)
class Gate:
    """Which chunks are scored for a question.

    terms  a chunk must hold one of them
    every  and all of these; none as a rule
    share  of the documents that are looked at, 0 to 1; 1 as a rule
    """

    terms: tuple[int, ...]
    every: tuple[int, ...] = ()
    share: float = 1.0

    @property
    def parameters(self) -> dict[str, object]:
        """As the queries name them."""
        return {"gate": list(self.terms), "every": list(self.every), "share": self.share}


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 needs to know of the searched collections.

    chunks, documents     how many there are
    frequencies           in how many chunks a term occurs; terms that occur nowhere are absent
    document_frequencies  in how many documents it occurs
    """

    chunks: int
    documents: int
    frequencies: dict[int, int]
    document_frequencies: dict[int, int]


def term_statistics(
    connection: Connection, collections: Sequence[int], terms: Sequence[int]
) -> TermStatistics:
    """Return the statistics of `terms`, summed over the sources of `collections`."""
    scope = {"collections": list(collections)}
    chunks, documents = one_row(connection, "lexical.count_chunks", scope)
    rows = connection.execute(sql("lexical.document_frequencies"), {**scope, "terms": list(terms)}).fetchall()
    return TermStatistics(
        chunks,
        documents,
        {term: frequency for term, frequency, _ in rows},
        {term: frequency for term, _, frequency in rows},
    )


def rank_lexically(
    connection: Connection,
    collections: Sequence[int],
    *,
    gate: Gate,
    question: SparseVector,
    document_question: SparseVector,
    depth: int,
) -> list[Candidate]:
    """Return the best chunks by BM25 among those that hold one of the gate's terms, best first.

    A chunk's score is its own and its document's together; see sql/queries/lexical.sql.
    """
    parameters = {
        "collections": list(collections),
        **gate.parameters,
        "question": question,
        "document_question": document_question,
        "breadth": max(BREADTH, depth),
        "depth": depth,
    }
    return candidates(connection.execute(sql("lexical.rank"), parameters), ScoreKind.BM25)
