"""Reads staged chunks that wait for a context, and stores what was written for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pgvector import SparseVector

from brain_dagster.errors import Defect
from brain_dagster.model import Source
from brain_dagster.store.clean import clean_text
from brain_dagster.store.cursors import stream
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql
from brain_dagster.store.staging import copy_rows


@dataclass(frozen=True, slots=True)
class WaitingChunk:
    """A staged chunk with all that is known of its place; fields as in model.ChunkDraft.

    text      what is embedded and indexed: the chunk's plain text where it has one, else its text
    metadata  what the document says of itself
    """

    path_key: bytes
    path: str
    title: str
    language: str
    outline: tuple[str, ...]
    imports: tuple[str, ...]
    ordinal: int
    kind: str
    symbol: str
    enclosing: tuple[str, ...]
    headings: tuple[str, ...]
    page: int | None
    page_label: str | None
    text: str
    tokens: int
    chunk_count: int
    reached_by: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnweighedDocument:
    """A staged document whose words were not weighed yet: its chunks' texts and symbols, in order."""

    path_key: bytes
    path: str
    texts: tuple[str, ...]
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextRow:
    """What the contexts stage derived for one staged chunk.

    context_key   sha256 naming the sentence in the cache: its writer and what it was made from
    embed_header  stands in front of the chunk's text when it is embedded; never depends on the path
    embed_key     sha256 of exactly the text that is embedded
    terms, bm25   the lexical columns, see lexical.bm25
    """

    path_key: bytes
    ordinal: int
    context_key: bytes
    kind: str
    model: str
    prompt_hash: bytes
    state: str
    sentence: str
    embed_header: str
    embed_key: bytes
    terms: list[int]
    bm25: SparseVector


def count_waiting(db: Database, source: Source) -> int:
    """Return how many staged chunks have no context yet."""
    row = db.one(sql("staging.count_without_context"), {"source_id": source.id})
    assert row is not None, "an aggregate promises one row"
    return int(row[0])


def waiting_chunks(db: Database, source: Source, batch: int) -> Iterator[list[WaitingChunk]]:
    """Yield the staged chunks without a context in lists of up to `batch`, by path and ordinal."""
    for rows in stream(db, sql("staging.get_without_context"), {"source_id": source.id}, batch):
        yield [_waiting(row) for row in rows]


def _waiting(row: tuple[Any, ...]) -> WaitingChunk:
    """Build a waiting chunk; PostgreSQL's arrays become tuples."""
    values: list[Any] = [tuple(value) if isinstance(value, list) else value for value in row]
    return WaitingChunk(*values)


def unweighed_documents(db: Database, source: Source, batch: int) -> Iterator[list[UnweighedDocument]]:
    """Yield the staged documents without a vector of words, in lists of up to `batch`."""
    for rows in stream(db, sql("staging.get_unweighed_documents"), {"source_id": source.id}, batch):
        yield [UnweighedDocument(key, path, tuple(texts), tuple(names)) for key, path, texts, names in rows]


def store_document_vectors(
    db: Database, source: Source, vectors: Sequence[tuple[bytes, SparseVector]]
) -> None:
    """Keep the vectors of whole documents, by path key, all or nothing."""
    with db.transaction() as connection, connection.cursor() as cursor:
        cursor.executemany(
            sql("staging.set_document_vector"),
            [{"source_id": source.id, "path_key": key, "bm25": vector} for key, vector in vectors],
        )


def store_contexts(db: Database, source: Source, rows: Sequence[ContextRow]) -> None:
    """Put sentences into the cache and point their chunks at them, all or nothing."""
    with db.transaction() as connection:
        connection.execute(sql("staging.create_incoming_context"))
        copy_rows(connection, sql("staging.copy_incoming_context"), map(_columns, rows))
        connection.execute(sql("staging.insert_contexts"))
        changed = connection.execute(sql("staging.set_contexts"), {"source_id": source.id}).rowcount
        if changed != len(rows):
            raise Defect(f"{len(rows)} contexts met {changed} staged chunks", subject=source.key)


def _columns(row: ContextRow) -> tuple[object, ...]:
    return (
        row.path_key,
        row.ordinal,
        row.context_key,
        row.kind,
        row.model,
        row.prompt_hash,
        row.state,
        clean_text(row.sentence),
        row.embed_header,
        row.embed_key,
        row.terms,
        row.bm25,
    )
