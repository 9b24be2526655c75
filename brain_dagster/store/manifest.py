"""What collections hold, counted by query and never by memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql


@dataclass(frozen=True, slots=True)
class CollectionContents:
    """The documents of one collection.

    ready, failed, skipped  documents by state
    processing  documents not yet readable, and files a run in progress has yet to publish
    files       names of the first ready documents, as (source key, path), in that order
    """

    ready: int = 0
    processing: int = 0
    failed: int = 0
    skipped: int = 0
    chunks: int = 0
    files: tuple[tuple[str, str], ...] = ()


def read_contents(
    connection: Connection, collections: Sequence[int], name_cap: int
) -> dict[int, CollectionContents]:
    """Return the contents of each of these collections; an empty collection has all counts zero."""
    scope = {"collections": list(collections)}
    counts = {row[0]: row[1:] for row in connection.execute(sql("manifest.count_documents"), scope)}
    staged = {row[0]: row[1] for row in connection.execute(sql("manifest.count_staged"), scope)}
    names: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for collection, key, path in connection.execute(
        sql("manifest.list_names"), {**scope, "name_cap": name_cap}
    ):
        names[collection].append((key, path))
    contents = {}
    for collection in collections:
        ready, pending, failed, skipped, chunks = counts.get(collection, (0, 0, 0, 0, 0))
        contents[collection] = CollectionContents(
            ready=ready,
            processing=pending + staged.get(collection, 0),
            failed=failed,
            skipped=skipped,
            chunks=chunks,
            files=tuple(names[collection]),
        )
    return contents
