"""Candidates: what each half found in each collection, and one list per half over their union.

Cosine similarity in one embedding space is one unit whatever the collection, and so is BM25 under one
set of statistics; fusing a list per collection would throw that comparison away. Each collection's own
candidates are kept beside the union, for a reranker that is to see something of every collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from brain_dagster.model import Candidate, Mode
from brain_dagster.query import dense
from brain_dagster.query.embedder import NoVector
from brain_dagster.query.lexical import WeighedQuestion, weigh
from brain_dagster.query.portion import Found, Portion, look
from brain_dagster.query.question import Question
from brain_dagster.query.scope import Scope
from brain_dagster.query.trace import ListTrace
from brain_dagster.store import lexical
from brain_dagster.store.crew import run_together
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection, Database

LEXICAL = "lexical"
Task = Callable[[Connection], list[Portion]]


@dataclass(frozen=True, slots=True)
class HalfList:
    """What one half found.

    half           dense or lexical
    candidates     the best of the union, best first, at most the depth asked for; ties by chunk id
    by_collection  each collection's own candidates, best first, in the order of the scope; empty where
                   nothing was found or the collection could not be looked at
    """

    half: str
    candidates: tuple[Candidate, ...]
    by_collection: tuple[tuple[Candidate, ...], ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the halves brought.

    lists    one per half that took part, dense before lexical
    missing  what could not take part and why: `dense: reason`, or `dense of wiki, shop: reason` where the
             half answered for the other collections
    trace    one row per half and collection that was looked at, halves as in `lists`, collections as in
             the scope
    """

    lists: tuple[HalfList, ...]
    missing: tuple[str, ...]
    trace: tuple[ListTrace, ...]

    def half(self, name: str) -> HalfList | None:
        """Return the list of one half; None if it could not take part."""
        return next((found for found in self.lists if found.half == name), None)


@dataclass(frozen=True, slots=True)
class Half:
    """What is to be done for one half, or why it cannot take part."""

    name: str
    tasks: Sequence[Task] = ()
    absence: str = ""


def gather(
    db: Database,
    connection: Connection,
    scope: Scope,
    question: Question,
    vector: QueryVector | NoVector | None,
    *,
    mode: Mode,
    depth: int,
) -> Gathered:
    """Gather up to `depth` candidates per half and collection; what fails is named, the rest answers (I11).

    connection  in the transaction of this search; `db` is where it is from, and may have more of them, so
                that halves and collections are looked at concurrently, all in one snapshot
    vector      None only if the mode is lexical
    mode        dense, lexical or hybrid
    Order       the same question on the same index gives the same answer, whichever statement ends first
    """
    halves = plan(connection, scope, question, vector, mode=mode, depth=depth)
    tasks = [task for half in halves for task in half.tasks]
    portions = list(chain.from_iterable(run_together(db, connection, scope.ids, tasks)))
    lists, missing, trace = [], [], []
    for half in halves:
        own = {portion.collection_id: portion for portion in portions if portion.half == half.name}
        missing += _missing(half, scope, own)
        trace += _trace(scope, own)
        if not half.absence and not (own and all(portion.failure for portion in own.values())):
            lists.append(_merge(half.name, scope, own, depth))
    return Gathered(tuple(lists), tuple(missing), tuple(trace))


def plan(
    connection: Connection,
    scope: Scope,
    question: Question,
    vector: QueryVector | NoVector | None,
    *,
    mode: Mode,
    depth: int,
) -> list[Half]:
    """Return the statements that `gather` runs, those of the dense half first."""
    halves = []
    if mode is not Mode.LEXICAL:
        halves.append(_plan_dense(connection, scope, vector, depth))
    if mode is not Mode.DENSE:
        halves.append(_plan_lexical(scope, question, depth))
    return halves


def _plan_dense(
    connection: Connection, scope: Scope, vector: QueryVector | NoVector | None, depth: int
) -> Half:
    if not isinstance(vector, QueryVector):
        reason = vector.reason if vector else "the question was not embedded"
        return Half(dense.HALF, absence=reason)
    planned = dense.plan(connection, scope.ids, vector, depth)
    if isinstance(planned, str):
        return Half(dense.HALF, absence=planned)
    return Half(dense.HALF, dense.tasks(planned, vector, depth))


