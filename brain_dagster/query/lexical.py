"""The lexical list: BM25 over the union of the collections, under one set of statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from pgvector import SparseVector

from brain_dagster.lexical.bm25 import DIMENSIONS
from brain_dagster.store.lexical import Gate, TermStatistics

# At most this many terms of a question are scored, the rarest (D5).
MOST_TERMS = 256
# How many rows the gate may let in: at least the constant, else a share of the corpus. Measured on
# 199,530 chunks: 20,000 rows lose nothing against scoring every match, 5,000 lose 3 points of recall@1.
GATE_ROWS = 4_000
GATE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question ready for the scan.

    gate             which rows are scored; its terms ascend by frequency
    wider            what to ask as well if a gate that wants several terms at once finds too few
    rows             how many rows the gate lets in: at most, or about, where it asks for several terms
    vector           idf times the weight in the question, over every scored term
    document_vector  the same, with the idf among documents
    """

    gate: Gate
    wider: Gate | None
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
    wider = _sample(*found[0], _budget(statistics.chunks)) if gate.every else None
    return WeighedQuestion(gate, wider, rows, SparseVector(own, DIMENSIONS), SparseVector(whole, DIMENSIONS))


def idf(frequency: int, chunks: int) -> float:
    """Inverse document frequency; always positive."""
    # A reader may see the statistics of a commit the count of chunks is not yet part of.
    return log(1 + (max(chunks, frequency) - frequency + 0.5) / (frequency + 0.5))


def _budget(chunks: int) -> int:
    return max(GATE_ROWS, int(chunks * GATE_SHARE))


def _sample(frequency: int, term: int, budget: int) -> Gate:
    """Look for one common term in so many documents that about `budget` rows hold it."""
    return Gate((term,), share=min(1.0, budget / frequency))


def _gate(found: list[tuple[int, int]], chunks: int) -> tuple[Gate, int]:
    """Take terms, rarest first, while their rows fit the budget.

    Common words still count for the score of what the gate lets in, but cannot make the scan large.
    """
    budget = _budget(chunks)
    if found[0][0] > budget:
        return _gate_of_common_words(found, chunks, budget)
    gate: list[int] = []
    rows = 0
    for frequency, term in found:
        if rows + frequency > budget:
            break
        gate.append(term)
        rows += frequency
    return Gate(tuple(gate)), rows


def _gate_of_common_words(found: list[tuple[int, int]], chunks: int, budget: int) -> tuple[Gate, int]:
    """Ask for the rarest words together, for as many as make the rows fit; then for a share of documents.

    What holds all words of such a question is what scores best, as none of them tells much. How many rows
    hold several terms is reckoned as if terms kept apart from each other, so they may be more.
    """
    every: list[int] = []
    rows = float(chunks)
    for frequency, term in found:
        every.append(term)
        rows *= min(1.0, frequency / chunks)
        if rows <= budget:
            break
    share = min(1.0, budget / rows)
    return Gate((every[0],), tuple(every) if len(every) > 1 else (), share), int(rows * share)
