"""Where one chunk stands in the list of each half, and why it is not in it if it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from brain_dagster.model import Candidate
from brain_dagster.query.asking import Asked
from brain_dagster.query.gather import HalfList, best_first, rank_through
from brain_dagster.query.lexical import WeighedQuestion, weigh
from brain_dagster.query.words import WordShare, word_shares
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store import lexical, why
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.lexical import Gate, TermStatistics
from brain_dagster.store.pool import Connection
from brain_dagster.store.reading import SearchBlocked, SearchTimedOut, attempt
from brain_dagster.store.why import WordsFound

UNCOUNTED = "its exact place could not be counted in time"
Counted = TypeVar("Counted")


@dataclass(frozen=True, slots=True)
class Weighing:
    """A question as the lexical half weighs it in this scope.

    gates  those that the search went through: two if the first let in too few
    """

    statistics: TermStatistics
    weighed: WeighedQuestion | None
    gates: tuple[Gate, ...] = ()


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


def weigh_question(asked: Asked, depth: int) -> Weighing:
    """Weigh the question as the lexical half does for a list of this depth."""
    terms = asked.question.terms
    statistics = lexical.term_statistics(asked.connection, asked.scope.ids, list(terms))
    weighed = weigh(terms, statistics)
    if weighed is None:
        return Weighing(statistics, None)
    if weighed.wider is None or len(_ranked(asked, weighed, weighed.gate, depth)) >= depth:
        return Weighing(statistics, weighed, (weighed.gate,))
    return Weighing(statistics, weighed, (weighed.gate, weighed.wider))


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
    passed = [find_words(asked.connection, [chunk_id], weighed, gate)[chunk_id] for gate in weighing.gates]
    found = passed[0]
    words = word_shares(asked.question, weighing.statistics, weighed, found)
    listed = place_of(chunk_id, half.candidates)
    if listed is not None:
        return _listed(half, *listed), words
    if not any(each.passes_gate for each in passed):
        return _unlisted(half, _outside_the_gates(weighing.gates, found, words)), words
    score = Score(ScoreKind.BM25, found.score + found.document_score)
    exact, reason = _lexical_place(asked, weighed, weighing.gates, chunk_id, len(half.candidates))
    return _unlisted(half, reason, score, exact), words


def best_standing(asked: Asked, weighing: Weighing, chunk_ids: Sequence[int]) -> int:
    """Return the chunk that is nearest to being found, of chunks that no list holds.

    Words come first, because a chunk without one is as near to any question; then the vector; then the
    first in reading order.
    """
    by_words: dict[int, float] = {}
    if weighing.weighed is not None:
        found = find_words(asked.connection, chunk_ids, weighing.weighed, weighing.weighed.gate)
        by_words = {chunk: each.score + each.document_score for chunk, each in found.items() if each.weights}
    nearness: dict[int, float] = {}
    if isinstance(asked.vector, QueryVector):
        vectors = why.find_vectors(asked.connection, chunk_ids, asked.vector)
        nearness = {chunk: each.similarity for chunk, each in vectors.items() if each.similarity is not None}
    return max(chunk_ids, key=lambda chunk: (by_words.get(chunk, 0.0), nearness.get(chunk, -2.0)))


def find_words(
    connection: Connection, chunk_ids: Sequence[int], weighed: WeighedQuestion, gate: Gate
) -> dict[int, WordsFound]:
    """Return what these chunks hold of a weighed question, and whether they pass a gate of it."""
    return why.find_words(
        connection,
        chunk_ids,
        gate=gate,
        question=weighed.vector,
        document_question=weighed.document_vector,
    )


def _listed(half: HalfList, place: int, candidate: Candidate) -> Standing:
    return Standing(half.half, place, len(half.candidates), None, candidate.score, "")


def _unlisted(half: HalfList, reason: str, score: Score | None = None, exact: int | None = None) -> Standing:
    return Standing(half.half, None, len(half.candidates), exact, score, reason)


def _ranked(asked: Asked, weighed: WeighedQuestion, gate: Gate, depth: int) -> list[Candidate]:
    return rank_through(asked.connection, asked.scope.ids, weighed, gate, depth=depth)


def _lexical_place(
    asked: Asked, weighed: WeighedQuestion, gates: Sequence[Gate], chunk_id: int, length: int
) -> tuple[int | None, str]:
    """Look for the chunk in the same list made as long as it can be; further down its own score orders."""
    breadth = max(lexical.BREADTH, length)
    longest = _counted(asked.connection, lambda: [_ranked(asked, weighed, gate, breadth) for gate in gates])
    if longest is None:
        return None, UNCOUNTED
    merged = {candidate.chunk_id: candidate for ranked in longest for candidate in ranked}
    found = place_of(chunk_id, best_first(merged.values()))
    if found is not None:
        return found[0], "other chunks score better"
    reason = f"it is not among the {breadth:,} best by their own words, and others are not scored"
    if len(gates) > 1:
        return None, reason
    better = _counted(
        asked.connection,
        lambda: why.count_better(
            asked.connection, asked.scope.ids, gate=gates[0], question=weighed.vector, chunk_id=chunk_id
        ),
    )
    return (None, UNCOUNTED) if better is None else (better + 1, reason)


def _outside_the_gates(gates: Sequence[Gate], found: WordsFound, words: Sequence[WordShare]) -> str:
    if not found.weights:
        elsewhere = ", only elsewhere in its file" if found.document_weights else ""
        return f"no word of the question occurs in it{elsewhere}"
    gate = gates[0]
    if not gate.every and gate.share == 1:
        held = _quoted(word for word in words if word.is_held)
        return f"what it holds of the question is too common to be looked for: {held}"
    ways = [f"together: {_quoted(word for word in words if word.is_in_gate)}"] if gate.every else []
    if any(each.share < 1 for each in gates):
        ways.append("in a share of the documents, and its own is not one")
    return f"every word of the question is common, so they are looked for {'; or '.join(ways)}"


def _quoted(words: Iterable[WordShare]) -> str:
    return ", ".join(f"`{word.word}`" for word in words)


def _without_vector(failure: str | None) -> str:
    return f"embedding it failed: {failure}" if failure is not None else "it has no vector yet"


def _counted(connection: Connection, count: Callable[[], Counted]) -> Counted | None:
    """Run a count that looks at everything; None if that takes longer than a search may."""
    try:
        with attempt(connection):
            return count()
    except (SearchTimedOut, SearchBlocked):
        return None
