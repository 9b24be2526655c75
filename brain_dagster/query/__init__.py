"""Questions to excerpts: scope, gather, fuse, excerpts; and the manifest of what may be asked."""

from __future__ import annotations

from brain_dagster.query.embedder import LateEmbedder, QueryEmbedder
from brain_dagster.query.manifest import Manifest, manifest
from brain_dagster.query.ranking import RankedChunk, RankedChunks, RankedFiles, rank_chunks, rank_files
from brain_dagster.query.search import search

__all__ = [
    "LateEmbedder",
    "Manifest",
    "QueryEmbedder",
    "RankedChunk",
    "RankedChunks",
    "RankedFiles",
    "manifest",
    "rank_chunks",
    "rank_files",
    "search",
]
