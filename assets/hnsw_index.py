"""hnsw_index: the vector index over every source, kept valid and measured."""

import time

import dagster as dg
import polars as pl

from assets.expectations import at_least, at_most, check_frame
from assets.partitions import OWNERS
from assets.search_index import search_index
from brain_dagster.store import spaces, vector_index
from resources.store import StoreResource

# Of ten exact nearest neighbours the index returns at least nine; below, searches lose answers quietly.
MIN_RECALL_PERCENT = 90


@dg.asset(
    deps=[search_index],
    group_name="index",
    kinds={"postgres", "pgvector"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(
            "index_answers_like_an_exact_scan",
            asset="hnsw_index",
            description="The index is valid, fills every request and agrees with the exact answer.",
        )
    ],
)
def hnsw_index(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult:
    """Builds the HNSW index after the first load, vacuums dead rows, measures it against an exact scan.

    Writes `index_health`. Idempotent; builds concurrently, so searches and syncs go on meanwhile.
    """
    started = time.monotonic()
    space = spaces.active_space(store.db)
    if space is None:
        return dg.MaterializeResult(metadata={"vectors": 0}, check_results=[_check(pl.DataFrame())])
    health = vector_index.refresh(store.db, space)
    measured = {
        "vectors": health.vectors,
        "dead_percent": round(100 * health.dead_share),
        "is_valid": int(health.is_valid),
        "recall_percent": None if health.recall is None else round(100 * health.recall),
        "fill_percent": None if health.fill_rate is None else round(100 * health.fill_rate),
    }
    return dg.MaterializeResult(
        metadata={
            **{name: value for name, value in measured.items() if value is not None},
            "was_built": health.was_built,
            "seconds": round(time.monotonic() - started, 3),
        },
        check_results=[_check(pl.DataFrame([measured]) if health.vectors else pl.DataFrame())],
    )


def _check(frame: pl.DataFrame) -> dg.AssetCheckResult:
    result = check_frame(
        frame,
        [
            at_least("is_valid", 1),
            at_least("recall_percent", MIN_RECALL_PERCENT),
            at_least("fill_percent", 100),
            at_most("dead_percent", round(100 * vector_index.MAX_DEAD_SHARE)),
        ],
    )
    return result._replace(check_name="index_answers_like_an_exact_scan")
