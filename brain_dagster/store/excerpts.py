"""The stored text and place of the chunks a ranking chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.scope import ReadableCollection


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A live chunk as it is stored, with all that a reader is told about it.

    ordinal               its position in its document, from 0
    start_byte, end_byte  its span in the document's UTF-8 text; None in paged documents
    """

    chunk_id: int
    document_id: int
    ordinal: int
    collection: str
    source: str
    path: str
    start_byte: int | None
    end_byte: int | None
    start_line: int | None
    end_line: int | None
    page: int | None
    symbol: str
    tokens: int
    revision: str
    indexed_at: datetime
    text: str
    kind: str = ""
    page_label: str | None = None


def place_chunks(
    connection: Connection, collections: Sequence[int], chunk_ids: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Return (source key, path) of each of these chunks that is live and in scope."""
    parameters = {"collections": list(collections), "chunks": list(chunk_ids)}
    rows = connection.execute(sql("excerpts.place_chunks"), parameters)
    return {chunk_id: (key, path) for chunk_id, key, path in rows}


def fetch_chunks(
    connection: Connection, collections: Sequence[int], chunk_ids: Sequence[int]
) -> dict[int, FoundChunk]:
    """Return these chunks by id; those that are not live, or not in these collections, are absent (A2)."""
    parameters = {"collections": list(collections), "chunks": list(chunk_ids)}
    rows = connection.execute(sql("excerpts.fetch"), parameters)
    return {row[0]: FoundChunk(*row) for row in rows}


def fetch_whole_collection(connection: Connection, collection: ReadableCollection) -> list[FoundChunk]:
    """Return the live chunks of a small collection in reading order."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit}
    return [
        FoundChunk(*row) for row in connection.execute(sql("excerpts.fetch_whole_collection"), parameters)
    ]
