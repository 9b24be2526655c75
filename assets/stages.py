"""What every stage of a source does around its work: find the source, claim it, report, end honestly."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import dagster as dg

from brain_dagster import progress
from brain_dagster.errors import AlreadyRunning, BrainError, Superseded, Transient
from brain_dagster.model import Source, SyncRun
from brain_dagster.store import runs, sources
from brain_dagster.store.claims import Claim, claim
from brain_dagster.store.pool import Database
from resources.store import StoreResource

Metadata = Mapping[str, int | float | str | dg.MetadataValue]

# A source that does not answer is asked once more in the same run; after that the next tick tries again.
TRANSIENT_RETRY = dg.RetryPolicy(max_retries=1, delay=2)


@dataclass
class Stage:
    """The work of one stage on one source: its database, its source, its claim, its run."""

    context: dg.AssetExecutionContext
    db: Database
    source: Source
    claim: Claim
    started: float = field(default_factory=time.monotonic)

    def run(self) -> SyncRun:
        """The sync run this stage works for."""
        return runs.find_run(self.db, self.source, self.context.run.run_id)

    def result(self, metadata: Metadata, *, digest: str) -> dg.MaterializeResult:
        """Materialize with counts for operators and a version for those who depend on this asset."""
        seconds = round(time.monotonic() - self.started, 3)
        return dg.MaterializeResult(
            metadata={**metadata, "seconds": seconds}, data_version=dg.DataVersion(digest)
        )


@contextmanager
def stage(context: dg.AssetExecutionContext, store: StoreResource) -> Iterator[Stage]:
    """Run one stage of the partition's source under its claim.

    Errors  BrainErrors become dg.Failure: retried by Dagster only where a retry can help. Whatever ends
            the stage early is written to the source's run, so that no run stays "running" (A5).
    """
    db = store.db
    try:
        source = sources.get_source(db, context.partition_key)
        held = claim(db, source, context.run.run_id)
        with _progress(context):
            yield Stage(context, db, source, held)
    except BrainError as error:
        _close(context, db, error)
        raise _failure(error) from error
    except Exception as error:  # a defect ends the run as well; it is written down and goes on its way
        _close(context, db, error)
        raise


def _failure(error: BrainError) -> dg.Failure:
    can_retry = isinstance(error, Transient) and not isinstance(error, (AlreadyRunning, Superseded))
    return dg.Failure(description=str(error), metadata={"code": error.code}, allow_retries=can_retry)


def _close(context: dg.AssetExecutionContext, db: Database, error: Exception) -> None:
    """Write the end of the source's run, if this Dagster run is the one that opened it."""
    if isinstance(error, AlreadyRunning):
        return
    words = str(error) if isinstance(error, BrainError) else type(error).__name__
    runs.fail_run(db, context.partition_key, context.run.run_id, words)


@contextmanager
def _progress(context: dg.AssetExecutionContext) -> Iterator[None]:
    """Send progress to the run's log, unless a surface is already listening."""
    if progress.is_heard():
        yield
        return
    lines = progress.LineReporter(lambda _, words: context.log.info(words))
    with progress.reporting_to(lines):
        yield