def _plan_lexical(scope: Scope, question: Question, depth: int) -> Half:
    if not question.terms:
        return Half(LEXICAL, absence="there is no word in the question")
    return Half(LEXICAL, [partial(_look_lexically, collections=scope.ids, question=question, depth=depth)])


def _look_lexically(
    connection: Connection, *, collections: Sequence[int], question: Question, depth: int
) -> list[Portion]:
    """Search all collections in one go: they share their statistics, and are not searched apart."""

    def search(scope: Sequence[int]) -> Found:
        weighed = weigh(question.terms, lexical.term_statistics(connection, scope, list(question.terms)))
        if weighed is None:
            return Found((), "no word of the question occurs")
        found = rank_words(connection, scope, weighed, depth)
        return Found(found, gate_words(weighed))

    return look(connection, LEXICAL, collections, search, is_divisible=False)


def rank_words(
    connection: Connection, collections: Sequence[int], weighed: WeighedQuestion, depth: int
) -> list[Candidate]:
    """Return the best chunks by their words; a gate that lets in too few is widened."""
    found = rank_through(connection, collections, weighed, weighed.gate, depth=depth)
    if weighed.wider is None or len(found) >= depth:
        return found
    more = rank_through(connection, collections, weighed, weighed.wider, depth=depth)
    merged = {candidate.chunk_id: candidate for candidate in (*found, *more)}
    return best_first(merged.values())[:depth]


def rank_through(
    connection: Connection,
    collections: Sequence[int],
    weighed: WeighedQuestion,
    gate: lexical.Gate,
    *,
    depth: int,
) -> list[Candidate]:
    """Return the best chunks by their words among those that one gate lets in."""
    return lexical.rank_lexically(
        connection,
        collections,
        gate=gate,
        question=weighed.vector,
        document_question=weighed.document_vector,
        depth=depth,
    )


def gate_words(weighed: WeighedQuestion) -> str:
    """Say in words what the gate let in."""
    terms, gate = len(weighed.vector.indices()), weighed.gate
    if not gate.every and gate.share == 1:
        return f"{len(gate.terms)} of {terms} terms let in at most {weighed.rows:,} rows"
    asked = f"{len(gate.every)} of {terms} at once let" if gate.every else "the rarest lets"
    share = "" if gate.share == 1 else f" of {gate.share:.0%} of the documents"
    return f"all words common: {asked} in about {weighed.rows:,} rows{share}"


def _merge(half: str, scope: Scope, portions: dict[int, Portion], depth: int) -> HalfList:
    own = tuple(portions[each].candidates if each in portions else () for each in scope.ids)
    return HalfList(half, tuple(best_first(chain.from_iterable(own))[:depth]), own)


def best_first(found: Iterable[Candidate]) -> list[Candidate]:
    """Order candidates of one scorer by score, ties by chunk id.

    Raises  TypeError - their scores are of several kinds, and so have no common order.
    """
    candidates = list(found)
    if len({candidate.score.kind for candidate in candidates}) > 1:
        raise TypeError("scores of several kinds have no common order")
    return sorted(candidates, key=_place)


def _place(candidate: Candidate) -> tuple[float, int]:
    # The number and not the score, as their one kind is known: 14 lists of 200 took 17 ms to sort by score,
    # and 1.4 by number.
    assert candidate.score.value is not None, "no half returns what was not ranked"
    return -candidate.score.value, candidate.chunk_id


def _missing(half: Half, scope: Scope, portions: dict[int, Portion]) -> list[str]:
    if half.absence:
        return [f"{half.name}: {half.absence}"]
    failed: dict[str, list[str]] = {}
    for collection in scope.collections:
        portion = portions.get(collection.id)
        if portion is not None and portion.failure:
            failed.setdefault(portion.failure, []).append(collection.name)
    if not failed and half.name == dense.HALF and not any(p.candidates for p in portions.values()):
        return [f"{half.name}: no chunk in scope has a vector yet"]
    if len(failed) == 1 and len(next(iter(failed.values()))) == len(scope.collections):
        return [f"{half.name}: {reason}" for reason in failed]
    return [f"{half.name} of {', '.join(names)}: {reason}" for reason, names in failed.items()]


def _trace(scope: Scope, portions: dict[int, Portion]) -> list[ListTrace]:
    return [
        ListTrace(p.half, c.name, p.strategy or "failed", len(p.candidates), p.ms, p.note or p.failure)
        for c in scope.collections
        if (p := portions.get(c.id)) is not None
    ]
