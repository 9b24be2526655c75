"""Why a chunk is where it is: its place in every list, in the ranking, and what the answer made of it.

It takes the steps of a search and looks for one chunk in what each step returned. Only a place beyond the end
of a list is counted apart, in the transaction that chose the excerpts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain_dagster.errors import Refused
from brain_dagster.model import Excerpt, Mode, Principal
from brain_dagster.query.asking import Asked
from brain_dagster.query.embedder import QueryEmbedder
from brain_dagster.query.excerpts import Chosen
from brain_dagster.query.fuse import fuse_by_rank
from brain_dagster.query.inline import whole_collection
from brain_dagster.query.question import read_question
from brain_dagster.query.ranking import EXACT, Ranking, Reranking, list_weight
from brain_dagster.query.scope import Scope, resolve_scope
from brain_dagster.query.search import DEFAULT_LIMIT, Answer, answering, check_limit
from brain_dagster.query.standing import (
    Standing,
    Weighing,
    best_standing,
    dense_standing,
    exact_standing,
    lexical_standing,
    place_of,
    weigh_question,
)
from brain_dagster.query.words import WordShare
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.excerpts import FoundChunk, fetch_chunks
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading
from brain_dagster.store.why import Target, find_chunks

INLINE = "inline"


class UnknownChunk(Refused):
    """There is no such chunk that you may search; name it by its number or as SOURCE:PATH:LINE."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one list adds to a sum of reciprocal ranks."""

    half: str
    place: int
    value: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk's place among all candidates, the score that gave it, and the score's parts if it is a sum."""

    place: int
    of: int
    score: Score
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a chunk in the answer.

    by       shown, merge, twin, file, limit, gone, floor, cap as in a trace; unlisted: no list holds it
    excerpt  number of the excerpt that shows it, or names it as a twin; None if none does
    """

    by: str
    excerpt: int | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Where one chunk stands for one question.

    mode       the mode that ran, as in the answer of a search
    meant      how many chunks were pointed at; this is the one that stands best
    standings  its place in each list, lists that took no part with the reason; none if nothing was ranked
    words      what each word of the question adds to its BM25 score
    ranked     its place among the candidates the answer was made from; None: it is not one of them
    """

    query: str
    mode: str
    chunk: FoundChunk
    meant: int
    standings: tuple[Standing, ...]
    words: tuple[WordShare, ...]
    ranked: Ranked | None
    outcome: Outcome
    missing: tuple[str, ...]


def why(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    target: Target,
    *,
    collections: Sequence[str] | None = None,
    place: str | None = None,
    mode: Mode = Mode.AUTO,
    limit: int = DEFAULT_LIMIT,
    reranking: Reranking | None = None,
) -> Why:
    """Explain one chunk's part in the answer that `search` gives to the same arguments.

    Raises  UnknownChunk - the chunk does not exist or may not be searched by this principal in this place,
            or is in none of the collections named. These are not told apart, or texts could be probed (I3).
            What `search` raises.
    """
    check_limit(limit)
    question = read_question(text)
    with reading(db) as connection:
        # Before the model is asked: what may not be read costs nothing.
        scope = resolve_scope(connection, principal, place, collections)
        chunk_ids = _meant(connection, scope, target)
        whole = whole_collection(connection, scope, mode)
        if whole is not None:
            return _inline(connection, scope, question.text, chunk_ids, whole)
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
        chunk_ids = _meant(answer.asked.connection, answer.asked.scope, target)
        return _explained(answer, chunk_ids)


def _meant(connection: Connection, scope: Scope, target: Target) -> list[int]:
    chunk_ids = find_chunks(connection, scope.ids, target)
    if not chunk_ids:
        raise UnknownChunk(subject=target.written)
    return chunk_ids


def _inline(
    connection: Connection, scope: Scope, text: str, chunk_ids: Sequence[int], whole: Sequence[Excerpt]
) -> Why:
    chunk = fetch_chunks(connection, scope.ids, chunk_ids[:1])[chunk_ids[0]]
    shown = _excerpt_of(chunk.chunk_id, whole)
    return Why(text, INLINE, chunk, len(chunk_ids), (), (), None, Outcome("shown", shown), ())


def _explained(answer: Answer, chunk_ids: Sequence[int]) -> Why:
    asked, ranking = answer.asked, answer.ranking
    weighing = weigh_question(asked, answer.depth)
    chunk_id = _best(asked, weighing, ranking, chunk_ids)
    chunk = fetch_chunks(asked.connection, asked.scope.ids, [chunk_id])[chunk_id]
    standings, words = _standings(asked, weighing, ranking, chunk)
    return Why(
        query=asked.question.text,
        mode=answer.mode,
        chunk=chunk,
        meant=len(chunk_ids),
        standings=standings,
        words=words,
        ranked=_ranked(chunk_id, ranking),
        outcome=_outcome(chunk, ranking, answer.chosen),
        missing=ranking.missing,
    )


def _best(asked: Asked, weighing: Weighing, ranking: Ranking, chunk_ids: Sequence[int]) -> int:
    """Return the first of these chunks in the ranking, else in a list, else the one nearest to one."""
    meant = set(chunk_ids)
    for ranked in (ranking.candidates, *(found.candidates for found in ranking.lists)):
        for candidate in ranked:
            if candidate.chunk_id in meant:
                return candidate.chunk_id
    return chunk_ids[0] if len(chunk_ids) == 1 else best_standing(asked, weighing, chunk_ids)


def _standings(
    asked: Asked, weighing: Weighing, ranking: Ranking, chunk: FoundChunk
) -> tuple[tuple[Standing, ...], tuple[WordShare, ...]]:
    lists = {found.half: found for found in ranking.lists}
    standings: list[Standing] = []
    words: tuple[WordShare, ...] = ()
    for half in ("dense", "lexical"):
        reason = _absence(half, asked.mode, ranking.missing, chunk.collection, took_part=half in lists)
        if reason:
            standings.append(Standing(half, None, 0, None, None, reason))
        elif half == "dense":
            standings.append(dense_standing(asked, chunk.chunk_id, lists[half]))
        else:
            standing, words = lexical_standing(asked, weighing, chunk.chunk_id, lists[half])
            standings.append(standing)
    if EXACT in lists:
        standings.append(exact_standing(chunk.chunk_id, lists[EXACT]))
    return tuple(standings), words


def _absence(half: str, mode: Mode, missing: Sequence[str], collection: str, *, took_part: bool) -> str:
    """Why a half has not looked at the chunk's collection; empty if it has."""
    if not took_part and mode in (Mode.DENSE, Mode.LEXICAL) and mode.value != half:
        return f"the mode is {mode.value}"
    for entry in missing:
        who, _, reason = entry.partition(": ")
        name, _, collections = who.partition(" of ")
        if name == half and (collection in collections.split(", ") if collections else not took_part):
            return reason
    return "" if took_part else "it took no part"


