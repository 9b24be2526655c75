"""Rank fusion: how lists of different scorers become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain_dagster.errors import Defect
from brain_dagster.model import Candidate
from brain_dagster.score import Score, ScoreKind

RankedList = Sequence[Candidate]


class DuplicateCandidate(Defect):
    """A ranked list names a chunk twice, so its ranks mean nothing."""


def fuse_by_rank(
    lists: Sequence[RankedList], *, weights: Sequence[float] | None = None, k: int = 60
) -> list[Candidate]:
    """Merge ranked lists by position alone; never looks at their scores.

    Shape   L lists, best first, no chunk twice in one list. Ranks count from 1. L weights, all 1 if absent.
    Unit    result.score is a sum of weight/(k + rank): it orders, it does not measure relevance.
    Order   ties break by chunk id, so the same input always gives the same output.
    Raises  DuplicateCandidate - a list names a chunk twice (the caller's bug).
    Source  Cormack, Clarke, Buettcher, SIGIR 2009.
    """
    sums: dict[int, float] = {}
    homes: dict[int, Candidate] = {}
    for ranked, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        if len({candidate.chunk_id for candidate in ranked}) < len(ranked):
            raise DuplicateCandidate()
        for rank, candidate in enumerate(ranked, start=1):
            sums[candidate.chunk_id] = sums.get(candidate.chunk_id, 0.0) + weight / (k + rank)
            homes[candidate.chunk_id] = candidate
    order = sorted(sums, key=lambda chunk_id: (-sums[chunk_id], chunk_id))
    return [replace(homes[c], score=Score(ScoreKind.RRF, sums[c])) for c in order]
