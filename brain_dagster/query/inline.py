"""One small collection alone: handed over whole, in reading order, because nothing needs to be ranked."""

from __future__ import annotations

from brain_dagster.model import Excerpt, Mode
from brain_dagster.query.passage import joined_excerpt, runs, token_count
from brain_dagster.query.scope import Scope, inline_collection
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.excerpts import fetch_whole_collection
from brain_dagster.store.pool import Connection


def whole_collection(connection: Connection, scope: Scope, mode: Mode) -> tuple[Excerpt, ...] | None:
    """Return the one collection in scope as it reads, or None if the question must be ranked.

    It is ranked if another mode than AUTO was asked for, if the scope holds several collections, if the
    collection has no live document, or if its live chunks hold more tokens than its inline limit, were it
    a single one. Documents that are pending, failed or skipped have no part in the answer.

    Shape  one excerpt per text file, as its chunks tile it; one per page of a paged document, so that each
           can be cited by its page. No text is repeated.
    Order  by source, path and position. How many places the caller asked for does not cut it: part of an
           unranked whole would be an arbitrary part.
    Unit   the score's kind is INLINE and it has no value.
    """
    collection = inline_collection(connection, scope) if mode is Mode.AUTO else None
    if collection is None:
        return None
    chunks = fetch_whole_collection(connection, collection)
    if not chunks or token_count(chunks) > collection.inline_token_limit:
        return None
    unranked = Score(ScoreKind.INLINE, None)
    return tuple(joined_excerpt(run, unranked) for run in runs(chunks))
