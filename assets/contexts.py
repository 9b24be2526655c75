"""contexts: a sentence that places each chunk in its document."""

import dagster as dg

from assets.chunks import chunks
from assets.partitions import OWNERS, SOURCES
from assets.stages import stage
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.contextualize.stage import stage_contexts
from brain_dagster.contextualize.structure import StructureContextualizer
from brain_dagster.embed.sentence_transformer import MAX_TOKENS
from resources.store import StoreResource


@dg.asset(
    deps=[chunks],
    partitions_def=SOURCES,
    group_name="sync",
    kinds={"postgres", "python"},
    owners=OWNERS,
    code_version="1",
)
def contexts(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult:
    """Writes for each staged chunk where it stands: path, declarations, headings, imports.

    Fills `context_cache` and the keys and lexical columns of `staged_chunk`, batch by batch. A sentence
    that fails is a state of its chunk and never blocks the run.
    """
    with stage(context, store) as work:
        run = work.run()
        report = stage_contexts(
            work.db, work.source, StructureContextualizer(), default_counter(), MAX_TOKENS
        )
        return work.result(
            {"written": report.written, "failed": report.failed, "model_calls": report.model_calls},
            digest=f"{run.revision} {run.generation}",
        )
