"""Rerankers: how well each of a few passages answers a question. One interface, two adapters, or none."""

from __future__ import annotations

from brain_dagster.rerank.base import Reranker, RerankFailed, check_scores
from brain_dagster.rerank.configured import open_reranker
from brain_dagster.rerank.http import RerankerMisconfigured

__all__ = ["RerankFailed", "Reranker", "RerankerMisconfigured", "check_scores", "open_reranker"]
