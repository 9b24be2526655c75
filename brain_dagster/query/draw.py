"""The candidates a reranker gets to see: one from each list in turn, so that every list reaches it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain_dagster.model import Candidate


def draw_round_robin(lists: Sequence[Sequence[Candidate]], cap: int) -> list[Candidate]:
    """Take the best chunk not yet drawn from each list in turn, until `cap` are drawn or all are.

    Shape   L lists, best first, each of any scorer; scores are never looked at. A chunk that stands in
            several lists is drawn once, as the list whose turn it was holds it.
    Order   rounds, and within a round the order of the lists. With a cap of at least L the first chunk of
            every list is drawn, however long the others are; an empty list changes nothing.
    """
    drawn: dict[int, Candidate] = {}
    turns = [iter(ranked) for ranked in lists]
    while turns and len(drawn) < cap:
        turns = [turn for turn in turns if _draw_from(turn, drawn, cap)]
    return list(drawn.values())


def _draw_from(turn: Iterator[Candidate], drawn: dict[int, Candidate], cap: int) -> bool:
    """Add the list's next chunk that is new; say whether the list may have more."""
    if len(drawn) >= cap:
        return True
    for candidate in turn:
        if candidate.chunk_id not in drawn:
            drawn[candidate.chunk_id] = candidate
            return True
    return False
