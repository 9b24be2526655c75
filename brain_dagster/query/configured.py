"""The reranking that the settings ask for."""

from __future__ import annotations

from brain_dagster.query.ranking import Reranking
from brain_dagster.rerank.configured import open_reranker
from brain_dagster.settings import Settings


def configured_reranking(settings: Settings) -> Reranking | None:
    """Return the configured reranking, or None; loads no model yet.

    Raises  RerankerMisconfigured - what BRAIN_RERANK names needs another setting, or one cannot be used.
    """
    reranker = open_reranker(settings)
    if reranker is None:
        return None
    return Reranking(
        reranker,
        candidates=settings.rerank_candidates,
        floor=settings.rerank_floor,
        timeout_s=settings.rerank_timeout_s,
    )
