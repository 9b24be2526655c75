"""The lexical list: BM25 over the union of the collections, under one set of statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from pgvector import SparseVector

from brain_dagster.lexical.bm25 import DIMENSIONS
from brain_dagster.store.lexical import TermStatistics

# At most this many terms of a question are scored, the rarest (D5).
MOST_TERMS = 256
# How many rows the gate may let in: at least the constant, else a share of the corpus. Measured on
# 199,530 chunks: 20,000 rows lose nothing against scoring every match, 5,000 lose 3 points of recall@1.
GATE_ROWS = 4_000
GATE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question ready for the scan.

    gate             terms of which a row must hold at least one to be scored, ascending by frequency
    rows             how many rows the gate lets in at most
    vector           idf times the weight in the question, over every scored term
    document_vector  the same, with the idf among documents
    """

    gate: list[int]
    rows: int
    vector: SparseVector
    document_vector: SparseVector


def weigh(terms: Mapping[int, float], statistics: TermStatistics) -> WeighedQuestion | None:
    """Weigh the terms of a question by their rarity; None if no term of it occurs in scope.

    Source  idf as in Robertson and Zaragoza 2009 with 1 added inside the logarithm, so that a term in
            more than half of the chunks still counts for a little and never against a chunk.
    """
    found = sorted((statistics.frequencies[t], t) for t in terms if statistics.frequencies.get(t))
    found = found[:MOST_TERMS]
    if not found:
        return None
    gate, rows = _gate(found, statistics.chunks)
    own = {t: terms[t] * idf(frequency, statistics.chunks) for frequency, t in found}
    whole = {
        t: terms[t] * idf(statistics.document_frequencies.get(t, 0), statistics.documents) for _, t in found
    }
    return WeighedQuestion(gate, rows, SparseVector(own, DIMENSIONS), SparseVector(whole, DIMENSIONS))


def idf(frequency: int, chunks: int) -> float:
    """Inverse document frequency; always positive."""
    # A reader may see the statistics of a commit the count of chunks is not yet part of.
    return log(1 + (max(chunks, frequency) - frequency + 0.5) / (frequency + 0.5))


def _gate(found: list[tuple[int, int]], chunks: int) -> tuple[list[int], int]:
    """Take terms, rarest first, while their rows fit the budget; the rarest is always in.

    Common words still count for the score of what the gate lets in, but cannot make the scan large.
    """
    budget = max(GATE_ROWS, int(chunks * GATE_SHARE))
    gate: list[int] = []
    rows = 0
    for frequency, term in found:
        if gate and rows + frequency > budget:
            break
        gate.append(term)
        rows += frequency
    return gate, rows
