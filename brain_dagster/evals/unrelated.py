"""Two questions that have nothing to do with each other must not get the same answer.

A search that ignores the question (candidates in file order, a constant vector, a cached list) still
returns rows, fast and without an error, and on a small goldset it may even look fair.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain_dagster.model import Mode, Principal
from brain_dagster.query.embedder import QueryEmbedder
from brain_dagster.query.ranking import Reranking
from brain_dagster.query.rankings import rank_chunks
from brain_dagster.store.pool import Database

QUESTIONS = (
    "how does a customer get the money for a cancelled order back",
    "which kernel memory is freed when the network driver is unloaded",
)
COMPARED = 20
# Two honest rankings of five passages agree by chance once in 120; of fewer, often.
FEWEST = 5


def modes_blind_to_the_question(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    modes: Sequence[Mode],
    *,
    collections: Sequence[str] | None,
    reranking: Reranking | None = None,
) -> tuple[str, ...]:
    """Return the modes in which both questions got the same passages in the same order.

    Two empty lists agree without saying anything, and so do lists shorter than five.
    """

    def first(mode: Mode, question: str) -> list[int]:
        ranked = rank_chunks(
            db, embedder, principal, question, collections=collections, mode=mode, reranking=reranking
        )
        return [chunk.chunk_id for chunk in ranked.chunks[:COMPARED]]

    blind = []
    for mode in modes:
        one, other = (first(mode, question) for question in QUESTIONS)
        if one == other and len(one) >= FEWEST:
            blind.append(mode.value)
    return tuple(blind)
