"""chunks: the changed items, read through the funnel, parsed, chunked and staged."""

import dagster as dg
import polars as pl

from assets.diff import diff
from assets.expectations import at_least, at_most, check_frame, unique
from assets.partitions import OWNERS, SOURCES
from assets.stages import stage
from brain_dagster.ingest.stage import stage_chunks
from brain_dagster.settings import settings
from brain_dagster.store import checks
from brain_dagster.store import sources as registry
from resources.sources import SourcesResource
from resources.store import StoreResource


@dg.asset(
    deps=[diff],
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "python"},
    owners=OWNERS,
    code_version="1",
)
def chunks(
    context: dg.AssetExecutionContext, store: StoreResource, sources: SourcesResource
) -> dg.MaterializeResult:
    """Reads what changed, decodes it, cuts it into the passages a reader would quote.

    Writes `staged_item` and `staged_chunk`, batch by batch. Every item gets a state: ready, skipped by a
    named rule, or failed for a named reason. Parsers run in a child process with a clock and a memory cap.
    """
    with stage(context, store) as work:
        run = work.run()
        with sources.connect(work.source) as connector:
            staged = stage_chunks(work.db, work.source, run, connector, settings())
        return work.result(
            {
                "read": sum(staged.of_state(state) for state in ("ready", "skipped", "failed")),
                "ready": staged.of_state("ready"),
                "skipped": staged.of_state("skipped"),
                "failed": staged.of_state("failed"),
                "chunks": staged.chunks,
                "tokens": staged.tokens,
            },
            digest=f"{run.revision} {run.generation}",
        )


@dg.asset_check(asset=chunks, partitions_def=SOURCES, blocking=True)
def documents_have_text(context: dg.AssetCheckExecutionContext, store: StoreResource) -> dg.AssetCheckResult:
    """No document counts as read without text: an empty scan is a failure, never an empty success."""
    frame = checks.staged_documents(store.db, registry.get_source(store.db, context.partition_key))
    return check_frame(
        frame,
        [at_least("characters", 1), at_least("chunks", 1), unique("path")],
        show=(pl.col("characters") < 1) | (pl.col("chunks") < 1),
    )


@dg.asset_check(asset=chunks, partitions_def=SOURCES, blocking=True)
def chunks_tile_their_files(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> dg.AssetCheckResult:
    """The spans of a text file cover it from the first byte to the last, once."""
    frame = checks.staged_documents(store.db, registry.get_source(store.db, context.partition_key))
    return check_frame(
        frame,
        [at_most("gaps", 0), at_most("uncovered", 0)],
        show=(pl.col("gaps") > 0) | (pl.col("uncovered") > 0),
    )


@dg.asset_check(asset=chunks, partitions_def=SOURCES)
def scanned_documents_were_read(
    context: dg.AssetCheckExecutionContext, store: StoreResource
) -> dg.AssetCheckResult:
    """Scanned pages without a text layer are named, page by page, until something reads them."""
    scans = checks.unread_scans(store.db, registry.get_source(store.db, context.partition_key))
    counted = pl.DataFrame({"unread_scans": [scans.height]})
    result = check_frame(counted, [at_most("unread_scans", 0)], severity=dg.AssetCheckSeverity.WARN)
    names = dg.MetadataValue.json(scans.head(20).to_dicts())
    return result._replace(metadata={**result.metadata, "unread": names})