def _ranked(chunk_id: int, ranking: Ranking) -> Ranked | None:
    found = place_of(chunk_id, ranking.candidates)
    if found is None:
        return None
    place, candidate = found
    is_sum = candidate.score.kind is ScoreKind.RRF
    parts = tuple(_parts(chunk_id, ranking)) if is_sum else ()
    return Ranked(place, len(ranking.candidates), candidate.score, parts)


def _parts(chunk_id: int, ranking: Ranking) -> Iterator[Part]:
    """What each list adds: the fusion of that list alone."""
    for found in ranking.lists:
        part = place_of(chunk_id, fuse_by_rank([found.candidates], weights=[list_weight(found)]))
        if part is not None and part[1].score.value is not None:
            yield Part(found.half, part[0], part[1].score.value)


def _outcome(chunk: FoundChunk, ranking: Ranking, chosen: Chosen) -> Outcome:
    dropped = {
        chunk_id: each.by for each in (*ranking.dropped, *chosen.dropped) for chunk_id in each.chunk_ids
    }
    by = dropped.get(chunk.chunk_id)
    shown = _excerpt_of(chunk.chunk_id, chosen.excerpts)
    if shown is not None:
        return Outcome("shown" if by is None else by, shown)
    if by is None:
        return Outcome("unlisted")
    return Outcome(by, _excerpt_with_twin(chunk, chosen.excerpts) if by == "twin" else None)


def _excerpt_of(chunk_id: int, excerpts: Sequence[Excerpt]) -> int | None:
    return next((n for n, excerpt in enumerate(excerpts, 1) if chunk_id in excerpt.chunk_ids), None)


def _excerpt_with_twin(chunk: FoundChunk, excerpts: Sequence[Excerpt]) -> int | None:
    """Return the excerpt that names the chunk's place; a twin of several chunks is named as one span."""
    for number, excerpt in enumerate(excerpts, start=1):
        for twin in excerpt.twins:
            is_there = (twin.source, twin.path, twin.page) == (chunk.source, chunk.path, chunk.page)
            if is_there and (chunk.start_line is None or _covers(twin.start_line, twin.end_line, chunk)):
                return number
    return None


def _covers(start: int | None, end: int | None, chunk: FoundChunk) -> bool:
    if start is None or end is None or chunk.start_line is None or chunk.end_line is None:
        return False
    return start <= chunk.start_line and chunk.end_line <= end
