"""The delta of a source on its way through the stages: staged items, staged chunks, and the caches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, LiteralString, NamedTuple

import polars as pl
from psycopg.types.json import Jsonb

from brain_dagster.model import ItemKind, ListedItem, Listing, ReadItem, Source, SyncRun
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql
from brain_dagster.store.runs import begin_run, close_abandoned

KNOWN = pl.Schema(
    {
        "path_bytes": pl.Binary,
        "change_token": pl.String,
        "content_hash": pl.String,
        "state": pl.String,
        "recipe": pl.String,
        "is_retry_due": pl.Boolean,
    }
)


class StagedRow(NamedTuple):
    """One row of the delta, in the column order of `staging.copy_incoming`."""

    path_bytes: bytes
    path: str
    change: str
    item_kind: str
    token: str
    listed_hash: str | None
    listed_bytes: int | None


@dataclass(frozen=True, slots=True)
class StagedCounts:
    """What is staged for a source: items by (change, state), and its chunks."""

    items: dict[tuple[str, str], int]
    chunks: int
    tokens: int

    def of_state(self, state: str) -> int:
        """Items that were read and ended in `state`; unchanged and removed ones do not count."""
        return sum(
            count
            for (change, its_state), count in self.items.items()
            if its_state == state and change not in ("unchanged", "removed")
        )


def known_documents(db: Database, source: Source) -> pl.DataFrame:
    """Return what the store knows of a source; columns KNOWN, no order."""
    rows = db.all(sql("staging.get_known"), {"source_id": source.id})
    return pl.DataFrame(rows, schema=KNOWN, orient="row")


def stage_delta(
    db: Database, source: Source, listing: Listing, rows: Iterable[StagedRow], *, recipe: str, run_key: str
) -> SyncRun:
    """Open a run and stage its delta, all or nothing."""
    with db.transaction() as connection:
        keeps = close_abandoned(connection, source)
        run = begin_run(connection, source, listing, recipe=recipe, run_key=run_key)
        connection.execute(sql("staging.create_incoming"))
        copy_rows(connection, sql("staging.copy_incoming"), rows)
        connection.execute(
            sql("staging.drop_outdated"), {"source_id": source.id, "recipe": recipe, "keeps": keeps}
        )
        connection.execute(sql("staging.insert_items"), {"source_id": source.id, "recipe": recipe})
    return run


def copy_rows(connection: Connection, statement: LiteralString, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows through COPY; nothing is kept in memory but the row at hand."""
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def unread_items(db: Database, source: Source) -> list[ListedItem]:
    """Return the staged items whose bytes are still to be read, by path."""
    return [
        ListedItem(path, ItemKind(kind), token, listed_hash, size)
        for path, kind, token, listed_hash, size in db.all(
            sql("staging.get_unread"), {"source_id": source.id}
        )
    ]


def stage_read(
    db: Database, source: Source, recipe: str, read: Sequence[tuple[ListedItem, ReadItem]]
) -> None:
    """Record a batch of read items with their chunks, all or nothing; the batch is then durable."""
    with db.transaction() as connection:
        with connection.cursor() as cursor:
            cursor.executemany(
                sql("staging.set_read"), [_item_row(source, item, became) for item, became in read]
            )
        copy_rows(connection, sql("staging.copy_chunks"), _chunk_rows(source, read))
        keys = [path_key(item.path) for item, _ in read]
        connection.execute(
            sql("staging.settle_touched"), {"source_id": source.id, "path_keys": keys, "recipe": recipe}
        )


def path_key(path: bytes) -> bytes:
    """The key of a path in the store: its sha256, since a path may be longer than a B-tree entry."""
    return sha256(path).digest()


def _item_row(source: Source, item: ListedItem, became: ReadItem) -> dict[str, Any]:
    document = became.document
    return {
        "source_id": source.id,
        "path_bytes": item.path,
        "state": became.state.value,
        "content_hash": became.content_hash,
        "reason_code": became.reason_code,
        "reason": clean_text(became.reason) if became.reason else None,
        "retry_at": became.retry_at,
        "warnings": _cleaned(became.warnings),
        "media_type": became.media_type,
        "language": became.language,
        "encoding": became.encoding,
        "title": clean_text(document.title) if document else "",
        "size_bytes": became.size_bytes,
        "char_count": document.char_count if document else 0,
        "page_count": document.page_count if document else None,
        "outline": _cleaned(document.outline if document else ()),
        "imports": _cleaned(document.imports if document else ()),
        "metadata": Jsonb(_clean_metadata(document.metadata if document else {})),
    }


def _chunk_rows(source: Source, read: Sequence[tuple[ListedItem, ReadItem]]) -> Iterator[tuple[Any, ...]]:
    for item, became in read:
        if became.document is None:
            continue
        key = path_key(item.path)
        for chunk in became.document.chunks:
            yield (
                source.id,
                key,
                chunk.ordinal,
                chunk.kind,
                clean_text(chunk.symbol),
                _cleaned(chunk.enclosing),
                _cleaned(chunk.headings),
                clean_text(chunk.text),
                chunk.start_byte,
                chunk.end_byte,
                chunk.start_line,
                chunk.end_line,
                chunk.page,
                clean_text(chunk.page_label) if chunk.page_label else None,
                chunk.tokens,
                _cleaned(chunk.reached_by),
                clean_text(chunk.plain_text) if chunk.plain_text is not None else None,
            )


def _clean_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    return {clean_text(name): clean_text(value) for name, value in metadata.items()}


def _cleaned(texts: Iterable[str]) -> list[str]:
    return [clean_text(text) for text in texts]


def staged_counts(db: Database, source: Source) -> StagedCounts:
    """Return what is staged for a source."""
    items = {
        (change, state): count
        for change, state, count in db.all(sql("staging.count_staged"), {"source_id": source.id})
    }
    row = db.one(sql("staging.count_staged_chunks"), {"source_id": source.id})
    assert row is not None, "an aggregate promises one row"
    return StagedCounts(items, int(row[0]), int(row[1]))
