"""What a reader gets of the chunks a ranking chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from brain_dagster.model import Candidate, Excerpt, Score, ScoreKind
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.scope import ReadableCollection


@dataclass(frozen=True, slots=True)
class FoundExcerpt:
    """An excerpt with the identities by which a ranking knows it."""

    chunk_id: int
    document_id: int
    excerpt: Excerpt


def place_chunks(
    connection: Connection, collections: Sequence[int], chunk_ids: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Return (source key, path) of each of these chunks that is live and in scope."""
    parameters = {"collections": list(collections), "chunks": list(chunk_ids)}
    rows = connection.execute(sql("excerpts.place_chunks"), parameters)
    return {chunk_id: (key, path) for chunk_id, key, path in rows}


def fetch_excerpts(
    connection: Connection, collections: Sequence[int], candidates: Sequence[Candidate]
) -> list[FoundExcerpt]:
    """Return the excerpts of these candidates in their order; those no longer live are left out."""
    chunk_ids = [candidate.chunk_id for candidate in candidates]
    parameters = {"collections": list(collections), "chunks": chunk_ids}
    rows = {row[0]: row for row in connection.execute(sql("excerpts.fetch"), parameters)}
    return [_excerpt(rows[c.chunk_id], c.score) for c in candidates if c.chunk_id in rows]


def fetch_whole_collection(connection: Connection, collection: ReadableCollection) -> list[FoundExcerpt]:
    """Return a small collection in reading order; nothing is ranked, so no score has a value."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit}
    rows = connection.execute(sql("excerpts.fetch_whole_collection"), parameters)
    return [_excerpt(row, Score(ScoreKind.INLINE, None)) for row in rows]


def _excerpt(row: tuple[Any, ...], score: Score) -> FoundExcerpt:
    chunk, document, collection, source, path, start, end, page, symbol, revision, indexed_at, text = row
    excerpt = Excerpt(
        collection=collection,
        source=source,
        path=path,
        start_line=start,
        end_line=end,
        page=page,
        symbol=symbol,
        score=score,
        revision=revision,
        indexed_at=indexed_at,
        text=text,
    )
    return FoundExcerpt(chunk, document, excerpt)
