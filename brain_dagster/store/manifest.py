"""What collections hold, counted by query and never by memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from brain_dagster.model import State
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """How many documents of a collection are in `state`, failed or skipped, for one reason."""

    state: State
    code: str
    documents: int


@dataclass(frozen=True, slots=True)
class CollectionContents:
    """The documents of one collection.

    ready, failed, skipped  documents by state
    processing  documents not yet readable, and files a run has yet to publish; each file once
    files       names of the first ready documents, as (source key, path), in that order
    reasons     why documents failed or were skipped: per state the most frequent reasons first
    sources     how many there are
    synced_at   since when all of its sources have been complete; None if one of them never was
    """

    ready: int = 0
    processing: int = 0
    failed: int = 0
    skipped: int = 0
    chunks: int = 0
    files: tuple[tuple[str, str], ...] = ()
    reasons: tuple[ReasonCount, ...] = ()
    sources: int = 0
    synced_at: datetime | None = None


def read_contents(
    connection: Connection, collections: Sequence[int], *, name_cap: int, reason_cap: int
) -> dict[int, CollectionContents]:
    """Return the contents of each of these collections; an empty collection has all counts zero."""
    scope = {"collections": list(collections)}
    counts = {row[0]: row[1:] for row in connection.execute(sql("manifest.count_documents"), scope)}
    processing = {row[0]: row[1] for row in connection.execute(sql("manifest.count_processing"), scope)}
    freshness = {row[0]: row[1:] for row in connection.execute(sql("manifest.list_freshness"), scope)}
    names = _names(connection, collections, name_cap)
    reasons = _reasons(connection, collections, reason_cap)
    contents = {}
    for collection in collections:
        ready, failed, skipped, chunks = counts.get(collection, (0, 0, 0, 0))
        sources, synced_at = freshness.get(collection, (0, None))
        contents[collection] = CollectionContents(
            ready=ready,
            processing=processing.get(collection, 0),
            failed=failed,
            skipped=skipped,
            chunks=chunks,
            files=tuple(names[collection]),
            reasons=tuple(reasons[collection]),
            sources=sources,
            synced_at=synced_at,
        )
    return contents


def _names(
    connection: Connection, collections: Sequence[int], name_cap: int
) -> defaultdict[int, list[tuple[str, str]]]:
    parameters = {"collections": list(collections), "name_cap": name_cap}
    names: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for collection, key, path in connection.execute(sql("manifest.list_names"), parameters):
        names[collection].append((key, path))
    return names


def _reasons(
    connection: Connection, collections: Sequence[int], reason_cap: int
) -> defaultdict[int, list[ReasonCount]]:
    parameters = {"collections": list(collections), "reason_cap": reason_cap}
    reasons: defaultdict[int, list[ReasonCount]] = defaultdict(list)
    for collection, state, code, documents in connection.execute(sql("manifest.list_reasons"), parameters):
        reasons[collection].append(ReasonCount(State(state), code, documents))
    return reasons
