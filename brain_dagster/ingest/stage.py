"""The chunks stage: reads the changed items through the funnel, parses, chunks, and stages the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brain_dagster.connectors.base import Connector
from brain_dagster.faults import fault
from brain_dagster.ingest.funnel import read_items
from brain_dagster.model import ListedItem, ReadItem, Source, SyncRun
from brain_dagster.parse.worker import ParserPool
from brain_dagster.progress import reporter
from brain_dagster.settings import Settings
from brain_dagster.store import staging
from brain_dagster.store.pool import Database
from brain_dagster.store.staging import StagedCounts

# A batch is durable as a whole; a killed run reads at most one batch again.
_BATCH_ITEMS = 64
_BATCH_CHUNKS = 1_000
# Parsing takes ten times as long as reading, hashing and storing, so two parsers keep two cores busy; for a
# few files the second one's start would cost more than it brings.
_PARSERS = 2
_ITEMS_FOR_A_SECOND_PARSER = 50


def stage_chunks(
    db: Database, source: Source, run: SyncRun, connector: Connector, settings: Settings
) -> StagedCounts:
    """Read what the diff found changed and stage its chunks; every item gets a state.

    Idempotent: items read by an earlier, killed run are not read again.
    """
    items = staging.unread_items(db, source)
    if items:
        report = reporter()
        report.begin(source.key, "chunks", len(items))
        workers = _PARSERS if len(items) >= _ITEMS_FOR_A_SECOND_PARSER else 1
        with ParserPool(settings, workers=workers) as parser:
            for batch in _batches(read_items(connector, items, parser, settings)):
                staging.stage_read(db, source, run.recipe, batch)
                fault("chunks.batch_staged")
                report.advance(source.key, "chunks", len(batch))
        report.end(source.key, "chunks", f"{len(items)} items read")
    return staging.staged_counts(db, source)


def _batches(
    read: Iterable[tuple[ListedItem, ReadItem]],
) -> Iterator[list[tuple[ListedItem, ReadItem]]]:
    batch: list[tuple[ListedItem, ReadItem]] = []
    chunks = 0
    for item, became in read:
        batch.append((item, became))
        chunks += len(became.document.chunks) if became.document else 0
        if len(batch) >= _BATCH_ITEMS or chunks >= _BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch
