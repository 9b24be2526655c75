"""goldset_evaluation: real questions, the one right file each, and a run that fails when recall regresses."""

import time

import dagster as dg

from assets.hnsw_index import hnsw_index
from assets.partitions import GOLDSET_FOLDER, GOLDSETS, OWNERS
from brain_dagster.evals.report import evaluation_markdown
from brain_dagster.evals.run import run_goldset
from brain_dagster.model import Principal
from brain_dagster.query.configured import configured_reranking
from brain_dagster.settings import settings
from resources.embedder import EmbedderResource
from resources.store import StoreResource


@dg.asset(
    deps=[hnsw_index],
    partitions_def=GOLDSETS,
    group_name="evaluation",
    kinds={"postgres", "python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(
            "recall_has_not_regressed",
            asset="goldset_evaluation",
            partitions_def=GOLDSETS,
            blocking=True,
            description="The paired comparison with the accepted baseline shows no real drop.",
        )
    ],
)
def goldset_evaluation(
    context: dg.AssetExecutionContext, store: StoreResource, embedder: EmbedderResource
) -> dg.MaterializeResult:
    """Runs the goldset in every mode for BRAIN_USER in BRAIN_GROUPS; compares with the accepted baseline.

    Writes `eval_run`, `eval_metric` and every case to `eval_case` first; then a regression fails the run.
    Metrics are over the measurable cases: those whose file is indexed and embedded.
    """
    started = time.monotonic()
    evaluation = run_goldset(
        store.db,
        embedder.open(store.db),
        Principal(settings().user, settings().group_names),
        GOLDSET_FOLDER / f"{context.partition_key}.jsonl",
        reranking=configured_reranking(settings()),
        run_key=context.run.run_id,
    )
    assert evaluation.verdict is not None, "run_goldset promises a judged evaluation"
    numbers = {
        f"{mode} {metric}": value
        for mode in evaluation.modes
        for metric, value in (evaluation.metrics(mode) or {}).items()
    }
    return dg.MaterializeResult(
        metadata={
            **numbers,
            "cases": len(evaluation.results),
            "measurable": len(evaluation.measurable),
            "report": dg.MetadataValue.md(evaluation_markdown(evaluation)),
            "seconds": round(time.monotonic() - started, 3),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="recall_has_not_regressed",
                passed=evaluation.verdict.word != "failed",
                metadata={"verdict": evaluation.verdict.word, "why": evaluation.verdict.words or "-"},
            )
        ],
    )
