"""The jobs: sync a source, refresh the vector index, evaluate a goldset."""

from __future__ import annotations

import dagster as dg

from assets.goldset_evaluation import goldset_evaluation
from assets.hnsw_index import hnsw_index
from assets.partitions import GOLDSETS, SOURCES

SYNC_STAGES = ("diff", "chunks", "contexts", "embeddings", "search_index", "code_map")

sync_source = dg.define_asset_job(
    "sync_source",
    selection=dg.AssetSelection.assets(*SYNC_STAGES),
    partitions_def=SOURCES,
    description="Brings one source up to date: diff, chunks, contexts, embeddings, search_index, code_map.",
    tags={"brain/job": "sync"},
)

refresh_index = dg.define_asset_job(
    "refresh_index",
    selection=dg.AssetSelection.assets(hnsw_index),
    description="Looks after the vector index once something was published.",
    tags={"brain/job": "index"},
)

evaluate = dg.define_asset_job(
    "evaluate",
    selection=dg.AssetSelection.assets(goldset_evaluation),
    partitions_def=GOLDSETS,
    description="Runs one goldset; fails, with its numbers stored, when recall regresses.",
    tags={"brain/job": "evaluation"},
)
