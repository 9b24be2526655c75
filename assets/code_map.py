"""code_map: what a source declares: manifests, dependencies, workspaces, entry points, routes, services."""

from dataclasses import asdict

import dagster as dg

from assets.partitions import OWNERS, SOURCES
from assets.search_index import search_index
from assets.stages import stage
from brain_dagster.codemap.refresh import refresh_code_map
from resources.store import StoreResource


@dg.asset(
    deps=[search_index],
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "python"},
    owners=OWNERS,
    code_version="2",
)
def code_map(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult:
    """Maps the documents that this run published, from their stored text: the same revision by nature.

    Writes `code_map`, document by document; rows of deleted documents went with them.
    """
    with stage(context, store) as work:
        run = work.run()
        report = refresh_code_map(work.db, work.source.id, run.generation)
        return work.result(asdict(report), digest=f"{run.revision} {run.generation}")
