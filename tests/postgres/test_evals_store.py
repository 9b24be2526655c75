"""Evaluations in the store: complete or absent, and one accepted baseline a goldset."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest

from brain_dagster.evals.history import latest_numbers
from brain_dagster.store.evals import (
    CannotAccept,
    StoredCase,
    StoredMetric,
    StoredRun,
    accept,
    get_baseline,
    list_cases,
    store_run,
)
from brain_dagster.store.pool import Database

RUN = StoredRun(
    goldset="small",
    goldset_hash="ab" * 32,
    principal="ada",
    space="m@1",
    recipe="r/1",
    code_version="0.1.0",
    run_key="",
    modes=("lexical", "hybrid"),
    cases=2,
    measurable=1,
    verdict="failed",
    verdict_words="hybrid recall@10 fell",
    baseline_id=None,
    started_at=datetime(2026, 1, 2, tzinfo=UTC),
)
# A tab, a backslash and a newline are what a COPY stream must escape.
CASES = (
    StoredCase("a", "hybrid", "tab\there \\. and\nnewline", "lib/a.py", "lib", None, 3),
    StoredCase("a", "lexical", "tab\there \\. and\nnewline", "lib/a.py", "lib", None, None),
    StoredCase("b", "hybrid", "q", "b.md", None, "not listed", None),
    StoredCase("b", "lexical", "q", "b.md", None, "not listed", None),
)
METRICS = (StoredMetric("hybrid", "recall@10", 1.0), StoredMetric("lexical", "recall@10", 0.0))


def test_a_failed_run_keeps_every_case_in_every_mode(db: Database) -> None:
    eval_run_id = store_run(db, RUN, METRICS, CASES)
    assert list_cases(db, eval_run_id) == list(CASES)
    stored = db.all(
        "SELECT mode, value FROM brain.eval_metric WHERE eval_run_id = %s ORDER BY 1", [eval_run_id]
    )
    assert stored == [("hybrid", 1.0), ("lexical", 0.0)]
    assert db.all("SELECT verdict, measurable FROM brain.eval_run") == [("failed", 1)]


def test_an_evaluation_is_stored_whole_or_not_at_all(db: Database) -> None:
    wrong = replace(CASES[0], rank=0)
    with pytest.raises(psycopg.errors.CheckViolation):
        store_run(db, RUN, METRICS, [CASES[1], wrong])
    assert db.one("SELECT count(*) FROM brain.eval_run") == (0,)
    assert db.one("SELECT count(*) FROM brain.eval_metric") == (0,)


def test_a_run_is_no_baseline_before_someone_accepts_it(db: Database) -> None:
    store_run(db, RUN, METRICS, CASES)
    assert get_baseline(db, "small") is None


def test_the_baseline_is_the_run_accepted_last_with_all_its_cases(db: Database) -> None:
    first = store_run(db, RUN, METRICS, CASES)
    second = store_run(db, RUN, METRICS, CASES[:2])
    store_run(db, replace(RUN, goldset="other"), METRICS, CASES)
    accept(db, first, "ada")
    accept(db, second, "bob")
    baseline = get_baseline(db, "small")
    assert baseline is not None
    assert (baseline.id, baseline.principal, baseline.modes) == (second, "ada", ("lexical", "hybrid"))
    assert baseline.cases == CASES[:2]
    accept(db, first, "ada")
    again = get_baseline(db, "small")
    assert again is not None
    assert (again.id, again.cases) == (first, CASES)
    assert db.one("SELECT accepted_by FROM brain.eval_run WHERE id = %s", [second]) == ("bob",)


def test_a_run_that_measured_nothing_cannot_be_accepted(db: Database) -> None:
    eval_run_id = store_run(db, replace(RUN, measurable=0), (), CASES[2:])
    with pytest.raises(CannotAccept):
        accept(db, eval_run_id, "ada")
    assert get_baseline(db, "small") is None


def test_accepting_a_run_that_does_not_exist_says_so(db: Database) -> None:
    with pytest.raises(CannotAccept, match="evaluation 41"):
        accept(db, 41, "ada")


def test_the_latest_numbers_are_told_by_mode_in_percent(db: Database) -> None:
    assert latest_numbers(db, "small") == "small was never evaluated"
    store_run(db, replace(RUN, verdict="passed"), [StoredMetric("hybrid", "recall@1", 0.25)], CASES)
    numbers = [
        StoredMetric("hybrid", "recall@10", 1.0),
        StoredMetric("lexical", "recall@10", 0.5),
        StoredMetric("lexical", "recall@1", 0.125),
        StoredMetric("lexical", "ndcg@10", 0.3),
    ]
    store_run(db, RUN, numbers, CASES)
    assert latest_numbers(db, "small").splitlines() == [
        "small: 1 of 2 cases measurable",
        "  lexical: recall@1 12.5, recall@10 50.0",
        "  hybrid: recall@10 100.0",
        "  failed: hybrid recall@10 fell",
    ]
    store_run(db, replace(RUN, measurable=0, verdict_words="nothing measurable"), (), CASES[2:])
    assert latest_numbers(db, "small").splitlines() == [
        "small: 0 of 2 cases measurable",
        "  failed: nothing measurable",
    ]


def test_the_history_views_show_how_a_case_moved(db: Database) -> None:
    store_run(db, RUN, METRICS, CASES)
    moved = [replace(CASES[0], rank=1), *CASES[1:]]
    second = store_run(db, RUN, [StoredMetric("hybrid", "recall@10", 0.5)], moved)
    row = db.one(
        "SELECT rank, previous_rank FROM brain.eval_case_history"
        " WHERE eval_run_id = %s AND case_id = 'a' AND mode = 'hybrid'",
        [second],
    )
    assert row == (1, 3)
    change = db.one("SELECT change FROM brain.eval_history WHERE eval_run_id = %s", [second])
    assert change == (-0.5,)
