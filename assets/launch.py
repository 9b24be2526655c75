"""How the command line runs the jobs: in its own process, against the same instance as the daemon.

Runs, materializations and checks land in the instance, so the web UI shows them like any other.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import dagster as dg
import psutil
from dagster import DagsterInstance

from assets.partitions import SOURCES
from brain_dagster.errors import AlreadyRunning
from brain_dagster.model import Source
from brain_dagster.store.claims import claim, release_all
from brain_dagster.store.pool import Database

_HOST = "brain/host"
_PROCESS = "brain/process"


@dataclass(frozen=True, slots=True)
class LaunchedRun:
    """How a run that was launched from the command line ended; errors are for people."""

    run_id: str
    succeeded: bool
    errors: tuple[str, ...]


@contextmanager
def instance() -> Iterator[DagsterInstance]:
    """Open the Dagster instance that DAGSTER_HOME names, tidied of runs whose process is gone."""
    with DagsterInstance.get() as opened:
        fail_dead_runs(opened)
        yield opened


def sync(opened: DagsterInstance, db: Database, source: Source) -> LaunchedRun:
    """Run `sync_source` for one source in this process.

    The claim is taken before the run exists, so that of two callers one leaves no trace in the instance.
    Raises  AlreadyRunning - another run holds the source.
    """
    run_id = str(uuid4())
    claim(db, source, run_id)
    try:
        opened.add_dynamic_partitions(str(SOURCES.name), [source.key])
        return _execute(opened, "sync_source", run_id, partition_key=source.key)
    finally:
        release_all(run_id)


def refresh_index(opened: DagsterInstance) -> LaunchedRun:
    """Run `refresh_index` in this process."""
    return _execute(opened, "refresh_index", str(uuid4()))


def evaluate(opened: DagsterInstance, goldset: str) -> LaunchedRun:
    """Run `evaluate` for one goldset in this process; fails when recall regressed."""
    return _execute(opened, "evaluate", str(uuid4()), partition_key=goldset)


def _execute(
    opened: DagsterInstance, job: str, run_id: str, *, partition_key: str | None = None
) -> LaunchedRun:
    from brain_dagster.definitions import defs

    outcome = defs.resolve_job_def(job).execute_in_process(
        instance=opened,
        run_id=run_id,
        partition_key=partition_key,
        raise_on_error=False,
        # Dagster would write every event to stderr; they are in the instance, and people see progress.
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        tags={"brain/trigger": "command line", _HOST: socket.gethostname(), _PROCESS: _this_process()},
    )
    return LaunchedRun(run_id, outcome.success, tuple(_errors(outcome)))


def _errors(outcome: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in outcome.all_events:
        if event.is_step_failure:
            failure = event.step_failure_data
            given = failure.user_failure_data.description if failure.user_failure_data else None
            words = given or (failure.error.message.strip() if failure.error else "failed")
            yield f"{event.step_key}: {words}"


def fail_dead_runs(opened: DagsterInstance) -> list[str]:
    """Mark runs of this host as failed whose process is gone, and free the slots they held (A5).

    Nobody watches an in-process run: after `kill -9` it would stay "started", and its pool slot taken,
    for ever. Returns their run ids.
    """
    started = opened.get_runs(
        filters=dg.RunsFilter(
            tags={_HOST: socket.gethostname()},
            statuses=[dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTED],
        )
    )
    dead = [run for run in started if _PROCESS in run.tags and not _is_alive(run.tags[_PROCESS])]
    for run in dead:
        opened.report_run_failed(run, "the process that ran it ended before it was done")
        opened.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return [run.run_id for run in dead]


def _this_process() -> str:
    """This process, told apart from a later one with the same number by its start time."""
    return f"{os.getpid()}@{psutil.Process().create_time():.2f}"


def _is_alive(name: str) -> bool:
    number, _, started = name.partition("@")
    try:
        return f"{psutil.Process(int(number)).create_time():.2f}" == started
    except psutil.NoSuchProcess:
        return False


__all__ = [
    "AlreadyRunning",
    "LaunchedRun",
    "evaluate",
    "fail_dead_runs",
    "instance",
    "refresh_index",
    "sync",
]
