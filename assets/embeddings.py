"""embeddings: a checked vector in the cache for every staged text."""

import dagster as dg
import polars as pl

from assets.contexts import contexts
from assets.expectations import at_most, check_frame
from assets.partitions import OWNERS, SOURCES
from assets.stages import stage
from brain_dagster.embed.stage import EmbeddingsReport, stage_embeddings
from brain_dagster.store import checks, spaces, staging
from brain_dagster.store import sources as registry
from resources.embedder import EmbedderResource
from resources.store import StoreResource

# A chunk without a vector is still found by its words, so a few failures are published and counted; when
# more than this share fails the model is broken, and publishing would hollow the index out.
MAX_FAILED_PERCENT = 10


@dg.asset(
    deps=[contexts],
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "pytorch"},
    owners=OWNERS,
    code_version="1",
    pool="embedding",
)
def embeddings(
    context: dg.AssetExecutionContext, store: StoreResource, embedder: EmbedderResource
) -> dg.MaterializeResult:
    """Embeds header and text of what the cache lacks, in batches of like length.

    Fills `embedding_cache`; each batch is durable as it completes. Never stores NaN, zero, a wrong width
    or a reordered vector. Loads no model when the cache covers everything.
    """
    with stage(context, store) as work:
        run = work.run()
        has_text = staging.staged_counts(work.db, work.source).chunks > 0
        report = (
            stage_embeddings(work.db, work.source, embedder.open(work.db))
            if has_text
            else EmbeddingsReport(0, 0, 0, 0)
        )
        return work.result(
            {
                "embedded": report.embedded,
                "cache_hits": report.cached,
                "failed": report.failed,
                "model_calls": report.model_calls,
            },
            digest=f"{run.revision} {run.generation}",
        )


def _vectors(store: StoreResource, key: str) -> pl.DataFrame:
    """One row about the staged chunks' vectors, or none where nothing is staged."""
    space = spaces.active_space(store.db)
    if space is None:
        return pl.DataFrame(schema=checks.STAGED_VECTORS)
    frame = checks.staged_vectors(store.db, registry.get_source(store.db, key), space)
    return frame.filter(pl.col("chunks") > 0).with_columns(
        failed_percent=(100 * pl.col("failed") / pl.col("chunks")).ceil().cast(pl.Int64)
    )


@dg.asset_check(asset=embeddings, partitions_def=SOURCES, blocking=True)
def embeddings_are_complete(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> dg.AssetCheckResult:
    """Every staged chunk has a vector or a recorded failure, and failures are the exception."""
    frame = _vectors(store, context.partition_key)
    return check_frame(frame, [at_most("missing", 0), at_most("failed_percent", MAX_FAILED_PERCENT)])


@dg.asset_check(asset=embeddings, partitions_def=SOURCES)
def no_embedding_failed(context: dg.AssetCheckExecutionContext, store: StoreResource) -> dg.AssetCheckResult:
    """A chunk whose embedding failed is published without a vector; somebody should know."""
    frame = _vectors(store, context.partition_key)
    return check_frame(frame, [at_most("failed", 0)], severity=dg.AssetCheckSeverity.WARN)
