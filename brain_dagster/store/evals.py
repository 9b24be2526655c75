"""Evaluations in the store: what could be measured, what was measured, and the accepted baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain_dagster.errors import Refused
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql


class CannotAccept(Refused):
    """This evaluation cannot be the baseline: it does not exist, or it measured nothing."""


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file that a goldset expects: its printable path, and the source or collection that holds it."""

    path: str
    source: str | None


@dataclass(frozen=True, slots=True)
class TargetDocument:
    """A document that an expected file turned out to be.

    is_embedded  ready, and every one of its chunks has a vector in the active space
    """

    source: str
    path: str
    state: str
    reason_code: str | None
    is_embedded: bool


@dataclass(frozen=True, slots=True)
class StoredMetric:
    """One number of an evaluation."""

    mode: str
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class StoredCase:
    """One case of an evaluation in one mode; `why_not` is None where the case was measurable."""

    case_id: str
    mode: str
    query: str
    expect: str
    source: str | None
    why_not: str | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The head of an evaluation: what was measured, with what, and the gate's word."""

    goldset: str
    goldset_hash: str
    principal: str
    space: str
    recipe: str
    code_version: str
    run_key: str
    modes: tuple[str, ...]
    cases: int
    measurable: int
    verdict: str
    verdict_words: str
    baseline_id: int | None
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted evaluation of a goldset with every case of it."""

    id: int
    principal: str
    modes: tuple[str, ...]
    cases: tuple[StoredCase, ...]


@dataclass(frozen=True, slots=True)
class LatestRun:
    """The last evaluation of a goldset with the metrics that were asked for."""

    id: int
    cases: int
    measurable: int
    verdict: str
    verdict_words: str
    metrics: tuple[StoredMetric, ...]


def find_targets(
    db: Database, wanted: Sequence[WantedFile], *, collection_ids: Sequence[int], space_id: int | None
) -> list[list[TargetDocument]]:
    """Return, for each wanted file in order, the documents in the scope that it can mean; often one."""
    rows = db.all(
        sql("evals.find_targets"),
        {
            "ordinals": list(range(len(wanted))),
            "paths": [file.path for file in wanted],
            "sources": [file.source for file in wanted],
            "collection_ids": list(collection_ids),
            "space_id": space_id,
        },
    )
    found: list[list[TargetDocument]] = [[] for _ in wanted]
    for ordinal, *columns in rows:
        found[ordinal].append(TargetDocument(*columns))
    return found


def list_recipes(db: Database, collection_ids: Sequence[int]) -> list[str]:
    """Return the recipes that made the ready documents of these collections, sorted."""
    return [
        recipe for (recipe,) in db.all(sql("evals.list_recipes"), {"collection_ids": list(collection_ids)})
    ]


def store_run(
    db: Database, run: StoredRun, metrics: Iterable[StoredMetric], cases: Iterable[StoredCase]
) -> int:
    """Store an evaluation with all its numbers in one transaction, and return its id."""
    with db.transaction() as connection:
        eval_run_id = _insert_run(connection, run)
        with connection.cursor() as cursor:
            with cursor.copy(sql("evals.copy_metrics")) as stream:
                for metric in metrics:
                    stream.write_row((eval_run_id, metric.mode, metric.metric, metric.value))
            with cursor.copy(sql("evals.copy_cases")) as stream:
                for case in cases:
                    stream.write_row((eval_run_id, *_case_columns(case)))
    return eval_run_id


def _insert_run(connection: Connection, run: StoredRun) -> int:
    parameters = {name: getattr(run, name) for name in run.__slots__}
    row = connection.execute(sql("evals.insert_run"), {**parameters, "modes": list(run.modes)}).fetchone()
    assert row is not None, "evals.insert_run promises a row"
    return int(row[0])


def _case_columns(case: StoredCase) -> tuple[object, ...]:
    is_measurable = case.why_not is None
    return (
        case.case_id,
        case.mode,
        case.query,
        case.expect,
        case.source,
        is_measurable,
        case.why_not,
        case.rank,
    )


def get_baseline(db: Database, goldset: str) -> Baseline | None:
    """Return the evaluation of this goldset that was accepted last, or None."""
    head = db.one(sql("evals.get_baseline"), {"goldset": goldset})
    if head is None:
        return None
    eval_run_id, principal, modes = head
    return Baseline(eval_run_id, principal, tuple(modes), tuple(list_cases(db, eval_run_id)))


def get_latest(db: Database, goldset: str, metrics: Sequence[str]) -> LatestRun | None:
    """Return the last evaluation of a goldset, accepted or not, with these metrics of every mode."""
    rows = db.all(sql("evals.get_latest"), {"goldset": goldset, "metrics": list(metrics)})
    if not rows:
        return None
    measured = tuple(StoredMetric(*row[5:]) for row in rows if row[5] is not None)
    eval_run_id, cases, measurable, verdict, words = rows[0][:5]
    return LatestRun(eval_run_id, cases, measurable, verdict, words, measured)


def list_cases(db: Database, eval_run_id: int) -> list[StoredCase]:
    """Return every case of a stored evaluation in every mode, by case id, then mode."""
    return [StoredCase(*row) for row in db.all(sql("evals.list_cases"), {"eval_run_id": eval_run_id})]


def accept(db: Database, eval_run_id: int, user: str) -> None:
    """Make a stored evaluation the baseline of its goldset.

    Errors  CannotAccept - there is no such evaluation, or it measured nothing.
    """
    if db.one(sql("evals.accept_run"), {"eval_run_id": eval_run_id, "accepted_by": user}) is None:
        raise CannotAccept(subject=f"evaluation {eval_run_id}")
