"""Judges an evaluation against its baseline and stores it: all of it, whatever the verdict."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from brain_dagster import __version__
from brain_dagster.errors import Defect
from brain_dagster.evals.compare import Comparison, Observation, compare_runs
from brain_dagster.evals.gate import DEFAULT_THRESHOLDS, Thresholds, judge
from brain_dagster.evals.result import Evaluation
from brain_dagster.settings import REPOSITORY_ROOT
from brain_dagster.store import evals as store
from brain_dagster.store.evals import Baseline, CannotAccept, StoredCase, StoredMetric, StoredRun
from brain_dagster.store.pool import Database


def judge_and_store(
    db: Database, evaluation: Evaluation, *, run_key: str = "", thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Evaluation:
    """Compare with the accepted baseline, judge, store every case in every mode, and return it complete."""
    baseline = store.get_baseline(db, evaluation.series)
    comparison = None if baseline is None else _compare(baseline, evaluation)
    verdict = judge(
        measurable=len(evaluation.measurable),
        cases=len(evaluation.results),
        unrelated=evaluation.unrelated,
        missing=evaluation.missing,
        comparison=comparison,
        thresholds=thresholds,
    )
    judged = replace(evaluation, comparison=comparison, verdict=verdict)
    stored = store.store_run(db, _head(judged, run_key), _metrics(judged), _cases(judged))
    return replace(judged, eval_run_id=stored)


def accept(db: Database, evaluation: Evaluation, user: str) -> None:
    """Make a stored evaluation the baseline of its series.

    A drop may be accepted: someone decided that it is worth it. Numbers that mean nothing may not.
    Raises  CannotAccept - nothing was measured, or the search did not look at the question
    """
    if evaluation.eval_run_id is None:
        raise Defect("an evaluation is accepted after it is stored")
    if evaluation.unrelated or evaluation.missing or not evaluation.measurable:
        words = evaluation.verdict.words if evaluation.verdict else ""
        raise CannotAccept(f"it cannot be the baseline: {words}", subject=evaluation.series)
    store.accept(db, evaluation.eval_run_id, user)


def _compare(baseline: Baseline, evaluation: Evaluation) -> Comparison:
    return compare_runs(
        baseline.id,
        list(_observed_before(baseline.cases)),
        list(_observed_now(evaluation)),
        modes_before=baseline.modes,
        modes_now=evaluation.modes,
    )


def _observed_before(cases: Iterable[StoredCase]) -> Iterator[Observation]:
    """Gather the rows of a stored evaluation, one per mode, into one observation per case."""
    by_case: dict[str, list[StoredCase]] = {}
    for case in cases:
        by_case.setdefault(case.case_id, []).append(case)
    for case_id, rows in by_case.items():
        one = rows[0]
        ranks = {row.mode: row.rank for row in rows}
        yield Observation(
            case_id, (one.query, one.expect, one.source), one.why_not is None, one.why_not, ranks
        )


def _observed_now(evaluation: Evaluation) -> Iterator[Observation]:
    for result in evaluation.results:
        case = result.case
        question = (case.query, case.expect, case.source)
        yield Observation(case.id, question, result.is_measurable, result.why_not, result.ranks)


def _head(evaluation: Evaluation, run_key: str) -> StoredRun:
    assert evaluation.verdict is not None
    return StoredRun(
        goldset=evaluation.series,
        goldset_hash=evaluation.goldset.sha256,
        principal=evaluation.principal,
        space=evaluation.space,
        recipe=evaluation.recipe,
        code_version=code_version(),
        run_key=run_key,
        modes=evaluation.modes,
        cases=len(evaluation.results),
        measurable=len(evaluation.measurable),
        verdict=evaluation.verdict.word,
        verdict_words=evaluation.verdict.words,
        baseline_id=evaluation.comparison.baseline_id if evaluation.comparison else None,
        started_at=evaluation.started_at,
    )


def _metrics(evaluation: Evaluation) -> Iterator[StoredMetric]:
    for mode in evaluation.modes:
        for metric, value in (evaluation.metrics(mode) or {}).items():
            yield StoredMetric(mode, metric, value)


def _cases(evaluation: Evaluation) -> Iterator[StoredCase]:
    for result in evaluation.results:
        case = result.case
        for mode, rank in result.ranks.items():
            yield StoredCase(case.id, mode, case.query, case.expect, case.source, result.why_not, rank)


@cache
def code_version() -> str:
    """Return the version of this program and, in a checkout, its commit: `0.1.0 (3f2a...-dirty)`.

    Numbers are read years later; a commit tells what produced them, and `-dirty` that nothing can.
    """
    try:
        described = subprocess.run(
            ["git", "-C", REPOSITORY_ROOT, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__} ({described.stdout.strip()})"
