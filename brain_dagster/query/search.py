"""The answer to one question: excerpts with their exact place and what their scores mean."""

from __future__ import annotations

from collections.abc import Sequence

from brain_dagster.errors import BadUsage
from brain_dagster.model import Candidate, Excerpt, Mode, Principal
from brain_dagster.query.embedder import QueryEmbedder, embed_question
from brain_dagster.query.question import read_question
from brain_dagster.query.ranking import LIST_DEPTH, rank, ranked_mode
from brain_dagster.query.scope import Scope, inline_collection, resolve_scope
from brain_dagster.query.trace import ScopeTrace, SearchResult, Trace
from brain_dagster.store.excerpts import FoundExcerpt, fetch_excerpts, fetch_whole_collection
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading

DEFAULT_LIMIT = 10
LARGEST_LIMIT = 1_000


def search(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    *,
    collections: Sequence[str] | None = None,
    place: str | None = None,
    mode: Mode = Mode.AUTO,
    limit: int = DEFAULT_LIMIT,
) -> SearchResult:
    """Answer a question with at most `limit` excerpts from what the principal may read.

    collections  names to search in; None: all that the principal may search
    place        where the answer will be spoken; None: to the asker alone
    mode         AUTO hands over a single small collection whole, and else takes the collections' default
    Order        best first; ties by chunk id. The same question on the same index gives the same answer.
    Raises       UnknownCollection, EmptyQuestion, QuestionTooLong, BadUsage (limit), DenseHalfMissing,
                 SearchTimedOut, DatabaseUnavailable.
    """
    if not 1 <= limit <= LARGEST_LIMIT:
        raise BadUsage(f"a search returns between 1 and {LARGEST_LIMIT} excerpts, not {limit}")
    question = read_question(text)
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        small = inline_collection(connection, scope) if mode is Mode.AUTO else None
        if small is not None:
            whole = fetch_whole_collection(connection, small)
            whole_trace = _trace(scope, ())
            return SearchResult(question.text, "inline", tuple(f.excerpt for f in whole), (), whole_trace)
    mode = ranked_mode(scope, mode)
    # The model runs while no connection is held; scope is resolved again in the transaction that reads.
    vector = None if mode is Mode.LEXICAL else embed_question(embedder, question.text)
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        ranking = rank(connection, scope, question, vector, mode=mode, depth=max(LIST_DEPTH, limit))
        excerpts = _first_distinct(connection, scope, ranking.candidates, limit)
    trace = _trace(scope, ranking.missing)
    return SearchResult(question.text, ranking.mode.value, excerpts, ranking.missing, trace)


def _trace(scope: Scope, missing: tuple[str, ...]) -> Trace:
    reasons = tuple(ScopeTrace(c.name, c.reason) for c in scope.collections)
    return Trace(reasons, (), (), None, missing, {})


def _first_distinct(
    connection: Connection, scope: Scope, candidates: Sequence[Candidate], limit: int
) -> tuple[Excerpt, ...]:
    """Fetch the best excerpts; the same text of the same document is shown once, at its best place."""
    kept: dict[tuple[int, str], FoundExcerpt] = {}
    for start in range(0, len(candidates), limit):
        for found in fetch_excerpts(connection, scope.ids, candidates[start : start + limit]):
            kept.setdefault((found.document_id, found.excerpt.text), found)
        if len(kept) >= limit:
            break
    return tuple(found.excerpt for found in kept.values())[:limit]
