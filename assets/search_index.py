"""search_index: the staged delta becomes searchable, whole documents at a time."""

import dagster as dg
import polars as pl

from assets.embeddings import embeddings
from assets.expectations import at_most, check_frame, equal
from assets.partitions import OWNERS, SOURCES
from assets.stages import stage
from brain_dagster.store import checks, runs, spaces
from brain_dagster.store import sources as registry
from brain_dagster.store.publish import publish
from resources.store import StoreResource


@dg.asset(
    deps=[embeddings],
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "pgvector"},
    owners=OWNERS,
    code_version="1",
)
def search_index(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult:
    """Publishes by joining the staged rows with the caches, one transaction per group of documents.

    Old chunks out, new chunks, vectors, statistics, document and outcome in, then the removals. A reader
    never sees half a document; a run that was overtaken publishes nothing more.
    """
    with stage(context, store) as work:
        run = work.run()
        report = publish(work.db, work.source, run, spaces.active_space(work.db), work.claim)
        return work.result(
            {
                "indexed": report.counts.indexed,
                "unchanged": report.counts.unchanged,
                "skipped": report.counts.skipped,
                "failed": report.counts.failed,
                "deleted": report.counts.deleted,
                "chunks": report.chunks,
                "vectors": report.vectors,
                "transactions": report.groups,
            },
            digest=f"{run.revision} {run.generation}",
        )


@dg.asset_check(asset=search_index, partitions_def=SOURCES, blocking=True)
def chunks_have_a_live_document(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> dg.AssetCheckResult:
    """No chunk answers for a document that is gone, miscounted, or of another generation."""
    frame = checks.published_source(store.db, registry.get_source(store.db, context.partition_key))
    return check_frame(frame, [at_most(column, 0) for column in ("orphans", "miscounted", "mixed")])


@dg.asset_check(asset=search_index, partitions_def=SOURCES, blocking=True)
def listed_items_have_an_outcome(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> dg.AssetCheckResult:
    """Every listed item of the run ended in exactly one outcome, and nothing is left staged."""
    source = registry.get_source(store.db, context.partition_key)
    run = runs.find_run(store.db, source, context.run.run_id)
    frame = checks.run_outcomes(store.db, run)
    return check_frame(frame, [equal("listed", "outcomes"), at_most("staged", 0)], show=pl.lit(True))
