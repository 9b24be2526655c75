"""One call to the reranker for everything that was drawn, and the floor below which nothing is shown."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from brain_dagster.model import Candidate
from brain_dagster.query.fuse import DuplicateCandidate
from brain_dagster.rerank.base import Reranker, RerankFailed, check_scores
from brain_dagster.score import RerankScore, Score, ScoreKind


@dataclass(frozen=True, slots=True)
class Reranked:
    """What the reranker made of the candidates drawn for it.

    candidates   of score kind RERANK, best first
    below_floor  chunks whose score is below the floor, best first
    ms           wall time of the call
    """

    candidates: tuple[Candidate, ...]
    below_floor: tuple[int, ...]
    ms: float


def rerank_union(
    reranker: Reranker,
    question: str,
    drawn: Sequence[Candidate],
    texts: Mapping[int, str],
    *,
    floor: float,
    timeout_s: float,
) -> Reranked:
    """Score all candidates in one call and order them by it; their own scores are never looked at.

    drawn   the union, no chunk twice
    texts   what the reranker reads of each chunk; a chunk without an entry is no longer there, and left out
    Order   best first; ties by place in `drawn`, so the same input gives the same output.
    Raises  RerankFailed - no answer in time, or one that cannot be trusted (I11); `missing_words` says so.
            DuplicateCandidate - a chunk was drawn twice (the caller's bug).
    """
    if len({candidate.chunk_id for candidate in drawn}) < len(drawn):
        raise DuplicateCandidate()
    live = [candidate for candidate in drawn if candidate.chunk_id in texts]
    if not live:
        return Reranked((), (), 0.0)
    started = time.monotonic()
    answer = reranker.score(question, [texts[c.chunk_id] for c in live], timeout_s=timeout_s)
    ms = (time.monotonic() - started) * 1000
    values = check_scores(answer, len(live))
    order = sorted(range(len(live)), key=lambda position: (-values[position], position))
    ranked = [replace(live[p], score=Score(ScoreKind.RERANK, values[p])) for p in order]
    kept, below = split_at_floor(ranked, floor)
    return Reranked(tuple(kept), tuple(candidate.chunk_id for candidate in below), ms)


def split_at_floor(candidates: Sequence[Candidate], floor: float) -> tuple[list[Candidate], list[Candidate]]:
    """Part what is at least `floor` relevant from what is not; both keep their order, nothing is added.

    Raises  TypeError - a score of another kind: only a reranker's number says how relevant something is.
    """
    kept: list[Candidate] = []
    below: list[Candidate] = []
    for candidate in candidates:
        (kept if _relevance(candidate.score) >= floor else below).append(candidate)
    return kept, below


def missing_words(failed: RerankFailed) -> str:
    """The entry in `missing` of a result that rank fusion ordered, e.g. `rerank: timed out after 5 s`."""
    return f"rerank: {failed.message}"


def _relevance(score: Score) -> float:
    if not isinstance(score, RerankScore) or score.value is None:
        raise TypeError(f"a relevance floor means nothing to a score of kind {score.kind}")
    return score.value
