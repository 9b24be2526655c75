"""A ranking for those who measure: chunks with their files, or distinct files, never inline, never cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.model import Candidate, Mode, Principal
from brain_dagster.query.asking import Asked, ask
from brain_dagster.query.embedder import QueryEmbedder
from brain_dagster.query.ranking import LIST_DEPTH, Ranking, Reranking, rank, rerank, reranked_mode
from brain_dagster.query.scope import Scope
from brain_dagster.query.trace import ListTrace
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.excerpts import place_chunks
from brain_dagster.store.pool import Connection, Database

DEEPEST_LIST = 20_000


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk's place in a ranking, with the file it is in; `source` is the source's key."""

    chunk_id: int
    document_id: int
    source: str
    path: str
    score: Score


@dataclass(frozen=True, slots=True)
class RankedChunks:
    """A ranking with files; see Ranking for the fields."""

    mode: Mode
    chunks: tuple[RankedChunk, ...]
    missing: tuple[str, ...]
    trace: tuple[ListTrace, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class RankedFiles:
    """Distinct files, best first, each standing for its best chunk, as (source key, path)."""

    mode: Mode
    files: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def rank_chunks(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    *,
    collections: Sequence[str] | None = None,
    place: str | None = None,
    mode: Mode = Mode.AUTO,
    depth: int = LIST_DEPTH,
    reranking: Reranking | None = None,
) -> RankedChunks:
    """Rank chunks for a question, `depth` candidates per list.

    Raises  UnknownCollection, EmptyQuestion, QuestionTooLong, DenseHalfMissing, and what `reading` raises.
    """
    with ask(db, embedder, principal, text, collections=collections, place=place, mode=mode) as asked:
        ranking = _rank(db, asked, mode, depth, reranking)
        chunks = _with_files(asked.connection, asked.scope, ranking.candidates)
    return RankedChunks(ranking.mode, chunks, ranking.missing, ranking.trace, ranking.is_complete)


def rank_files(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    *,
    collections: Sequence[str] | None = None,
    place: str | None = None,
    mode: Mode = Mode.AUTO,
    files: int = 50,
    reranking: Reranking | None = None,
) -> RankedFiles:
    """Return the first `files` distinct files for a question.

    Order   the files of the lists that a search uses come first and in its order. If they are too few,
            deeper lists only append: more depth must not change the ranks that are being measured.
    """
    found: dict[tuple[str, str], None] = {}
    with ask(db, embedder, principal, text, collections=collections, place=place, mode=mode) as asked:
        depth = LIST_DEPTH
        while True:
            ranking = _rank(db, asked, mode, depth, reranking)
            for chunk in _with_files(asked.connection, asked.scope, ranking.candidates):
                found.setdefault((chunk.source, chunk.path))
            # Reranking scores a fixed number of candidates, however deep the lists are.
            is_all = ranking.is_complete or ranking.ranked_by is ScoreKind.RERANK
            if len(found) >= files or is_all or depth >= DEEPEST_LIST:
                break
            depth *= 5
    return RankedFiles(ranking.mode, tuple(found)[:files], ranking.missing)


def _rank(db: Database, asked: Asked, mode: Mode, depth: int, reranking: Reranking | None) -> Ranking:
    """Rank in the mode asked for; only "auto" takes the reranker unasked, so that both can be measured."""
    ranking = rank(
        db,
        asked.connection,
        asked.scope,
        asked.question,
        asked.vector,
        mode=reranked_mode(asked.mode, reranking) if mode is Mode.AUTO else asked.mode,
        depth=depth,
        reranking=reranking,
    )
    return ranking if reranking is None else rerank(ranking, asked.question, reranking)


def _with_files(
    connection: Connection, scope: Scope, candidates: Sequence[Candidate]
) -> tuple[RankedChunk, ...]:
    places = place_chunks(connection, scope.ids, [candidate.chunk_id for candidate in candidates])
    return tuple(
        RankedChunk(c.chunk_id, c.document_id, *places[c.chunk_id], c.score)
        for c in candidates
        if c.chunk_id in places
    )
