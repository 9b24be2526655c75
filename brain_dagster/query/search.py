"""The answer to one question: excerpts with their exact place and what their scores mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from brain_dagster.errors import BadUsage
from brain_dagster.model import Mode, Principal
from brain_dagster.query.asking import Asked, ask
from brain_dagster.query.embedder import QueryEmbedder
from brain_dagster.query.excerpts import Chosen, choose_excerpts
from brain_dagster.query.inline import whole_collection
from brain_dagster.query.question import Question, read_question
from brain_dagster.query.ranking import LIST_DEPTH, Ranking, Reranking, rank, rerank, reranked_mode
from brain_dagster.query.scope import Scope, resolve_scope
from brain_dagster.query.trace import ScopeTrace, SearchResult, Trace
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading

DEFAULT_LIMIT = 10
LARGEST_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the steps that made it.

    asked  its connection is in the transaction that chose the excerpts
    depth  how long each list may be
    """

    asked: Asked
    ranking: Ranking
    chosen: Chosen
    depth: int

    @property
    def mode(self) -> str:
        """The mode that ran, as results name it; `ranked_by` tells whether a reranker ordered."""
        return (Mode.HYBRID if self.ranking.mode is Mode.RERANKED else self.ranking.mode).value


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
    reranking: Reranking | None = None,
) -> SearchResult:
    """Answer a question with at most `limit` excerpts from what the principal may read.

    collections  names to search in; None: all that the principal may search
    place        where the answer will be spoken; None: to the asker alone
    mode         AUTO hands over a single small collection whole, whatever `limit` is, and else takes the
                 collections' default
    reranking    reorders what the hybrid modes find; None: rank fusion orders it
    Order        best first; ties by chunk id. The same question on the same index gives the same answer.
    Raises       UnknownCollection, EmptyQuestion, QuestionTooLong, BadUsage (limit), DenseHalfMissing,
                 SearchTimedOut, DatabaseUnavailable.
    """
    started = perf_counter()
    if mode is Mode.AUTO:
        check_limit(limit)
        whole = _inline(db, read_question(text), principal, place, collections)
        if whole is not None:
            return _timed(whole, started)
    with answering(
        db,
        embedder,
        principal,
        text,
        collections=collections,
        place=place,
        mode=mode,
        limit=limit,
        reranking=reranking,
    ) as answer:
        result = _answer(answer)
    return _timed(result, started)


def check_limit(limit: int) -> None:
    """Raises BadUsage if nobody can want, or nothing can make, so many excerpts."""
    if not 1 <= limit <= LARGEST_LIMIT:
        raise BadUsage(f"a search returns between 1 and {LARGEST_LIMIT} excerpts, not {limit}")


@contextmanager
def answering(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    *,
    collections: Sequence[str] | None,
    place: str | None,
    mode: Mode,
    limit: int,
    reranking: Reranking | None,
) -> Iterator[Answer]:
    """Rank and choose excerpts; the transaction that chose them stays open, for whoever asks why.

    Raises  what `search` raises.
    """
    check_limit(limit)
    with ask(db, embedder, principal, text, collections=collections, place=place, mode=mode) as asked:
        ranking = rank(
            db,
            asked.connection,
            asked.scope,
            asked.question,
            asked.vector,
            mode=reranked_mode(asked.mode, reranking),
            depth=_depth(limit),
            reranking=reranking,
        )
        if ranking.draw is None or reranking is None:
            yield _chosen(asked, ranking, limit)
            return
    ranking = rerank(ranking, asked.question, reranking)
    # The reranker ran without a connection, so access decides once more (I3).
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        yield _chosen(replace(asked, connection=connection, scope=scope), ranking, limit)


def _chosen(asked: Asked, ranking: Ranking, limit: int) -> Answer:
    chosen = choose_excerpts(asked.connection, asked.scope, ranking.candidates, limit)
    return Answer(asked, ranking, chosen, _depth(limit))


def _depth(limit: int) -> int:
    return max(LIST_DEPTH, limit)


def _inline(
    db: Database,
    question: Question,
    principal: Principal,
    place: str | None,
    collections: Sequence[str] | None,
) -> SearchResult | None:
    """Hand over the one collection in scope if it is small; see `query.inline`."""
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        whole = whole_collection(connection, scope, Mode.AUTO)
    if whole is None:
        return None
    trace = Trace(_scope_trace(scope), (), (), None, (), {})
    return SearchResult(question.text, "inline", whole, (), trace)


def _answer(answer: Answer) -> SearchResult:
    asked, ranking, chosen = answer.asked, answer.ranking, answer.chosen
    trace = Trace(
        scope=_scope_trace(asked.scope),
        lists=ranking.trace,
        dropped=(*ranking.dropped, *chosen.dropped),
        ranked_by=ranking.ranked_by,
        missing=ranking.missing,
        ms={"embed": asked.embed_ms, **ranking.ms},
    )
    return SearchResult(asked.question.text, answer.mode, chosen.excerpts, ranking.missing, trace)


def _timed(result: SearchResult, started: float) -> SearchResult:
    ms = {"total": (perf_counter() - started) * 1000, **result.trace.ms}
    return replace(result, trace=replace(result.trace, ms=ms))


def _scope_trace(scope: Scope) -> tuple[ScopeTrace, ...]:
    return tuple(ScopeTrace(collection.name, collection.reason) for collection in scope.collections)
