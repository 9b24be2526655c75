"""One ranking over the union: what search shows and what the evaluation measures are the same list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.errors import Transient
from brain_dagster.model import Candidate, Mode, Principal, Score
from brain_dagster.query.embedder import NoVector, QueryEmbedder, embed_question
from brain_dagster.query.fuse import fuse_by_rank
from brain_dagster.query.gather import Gathered, gather
from brain_dagster.query.question import Question, read_question
from brain_dagster.query.scope import Scope, default_mode, resolve_scope
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.excerpts import place_chunks
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading

# Candidates per list. Declaration chunks are about half the size of the 1,200 characters for which 100 is
# usual, so 200 of them stand for as many files; measured on three goldsets, 200 was never worse than 100.
LIST_DEPTH = 200
DEEPEST_LIST = 20_000


class DenseHalfMissing(Transient):
    """The dense mode cannot answer without vectors; ask in the lexical or hybrid mode, or try again."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates of one score kind, best first.

    mode         the mode that ran: hybrid with one half missing ran as the other half alone
    is_complete  whether every list ended before its depth, so that asking deeper would find no more
    """

    mode: Mode
    candidates: tuple[Candidate, ...]
    missing: tuple[str, ...]
    trace: tuple[str, ...]
    is_complete: bool


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
    trace: tuple[str, ...]
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
) -> RankedChunks:
    """Rank chunks for a question, `depth` candidates per list; never inline.

    Raises  UnknownCollection, EmptyQuestion, QuestionTooLong, DenseHalfMissing, and what `reading` raises.
    """
    question = read_question(text)
    with reading(db) as connection:
        mode = ranked_mode(resolve_scope(connection, principal, place, collections), mode)
    vector = None if mode is Mode.LEXICAL else embed_question(embedder, question.text)
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        ranking = rank(connection, scope, question, vector, mode=mode, depth=depth)
        chunks = _with_files(connection, scope, ranking.candidates)
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
) -> RankedFiles:
    """Return the first `files` distinct files for a question.

    Order   the files of the lists that a search uses come first and in its order. If they are too few,
            deeper lists only append: more depth must not change the ranks that are being measured.
    """
    question = read_question(text)
    with reading(db) as connection:
        mode = ranked_mode(resolve_scope(connection, principal, place, collections), mode)
    vector = None if mode is Mode.LEXICAL else embed_question(embedder, question.text)
    found: dict[tuple[str, str], None] = {}
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        depth = LIST_DEPTH
        while True:
            ranking = rank(connection, scope, question, vector, mode=mode, depth=depth)
            for chunk in _with_files(connection, scope, ranking.candidates):
                found.setdefault((chunk.source, chunk.path))
            if len(found) >= files or ranking.is_complete or depth >= DEEPEST_LIST:
                break
            depth *= 5
    return RankedFiles(ranking.mode, tuple(found)[:files], ranking.missing)


def ranked_mode(scope: Scope, mode: Mode) -> Mode:
    """The mode to rank in: the one asked for, or the default of the collections in scope."""
    return default_mode(scope) if mode is Mode.AUTO else mode


def rank(
    connection: Connection,
    scope: Scope,
    question: Question,
    vector: QueryVector | NoVector | None,
    *,
    mode: Mode,
    depth: int,
) -> Ranking:
    """Gather and rank once, over the union. `mode` is dense, lexical or hybrid.

    Raises  DenseHalfMissing - dense alone was asked for and cannot answer.
    """
    gathered = gather(connection, scope, question, vector, mode=mode, depth=depth)
    lists = [found for found in (gathered.dense, gathered.lexical) if found is not None]
    if mode is Mode.DENSE and gathered.dense is None:
        raise DenseHalfMissing(gathered.missing[0])
    return Ranking(
        mode=_mode_that_ran(mode, gathered),
        candidates=tuple(fuse_by_rank(lists) if len(lists) > 1 else lists[0] if lists else ()),
        missing=tuple(gathered.missing),
        trace=tuple(gathered.trace),
        is_complete=all(len(found) < depth for found in lists),
    )


def _mode_that_ran(mode: Mode, gathered: Gathered) -> Mode:
    if mode is Mode.HYBRID and gathered.dense is None and gathered.lexical is not None:
        return Mode.LEXICAL
    if mode is Mode.HYBRID and gathered.lexical is None and gathered.dense is not None:
        return Mode.DENSE
    return mode


def _with_files(
    connection: Connection, scope: Scope, candidates: Sequence[Candidate]
) -> tuple[RankedChunk, ...]:
    places = place_chunks(connection, scope.ids, [candidate.chunk_id for candidate in candidates])
    return tuple(
        RankedChunk(c.chunk_id, c.document_id, *places[c.chunk_id], c.score)
        for c in candidates
        if c.chunk_id in places
    )
