"""BM25 in the store: statistics of the searched collections, and the scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pgvector import SparseVector

from brain_dagster.model import Candidate, ScoreKind
from brain_dagster.store.candidates import candidates
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 needs to know of the searched collections.

    chunks       how many there are
    frequencies  in how many of them a term occurs; terms that occur nowhere are absent
    """

    chunks: int
    frequencies: dict[int, int]


def term_statistics(
    connection: Connection, collections: Sequence[int], terms: Sequence[int]
) -> TermStatistics:
    """Return the statistics of `terms`, summed over the sources of `collections`."""
    scope = {"collections": list(collections)}
    (chunks,) = one_row(connection, "lexical.count_chunks", scope)
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
    return candidates(connection.execute(sql("lexical.rank"), parameters), ScoreKind.BM25)
