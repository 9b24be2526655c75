"""What starts runs: a sensor for moved git refs, a timer for every source, a watermark for the index.

All of them decide "nothing changed" before a run is launched: a no-change run would cost seconds of
process start and 50 KB of events to find out what a look at the source's token tells in milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import dagster as dg

from assets.jobs import evaluate, refresh_index, sync_source
from assets.partitions import GOLDSET_FOLDER, GOLDSETS, SOURCES
from brain_dagster.errors import BrainError
from brain_dagster.evals.goldset import load_goldset
from brain_dagster.ingest.currency import has_moved, is_current
from brain_dagster.model import Source
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import settings
from brain_dagster.store import sources as registry
from brain_dagster.store import vector_index
from brain_dagster.store.runs import close_all_abandoned
from resources.sources import SourcesResource
from resources.store import StoreResource

# A tick may take 60 s by Dagster's limit; the looks at remote repositories share this much of it.
_TICK_BUDGET_S = 30.0
_IN_FLIGHT = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


@dg.sensor(job=sync_source, minimum_interval_seconds=15, default_status=dg.DefaultSensorStatus.RUNNING)
def git_ref_moved(
    context: dg.SensorEvaluationContext, store: StoreResource, sources: SourcesResource
) -> dg.SensorResult:
    """Keeps the partition keys equal to the registered sources, and syncs each git source whose ref moved.

    The cursor is the key after which the next tick starts looking, so that with many slow remotes the
    last ones are not starved. Every look's failure is logged; if all fail, the tick fails.
    """
    registered = registry.list_sources(store.db)
    changes = reconcile(context.instance, registered)
    in_order = _rotated([one for one in registered if one.kind == "git"], context.cursor)
    looked, requests = _look(context, store, sources, in_order)
    close_all_abandoned(store.db)
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=changes,
        cursor=looked[-1].key if looked else context.cursor,
    )


def _look(
    context: dg.SensorEvaluationContext,
    store: StoreResource,
    sources: SourcesResource,
    in_order: Sequence[Source],
) -> tuple[list[Source], list[dg.RunRequest]]:
    deadline = time.monotonic() + _TICK_BUDGET_S
    busy = keys_in_flight(context.instance)
    looked: list[Source] = []
    failures: list[BrainError] = []
    requests: list[dg.RunRequest] = []
    for source in in_order:
        if time.monotonic() > deadline:
            context.log.warning(
                f"looked at {len(looked)} of {len(in_order)} sources; the rest comes next tick"
            )
            break
        looked.append(source)
        try:
            with sources.connect(source) as connector:
                if source.key not in busy and has_moved(store.db, source, connector):
                    requests.append(_request(source, "ref moved"))
        except BrainError as error:
            context.log.warning(f"{source.key}: {error}")
            failures.append(error)
    if failures and len(failures) == len(looked):
        raise failures[0]
    return looked, requests


def _request(source: Source, trigger: str) -> dg.RunRequest:
    """Ask for one run. The run key holds the generation, so a ref that moves back is synced as well, and
    a run that failed before it listed is not asked for again by every tick: the timer does that."""
    return dg.RunRequest(
        run_key=f"{source.key}:{source.generation}",
        partition_key=source.key,
        tags={"brain/trigger": trigger},
    )


@dg.schedule(job=sync_source, cron_schedule="*/15 * * * *", default_status=dg.DefaultScheduleStatus.RUNNING)
def every_quarter_of_an_hour(
    context: dg.ScheduleEvaluationContext, store: StoreResource, sources: SourcesResource
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Syncs every source that is not current: folders that changed, retries that are due, failed runs."""
    busy = keys_in_flight(context.instance)
    known = set(context.instance.get_dynamic_partitions(str(SOURCES.name)))
    asked = 0
    for source in registry.list_sources(store.db):
        if source.key in busy or source.key not in known:
            continue
        try:
            current = _is_current(store, sources, source)
        except BrainError as error:
            context.log.warning(f"{source.key}: {error}")
            continue
        if not current:
            asked += 1
            yield dg.RunRequest(partition_key=source.key, tags={"brain/trigger": "timer"})
    if not asked:
        yield dg.SkipReason("every source is current")


@dg.sensor(job=refresh_index, minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING)
def index_is_behind(
    context: dg.SensorEvaluationContext, store: StoreResource
) -> dg.RunRequest | dg.SkipReason:
    """Refreshes the vector index when a run published something since it was last measured.

    The watermark is the one that the refresh itself stored, so a refresh that failed is asked for again.
    """
    if not vector_index.is_behind(store.db):
        return dg.SkipReason("the vector index reflects everything published")
    filters = dg.RunsFilter(job_name="refresh_index", statuses=_IN_FLIGHT)
    if context.instance.get_runs(filters=filters, limit=1):
        return dg.SkipReason("a refresh is already under way")
    return dg.RunRequest(tags={"brain/trigger": "watermark"})


@dg.schedule(job=evaluate, cron_schedule="30 3 * * *", default_status=dg.DefaultScheduleStatus.RUNNING)
def every_night(context: dg.ScheduleEvaluationContext, store: StoreResource) -> list[dg.RunRequest]:
    """Runs once a night every goldset whose sources are registered here, so that a loss has a date."""
    registered = {source.key for source in registry.list_sources(store.db)}
    return [
        dg.RunRequest(partition_key=key, tags={"brain/trigger": "timer"})
        for key in GOLDSETS.get_partition_keys()
        if {case.source for case in load_goldset(GOLDSET_FOLDER / f"{key}.jsonl").cases} & registered
    ]


def reconcile(
    instance: dg.DagsterInstance, registered: Sequence[Source]
) -> list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest]:
    """Say which partition keys Dagster must add or drop to equal the registered sources.

    A key with a run in flight is not dropped: dropping it would not stop the run.
    """
    known = set(instance.get_dynamic_partitions(str(SOURCES.name)))
    wanted = {source.key for source in registered}
    add, drop = wanted - known, known - wanted - keys_in_flight(instance)
    changes: list[dg.AddDynamicPartitionsRequest | dg.DeleteDynamicPartitionsRequest] = []
    if add:
        changes.append(SOURCES.build_add_request(sorted(add)))
    if drop:
        changes.append(SOURCES.build_delete_request(sorted(drop)))
    return changes


def keys_in_flight(instance: dg.DagsterInstance) -> set[str]:
    """Return the partition keys that a run is working on or waiting for."""
    runs = instance.get_runs(filters=dg.RunsFilter(statuses=_IN_FLIGHT))
    return {run.tags["dagster/partition"] for run in runs if "dagster/partition" in run.tags}


def _is_current(store: StoreResource, sources: SourcesResource, source: Source) -> bool:
    with sources.connect(source) as connector:
        return is_current(store.db, source, connector, current_recipe(settings()))


def _rotated(sources: Sequence[Source], cursor: str | None) -> list[Source]:
    after = [one for one in sources if cursor is None or one.key > cursor]
    return [*after, *(one for one in sources if one not in after)]
