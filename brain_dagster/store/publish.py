"""The search_index stage: publishes the staged delta by joining it with the caches inside PostgreSQL.

Whole documents go in groups, each group one transaction: old chunks out, new chunks, vectors, term
statistics, document row and outcome in. No reader ever sees half a document, and a killed run leaves
every document either as it was or as it will be (A1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from brain_dagster.errors import Defect, Superseded
from brain_dagster.faults import fault
from brain_dagster.model import EmbeddingSpace, OutcomeCounts, Source, SyncRun
from brain_dagster.progress import reporter
from brain_dagster.store.claims import Claim
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql
from brain_dagster.store.runs import close_run, finish_run

# One transaction publishes whole documents up to about this many chunks: large enough that the commit
# and the statistics cost little, small enough that nobody waits for its locks.
GROUP_CHUNKS = 2_000
GROUP_ITEMS = 1_000
# "Unchanged" outcomes are kept for this many runs of a source; all others for good.
_KEEP_UNCHANGED_RUNS = 5


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What was published."""

    counts: OutcomeCounts
    chunks: int
    vectors: int
    groups: int


def publish(
    db: Database, source: Source, run: SyncRun, space: EmbeddingSpace | None, held: Claim
) -> PublishReport:
    """Publish everything staged for this run, then the removals, then settle the unchanged.

    space   where the vectors live; None only where nothing was staged that has text
    Raises  Superseded - a newer run listed this source meanwhile; nothing more is published (A7)
            Defect     - a stage before this one did not finish its work; nothing is published
    """
    publisher = _Publisher(db, source, run, space, held)
    try:
        return publisher.publish()
    except Superseded as error:
        close_run(db, run, "superseded", str(error))
        raise


class _Publisher:
    def __init__(
        self, db: Database, source: Source, run: SyncRun, space: EmbeddingSpace | None, held: Claim
    ) -> None:
        self._db = db
        self._source = source
        self._run = run
        self._held = held
        self._names: dict[str, Any] = {
            "source_id": source.id,
            "collection_id": source.collection_id,
            "run_id": run.id,
            "generation": run.generation,
            "revision": run.revision,
            "space_id": space.id if space else 0,
        }
        self._chunks = self._vectors = self._groups = 0

    def publish(self) -> PublishReport:
        self._require_prepared()
        report = reporter()
        report.begin(self._source.key, "search_index", None)
        self._each_group(
            "publish.next_group", {"chunks": GROUP_CHUNKS, "items": GROUP_ITEMS}, self._publish_group
        )
        if self._run.listing_is_complete:
            self._each_group("publish.next_removed", {"items": GROUP_ITEMS}, self._remove_group)
        counts = self._finish()
        report.end(self._source.key, "search_index", f"{self._chunks} chunks published")
        return PublishReport(counts, self._chunks, self._vectors, self._groups)

    def _require_prepared(self) -> None:
        row = self._db.one(sql("publish.count_unprepared"), self._names)
        assert row is not None, "an aggregate promises one row"
        unread, without_context, without_vector = row
        if unread or without_context or without_vector:
            raise Defect(
                f"not ready to publish: {unread} items not read, {without_context} chunks without context,"
                f" {without_vector} without a vector; materialize the stages before this one",
                subject=self._source.key,
            )

    def _each_group(
        self,
        next_group: str,
        limit: dict[str, int],
        handle: Callable[[Connection, dict[str, Any]], None],
    ) -> None:
        while True:
            self._held.assert_held()
            with self._db.transaction() as connection:
                self._require_generation(connection)
                rows = connection.execute(sql(next_group), {**self._names, **limit}).fetchall()
                if not rows:
                    return
                handle(connection, {**self._names, "path_keys": [row[0] for row in rows]})
                fault("publish.before_commit")
            fault("publish.group_committed")
            self._groups += 1
            reporter().advance(self._source.key, "search_index", len(rows))

    def _require_generation(self, connection: Connection) -> None:
        row = connection.execute(sql("publish.lock_generation"), self._names).fetchone()
        if row is None or row[0] != self._run.generation:
            raise Superseded(subject=self._source.key)

    def _publish_group(self, connection: Connection, names: dict[str, Any]) -> None:
        kept = {row[0] for row in connection.execute(sql("publish.keep_unreadable"), names)}
        group = {**names, "path_keys": [key for key in names["path_keys"] if key not in kept]}
        connection.execute(sql("publish.merge_terms"), group)
        fault("publish.after_terms")
        connection.execute(sql("publish.delete_chunks"), group)
        fault("publish.after_delete")
        connection.execute(sql("publish.upsert_documents"), group)
        fault("publish.after_documents")
        self._chunks += connection.execute(sql("publish.insert_chunks"), group).rowcount
        fault("publish.after_chunks")
        self._vectors += connection.execute(sql("publish.insert_vectors"), group).rowcount
        fault("publish.after_vectors")
        connection.execute(sql("publish.insert_outcomes"), group)
        connection.execute(sql("publish.clear_group"), group)

    def _remove_group(self, connection: Connection, names: dict[str, Any]) -> None:
        connection.execute(sql("publish.merge_terms"), names)
        connection.execute(sql("publish.delete_documents"), names)
        fault("publish.after_removal")
        connection.execute(sql("publish.insert_deleted"), names)
        connection.execute(sql("publish.clear_group"), names)

    def _finish(self) -> OutcomeCounts:
        with self._db.transaction() as connection:
            self._require_generation(connection)
            connection.execute(sql("publish.settle_unchanged"), self._names)
            fault("publish.after_unchanged")
            rows = connection.execute(sql("publish.count_outcomes"), self._names).fetchall()
            counts = OutcomeCounts(**{outcome: number for outcome, number, _ in rows})
            waiting = sum(retries for _, _, retries in rows)
            is_whole = self._run.listing_is_complete and not waiting
            finish_run(connection, self._run, counts, is_whole=is_whole)
            connection.execute(sql("publish.prune_unchanged"), {**self._names, "keep": _KEEP_UNCHANGED_RUNS})
            fault("publish.before_finish")
        return counts
