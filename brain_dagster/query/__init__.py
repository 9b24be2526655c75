"""Questions to excerpts: scope, gather, fuse, excerpts; why a chunk is where it is; the manifest."""

from __future__ import annotations

from brain_dagster.query.embedder import LateEmbedder, QueryEmbedder
from brain_dagster.query.manifest import Manifest, manifest
from brain_dagster.query.ranking import Ranking, Reranking
from brain_dagster.query.rankings import RankedChunk, RankedChunks, RankedFiles, rank_chunks, rank_files
from brain_dagster.query.search import search
from brain_dagster.query.why import Why, why

__all__ = [
    "LateEmbedder",
    "Manifest",
    "QueryEmbedder",
    "RankedChunk",
    "RankedChunks",
    "RankedFiles",
    "Ranking",
    "Reranking",
    "Why",
    "manifest",
    "rank_chunks",
    "rank_files",
    "search",
    "why",
]
