"""One ranking over the union: what search shows and what the evaluation measures are the same list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from brain_dagster.errors import BadUsage, Transient
from brain_dagster.model import Candidate, Mode
from brain_dagster.query.draw import draw_round_robin
from brain_dagster.query.embedder import NoVector
from brain_dagster.query.exact import find_exactly
from brain_dagster.query.fuse import fuse_by_rank
from brain_dagster.query.gather import Gathered, HalfList, gather
from brain_dagster.query.question import Question
from brain_dagster.query.rerank import missing_words, rerank_union
from brain_dagster.query.scope import Scope
from brain_dagster.query.trace import Dropped, ListTrace
from brain_dagster.rerank.base import Reranker, RerankFailed
from brain_dagster.score import ScoreKind
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.excerpts import fetch_chunks
from brain_dagster.store.pool import Connection, Database

# Candidates per list. Declaration chunks are about half the size of the 1,200 characters for which 100 is
# usual, so 200 of them stand for as many files; measured on five goldsets, 200 was never worse than 100.
LIST_DEPTH = 200
# A place that stands letter by letter as asked comes first: 3/(60 + 20) is more than two lists can give.
EXACT_WEIGHT = 3.0
EXACT = "exact"


class DenseHalfMissing(Transient):
    """The dense mode cannot answer without vectors; ask in the lexical or hybrid mode, or try again."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """How to rerank: by what, how many candidates, what is too little to be shown, and how long to wait."""

    reranker: Reranker
    candidates: int = 100
    floor: float = 0.0
    timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Draw:
    """What a reranker is to see.

    candidates  the union, drawn from every collection's lists in turn, no chunk twice
    texts       what it reads of each chunk
    """

    candidates: tuple[Candidate, ...]
    texts: dict[int, str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates of one score kind, best first.

    mode         the mode that ran: hybrid with one half missing ran as the other half alone, and reranking
                 that failed as rank fusion
    ranked_by    the kind of every candidate's score; None without candidates
    lists        what the halves found, after the exact list where the question quotes something
    draw         what `rerank` is to score; None if nothing is to be reranked
    is_complete  whether every list ended before its depth, so that asking deeper would find no more
    ms           wall time of gathering and of reranking
    """

    mode: Mode
    candidates: tuple[Candidate, ...]
    lists: tuple[HalfList, ...]
    missing: tuple[str, ...]
    trace: tuple[ListTrace, ...]
    is_complete: bool
    ms: dict[str, float]
    draw: Draw | None = None
    dropped: tuple[Dropped, ...] = ()

    @property
    def ranked_by(self) -> ScoreKind | None:
        """The kind of every candidate's score; None without candidates."""
        return self.candidates[0].score.kind if self.candidates else None


def reranked_mode(mode: Mode, reranking: Reranking | None) -> Mode:
    """A hybrid search is reranked where a reranker is at hand."""
    return Mode.RERANKED if mode is Mode.HYBRID and reranking is not None else mode


def rank(
    db: Database,
    connection: Connection,
    scope: Scope,
    question: Question,
    vector: QueryVector | NoVector | None,
    *,
    mode: Mode,
    depth: int,
    reranking: Reranking | None = None,
) -> Ranking:
    """Gather and rank once, over the union. `mode` is dense, lexical, hybrid or hybrid+rerank.

    In the mode hybrid+rerank the result is in the order of rank fusion and carries the draw; `rerank` does
    the rest, once the connection was given back: a reranker may take seconds (I7).
    Raises  DenseHalfMissing - dense alone was asked for and cannot answer.
            BadUsage         - hybrid+rerank without a reranker.
    """
    if mode is Mode.RERANKED and reranking is None:
        raise BadUsage("no reranker is configured; set BRAIN_RERANK, or choose another mode")
    started = perf_counter()
    halves = Mode.HYBRID if mode is Mode.RERANKED else mode
    gathered = gather(db, connection, scope, question, vector, mode=halves, depth=depth)
    if mode is Mode.DENSE and gathered.half("dense") is None:
        raise DenseHalfMissing(gathered.missing[0])
    exact = _exact_list(connection, scope, question) if halves is Mode.HYBRID else None
    lists = (*([exact.found] if exact else []), *gathered.lists)
    draw = _draw(connection, scope, lists, reranking) if reranking and mode is Mode.RERANKED else None
    return Ranking(
        mode=_mode_that_ran(halves, gathered),
        candidates=tuple(_fuse((*gathered.lists, *([exact.found] if exact else [])))),
        lists=lists,
        missing=gathered.missing,
        trace=(*gathered.trace, *(exact.trace if exact else ())),
        is_complete=all(len(found.candidates) < depth for found in gathered.lists),
        ms={"gather": (perf_counter() - started) * 1000},
        draw=draw,
    )


