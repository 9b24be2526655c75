"""Where one chunk stands in the list of each half, and why it is not in it if it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from brain_dagster.model import Candidate
from brain_dagster.query.asking import Asked
from brain_dagster.query.gather import HalfList, rank_words
from brain_dagster.query.lexical import WeighedQuestion, weigh
from brain_dagster.query.words import WordShare, word_shares
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store import lexical, why
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.lexical import TermStatistics
from brain_dagster.store.pool import Connection
from brain_dagster.store.reading import SearchBlocked, SearchTimedOut, attempt
from brain_dagster.store.why import WordsFound

UNCOUNTED = "its exact place could not be counted in time"
Counted = TypeVar("Counted")


@dataclass(frozen=True, slots=True)
class Weighing:
    """A question as the lexical half weighs it in this scope."""

    statistics: TermStatistics
    weighed: WeighedQuestion | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a chunk stands in one list.

    half         dense, lexical or exact
    place        its place in the list, from 1; None: it is not in it
    listed       how long the list is
    exact_place  if it is not in it: its place had the list no end; None where that has no meaning
    score        what this half's scorer gives it, in the list or not; None: it cannot be scored
    reason       why it is not in the list; empty if it is
    """

    half: str
    place: int | None
    listed: int
    exact_place: int | None
    score: Score | None
    reason: str


def place_of(chunk_id: int, ranked: Sequence[Candidate]) -> tuple[int, Candidate] | None:
    """Return a chunk's place in a list, from 1, and what the list says of it."""
    for place, candidate in enumerate(ranked, start=1):
        if candidate.chunk_id == chunk_id:
            return place, candidate
    return None


def weigh_question(asked: Asked) -> Weighing:
    """Weigh the question as the lexical half does."""
    terms = asked.question.terms
    statistics = lexical.term_statistics(asked.connection, asked.scope.ids, list(terms))
    return Weighing(statistics, weigh(terms, statistics))


def exact_standing(chunk_id: int, half: HalfList) -> Standing:
    """Say where a chunk stands among the places that the question quotes letter by letter."""
    listed = place_of(chunk_id, half.candidates)
    if listed is not None:
        return _listed(half, *listed)
    return _unlisted(half, "it does not stand there letter by letter as the question quotes it")


def dense_standing(asked: Asked, chunk_id: int, half: HalfList) -> Standing:
    """Say where a chunk stands by its vector."""
    listed = place_of(chunk_id, half.candidates)
    if listed is not None:
        return _listed(half, *listed)
    vector = asked.vector
    assert isinstance(vector, QueryVector), "the half took part"
    found = why.find_vectors(asked.connection, [chunk_id], vector)[chunk_id]
    if found.similarity is None:
        return _unlisted(half, _without_vector(found.failure))
    score = Score(ScoreKind.COSINE, found.similarity)
    nearer = _counted(
        asked.connection, lambda: why.count_nearer(asked.connection, asked.scope.ids, vector, chunk_id)
    )
    if nearer is None:
        return _unlisted(half, UNCOUNTED, score)
    if nearer >= len(half.candidates):
        return _unlisted(half, "other chunks are nearer", score, nearer + 1)
    reason = "the vector index did not return it, although its place is within the list"
    return _unlisted(half, reason, score, nearer + 1)


def lexical_standing(
    asked: Asked, weighing: Weighing, chunk_id: int, half: HalfList
) -> tuple[Standing, tuple[WordShare, ...]]:
    """Say where a chunk stands by its words, and what each word of the question does for it."""
    weighed = weighing.weighed
    if weighed is None:
        return _unlisted(half, "no word of the question occurs in what was searched"), ()
    found = find_words(asked.connection, [chunk_id], weighed)[chunk_id]
    words = word_shares(asked.question, weighing.statistics, weighed, found)
    listed = place_of(chunk_id, half.candidates)
    if listed is not None:
        return _listed(half, *listed), words
    if not found.passes_gate:
        return _unlisted(half, _outside_the_gate(found, words)), words
    score = Score(ScoreKind.BM25, found.score + found.document_score)
    exact, reason = _lexical_place(asked, weighed, chunk_id, len(half.candidates))
    return _unlisted(half, reason, score, exact), words


def best_standing(asked: Asked, weighing: Weighing, chunk_ids: Sequence[int]) -> int:
    """Return the chunk that is nearest to being found, of chunks that no list holds.

    Words come first, because a chunk without one is as near to any question; then the vector; then the
    first in reading order.
    """
    by_words: dict[int, float] = {}
    if weighing.weighed is not None:
        found = find_words(asked.connection, chunk_ids, weighing.weighed)
        by_words = {chunk: each.score + each.document_score for chunk, each in found.items() if each.weights}
    nearness: dict[int, float] = {}
    if isinstance(asked.vector, QueryVector):
        vectors = why.find_vectors(asked.connection, chunk_ids, asked.vector)
        nearness = {chunk: each.similarity for chunk, each in vectors.items() if each.similarity is not None}
    return max(chunk_ids, key=lambda chunk: (by_words.get(chunk, 0.0), nearness.get(chunk, -2.0)))


def find_words(
    connection: Connection, chunk_ids: Sequence[int], weighed: WeighedQuestion
) -> dict[int, WordsFound]:
    """Return what these chunks hold of a weighed question."""
    return why.find_words(
        connection,
        chunk_ids,
        gate=weighed.gate,
        question=weighed.vector,
        document_question=weighed.document_vector,
    )


def _listed(half: HalfList, place: int, candidate: Candidate) -> Standing:
    return Standing(half.half, place, len(half.candidates), None, candidate.score, "")


def _unlisted(half: HalfList, reason: str, score: Score | None = None, exact: int | None = None) -> Standing:
    return Standing(half.half, None, len(half.candidates), exact, score, reason)


def _lexical_place(
    asked: Asked, weighed: WeighedQuestion, chunk_id: int, length: int
) -> tuple[int | None, str]:
    """Look for the chunk in the same list made as long as it can be; further down its own score orders."""
    breadth = max(lexical.BREADTH, length)
    longest = _counted(
        asked.connection,
        lambda: rank_words(asked.connection, asked.scope.ids, weighed, breadth),
    )
    found = place_of(chunk_id, longest or ())
    if found is not None:
        return found[0], "other chunks score better"
    better = _counted(
        asked.connection,
        lambda: why.count_better(
            asked.connection,
            asked.scope.ids,
            gate=weighed.gate,
            question=weighed.vector,
            chunk_id=chunk_id,
        ),
    )
    if longest is None or better is None:
        return None, UNCOUNTED
    return better + 1, f"it is not among the {breadth:,} best by their own words, and others are not scored"


def _outside_the_gate(found: WordsFound, words: Sequence[WordShare]) -> str:
    if found.weights:
        held = ", ".join(f"`{word.word}`" for word in words if word.is_held)
        return f"what it holds of the question is too common to be looked for: {held}"
    if found.document_weights:
        return "no word of the question occurs in it, only elsewhere in its file"
    return "no word of the question occurs in it"


def _without_vector(failure: str | None) -> str:
    return f"embedding it failed: {failure}" if failure is not None else "it has no vector yet"


def _counted(connection: Connection, count: Callable[[], Counted]) -> Counted | None:
    """Run a count that looks at everything; None if that takes longer than a search may."""
    try:
        with attempt(connection):
            return count()
    except (SearchTimedOut, SearchBlocked):
        return None
