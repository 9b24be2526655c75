"""Syncing from the command line: asks each source whether it needs a run, and runs those that do.

Dagster (2 s to import) is loaded only when there is something to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from brain_dagster.connectors import open_connector
from brain_dagster.errors import AlreadyRunning, BrainError, Transient
from brain_dagster.ingest.currency import is_current
from brain_dagster.model import OutcomeCounts, Source
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import Settings
from brain_dagster.store import runs, vector_index
from brain_dagster.store import sources as registry
from brain_dagster.store.pool import Database
from brain_dagster.store.runs import Failure


@dataclass(frozen=True, slots=True)
class SyncedSource:
    """How one source stands after a sync.

    state     current (nothing to do) | done | partial | failed | running (another run has it)
    failures  items that are failed now, up to 20, by path
    error     why the run failed or did not start, for people
    """

    key: str
    state: str
    counts: OutcomeCounts
    run_id: str | None = None
    failures: tuple[Failure, ...] = ()
    problems: tuple[str, ...] = ()
    error: str | None = None
    is_unavailable: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether everything asked for is in place: nothing failed, nothing is missing."""
        return self.state in ("current", "done", "running") and not self.counts.failed


class Ended(Protocol):
    """How a launched run ended."""

    @property
    def run_id(self) -> str:
        """The Dagster run."""
        ...

    @property
    def succeeded(self) -> bool:
        """Whether it ended well."""
        ...

    @property
    def errors(self) -> tuple[str, ...]:
        """Words for people."""
        ...


class Launcher(Protocol):
    """Runs the jobs; the Dagster one is made by `dagster_launcher`."""

    def sync(self, source: Source) -> Ended:
        """Run `sync_source` for one source."""
        ...

    def refresh_index(self) -> Ended:
        """Run `refresh_index`."""
        ...


def chosen_sources(db: Database, keys: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources named by `keys`, in that order, each once; all of them for no keys.

    Raises  UnknownSource
    """
    if not keys:
        return registry.list_sources(db)
    return tuple(registry.get_source(db, key) for key in dict.fromkeys(keys))


def sync_sources(
    db: Database,
    sources: Sequence[Source],
    settings: Settings,
    launcher: Callable[[], AbstractContextManager[Launcher]],
) -> Iterator[SyncedSource]:
    """Bring sources up to date one after the other, yielding how each ended; then the vector index.

    A source that cannot be reached or fails never stops the others.
    """
    runs.close_all_abandoned(db)
    with ExitStack() as stack:
        opened: Launcher | None = None
        for source in sources:
            try:
                if _is_current(db, source, settings):
                    yield SyncedSource(
                        source.key,
                        "current",
                        runs.counts_when_unchanged(db, source),
                        failures=runs.failures(db, source),
                    )
                    continue
            except BrainError as error:
                yield _not_started(source, error)
                continue
            opened = opened or stack.enter_context(launcher())
            yield _sync_one(db, source, opened)
        if opened is not None and vector_index.is_behind(db):
            opened.refresh_index()


def _is_current(db: Database, source: Source, settings: Settings) -> bool:
    connector = open_connector(source, settings)
    try:
        return is_current(db, source, connector, current_recipe(settings))
    finally:
        connector.close()


def _not_started(source: Source, error: BrainError) -> SyncedSource:
    return SyncedSource(
        source.key,
        "failed",
        OutcomeCounts(),
        error=error.message,
        is_unavailable=isinstance(error, Transient),
    )


def _sync_one(db: Database, source: Source, launcher: Launcher) -> SyncedSource:
    try:
        ended = launcher.sync(source)
    except AlreadyRunning as error:
        return SyncedSource(source.key, "running", OutcomeCounts(), error=error.message)
    run = runs.run_of(db, source, ended.run_id)
    found = SyncedSource(source.key, "failed", OutcomeCounts(), ended.run_id)
    if run is not None:
        found = replace(
            found,
            state=run.state,
            counts=run.counts,
            problems=run.problems,
            error=run.error,
            failures=runs.failures(db, source),
        )
    if not ended.succeeded:
        return replace(found, state="failed", error="; ".join(ended.errors) or found.error)
    return found
