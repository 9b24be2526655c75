"""The reranker that the settings name."""

from __future__ import annotations

from brain_dagster.rerank.base import Reranker
from brain_dagster.rerank.cross_encoder import CrossEncoderReranker
from brain_dagster.rerank.http import HttpReranker, RerankerMisconfigured
from brain_dagster.rerank.wire import Shape
from brain_dagster.settings import Settings


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the configured reranker, or None; loads no model and opens no connection yet.

    Raises  RerankerMisconfigured - what BRAIN_RERANK names needs another setting, or one cannot be used.
    """
    if settings.rerank == "none":
        return None
    if settings.rerank == "cross-encoder":
        if settings.rerank_model is None:
            raise RerankerMisconfigured("BRAIN_RERANK=cross-encoder needs BRAIN_RERANK_MODEL")
        return CrossEncoderReranker(
            settings.rerank_model,
            max_tokens=settings.rerank_max_tokens,
            batch=settings.rerank_batch,
            threads=settings.rerank_threads,
        )
    if settings.rerank_url is None:
        raise RerankerMisconfigured("BRAIN_RERANK=http needs BRAIN_RERANK_URL")
    return HttpReranker(
        settings.rerank_url,
        model=settings.rerank_model,
        api_key=settings.rerank_api_key,
        shape=None if settings.rerank_shape == "auto" else Shape(settings.rerank_shape),
        is_raw=settings.rerank_scores == "raw",
    )
