"""What earlier evaluations found, in words."""

from __future__ import annotations

from itertools import groupby

from brain_dagster.store.evals import get_latest
from brain_dagster.store.pool import Database

TOLD = ("recall@1", "recall@10", "mrr@10")


def latest_numbers(db: Database, goldset: str) -> str:
    """Say what the last evaluation of a goldset measured, one line a mode, percent; then the gate's word."""
    run = get_latest(db, goldset, TOLD)
    if run is None:
        return f"{goldset} was never evaluated"
    lines = [f"{goldset}: {run.measurable} of {run.cases} cases measurable"]
    for mode, metrics in groupby(run.metrics, key=lambda metric: metric.mode):
        told = ", ".join(f"{metric.metric} {100 * metric.value:.1f}" for metric in metrics)
        lines.append(f"  {mode}: {told}")
    lines.append(f"  {run.verdict}: {run.verdict_words}" if run.verdict == "failed" else f"  {run.verdict}")
    return "\n".join(lines)