def rerank(ranking: Ranking, question: Question, reranking: Reranking) -> Ranking:
    """Score the draw in one call and order by it; what is below the floor is dropped, nothing is padded.

    A failure leaves the order of rank fusion standing and is named in `missing` (I11).
    """
    if ranking.draw is None:
        return ranking
    drawn = ranking.draw.candidates
    try:
        reranked = rerank_union(
            reranking.reranker,
            question.text,
            drawn,
            ranking.draw.texts,
            floor=reranking.floor,
            timeout_s=reranking.timeout_s,
        )
    except RerankFailed as failed:
        return replace(ranking, missing=(*ranking.missing, missing_words(failed)))
    seen = {candidate.chunk_id for candidate in drawn}
    beyond = tuple(c.chunk_id for c in ranking.candidates if c.chunk_id not in seen)
    dropped = (Dropped("cap", beyond), Dropped("floor", reranked.below_floor))
    return replace(
        ranking,
        mode=Mode.RERANKED,
        candidates=reranked.candidates,
        dropped=tuple(kind for kind in dropped if kind.chunk_ids),
        ms={**ranking.ms, "rerank": reranked.ms},
    )


@dataclass(frozen=True, slots=True)
class _Exact:
    found: HalfList
    trace: tuple[ListTrace, ...]


def _exact_list(connection: Connection, scope: Scope, question: Question) -> _Exact | None:
    """Look up what the question quotes; None if it quotes nothing that stands anywhere."""
    if not question.mentions or not scope.collections:
        return None
    started = perf_counter()
    found = find_exactly(connection, scope.ids, question.mentions)
    ms = (perf_counter() - started) * 1000
    if not found:
        return None
    parts = tuple(tuple(c for c in found if c.collection_id == collection) for collection in scope.ids)
    trace = tuple(
        ListTrace(EXACT, collection.name, "looked up letter by letter", len(part), ms)
        for collection, part in zip(scope.collections, parts, strict=True)
        if part
    )
    return _Exact(HalfList(EXACT, tuple(found), parts), trace)


def list_weight(found: HalfList) -> float:
    """What a place in this list weighs in the fusion."""
    return EXACT_WEIGHT if found.half == EXACT else 1.0


def _fuse(lists: Sequence[HalfList]) -> Sequence[Candidate]:
    """One list per scorer; a half that is alone keeps its own scores, as there is nothing to fuse."""
    if len(lists) == 1 and lists[0].half != EXACT:
        return lists[0].candidates
    return fuse_by_rank(
        [found.candidates for found in lists], weights=[list_weight(found) for found in lists]
    )


def _draw(connection: Connection, scope: Scope, lists: Sequence[HalfList], reranking: Reranking) -> Draw:
    """Draw from every collection's lists in turn, so that each of them reaches the reranker."""
    parts = [part for found in lists for part in found.by_collection]
    drawn = draw_round_robin(parts, reranking.candidates)
    chunks = fetch_chunks(connection, scope.ids, [candidate.chunk_id for candidate in drawn])
    texts = {i: f"{chunk.path} {chunk.symbol}".strip() + f"\n{chunk.text}" for i, chunk in chunks.items()}
    return Draw(tuple(drawn), texts)


def _mode_that_ran(mode: Mode, gathered: Gathered) -> Mode:
    ran = {found.half for found in gathered.lists}
    return Mode(ran.pop()) if mode is Mode.HYBRID and len(ran) == 1 else mode
