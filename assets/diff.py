"""diff: what exists in the source, compared with what the store knows."""

import dagster as dg

from assets.partitions import OWNERS, SOURCES
from assets.stages import TRANSIENT_RETRY, stage
from brain_dagster.ingest.diff import diff_source
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import settings
from resources.sources import SourcesResource
from resources.store import StoreResource


@dg.asset(
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "git"},
    owners=OWNERS,
    code_version="1",
    retry_policy=TRANSIENT_RETRY,
    check_specs=[
        dg.AssetCheckSpec(
            "listing_is_complete",
            asset="diff",
            partitions_def=SOURCES,
            description="An incomplete listing never deletes; it must not stay unnoticed either.",
        )
    ],
)
def diff(
    context: dg.AssetExecutionContext, store: StoreResource, sources: SourcesResource
) -> dg.MaterializeResult:
    """Lists the source and compares it with the store: added, changed, stale, removed, unchanged.

    Reads no file. Writes `sync_run` and `staged_item`. Idempotent: staged work of a killed run is kept
    where it is exactly what this listing needs. Never deletes after an incomplete listing.
    """
    with stage(context, store) as work, sources.connect(work.source) as connector:
        report = diff_source(
            work.db,
            work.source,
            connector,
            recipe=current_recipe(settings()),
            run_key=context.run.run_id,
        )
        result = work.result(
            {
                "listed": report.listed,
                "excluded": report.excluded,
                "kept_after_incomplete_listing": report.kept,
                "revision": report.run.revision,
                **report.changes,
            },
            digest=f"{report.run.revision} {report.run.generation}",
        )
    is_complete = report.run.listing_is_complete
    check = dg.AssetCheckResult(
        check_name="listing_is_complete",
        passed=is_complete,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"problems": "\n".join(report.problems[:20]) or "none"},
    )
    return result._replace(check_results=[check])
