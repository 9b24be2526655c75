"""Gathering over 14 collections of very different size, against the statements it consists of.

Reference: the slowest of these statements, each run alone on one connection in the same process, right
after the gathering of the same question. `python -m bench gather` runs over 20,000 and 200,000 chunks,
`python -m bench gather 1000000` over as many as named; beyond 200,000 the vectors have 64 dimensions instead
of 384, as the load would take most of an hour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bench.instance import temporary_brain
from bench.synthetic import READER, Corpus, fill, texts_of, uneven_sizes, word
from brain_dagster.model import Mode, Principal
from brain_dagster.query import dense
from brain_dagster.query.gather import LEXICAL, gather, plan
from brain_dagster.query.question import Question, read_question
from brain_dagster.query.scope import Scope, resolve_scope
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading

CHUNKS = (20_000, 200_000)
MOST_CHUNKS_AT_FULL_WIDTH = 200_000
QUESTIONS = 60
DEPTH = 200
WIDEST = 384
NARROW = 64


@dataclass(frozen=True)
class Asked:
    """A question of one kind; the kinds differ in how common their words are."""

    kind: str
    question: Question
    vector: QueryVector


def main(sizes: Sequence[int] = ()) -> None:
    """Print what gathering costs at each size."""
    for chunks in sizes or CHUNKS:
        width = WIDEST if chunks <= MOST_CHUNKS_AT_FULL_WIDTH else NARROW
        with temporary_brain() as (_, db):
            begun = perf_counter()
            corpus = fill(db, uneven_sizes(chunks), width=width)
            print(f"\n{chunks:,} chunks, {width} dimensions; loaded in {perf_counter() - begun:.0f} s")
            print(f"collections: {', '.join(f'{size:,}' for size in corpus.sizes)}", flush=True)
            measure(db, corpus)


def measure(db: Database, corpus: Corpus) -> None:
    """Ask all questions once to warm up, and once on the clock; print the table."""
    asked = list(questions(corpus))
    for each in asked:
        _ask(db, each)
    gathered: list[float] = []
    alone: defaultdict[str, list[float]] = defaultdict(list)
    by_kind: defaultdict[str, list[float]] = defaultdict(list)
    for each in asked:
        gathered.append(_ask(db, each))
        for name, ms in _statements(db, each):
            alone[name].append(ms)
            if name == LEXICAL:
                by_kind[each.kind].append(ms)
    _print("gather, dense and lexical together", gathered)
    for name, took in alone.items():
        _print(f"  alone: {name}", took)
    slowest = max(_percentile(took, 95) for took in alone.values())
    print(f"ratio p95 gather / p95 slowest statement: {_percentile(gathered, 95) / slowest:.2f} (target < 2)")
    for kind, took in by_kind.items():
        _print(f"  lexical alone, {kind}", took)
    p95 = _percentile([ms for took in by_kind.values() for ms in took], 95)
    print(f"lexical p95 over all kinds: {p95:.0f} ms (target < 50 at 200,000 chunks)", flush=True)


def questions(corpus: Corpus) -> Iterator[Asked]:
    """Yield the questions of each kind in turn."""
    random = np.random.default_rng(11)
    vectors = corpus.question_vectors(QUESTIONS)
    kinds: dict[str, Callable[[], str]] = {
        "eight words of a text": lambda: " ".join(texts_of(random, 1)[0].split()[:8]),
        "a whole text": lambda: texts_of(random, 1)[0],
        "the commonest words": lambda: " ".join(word(int(n)) for n in random.permutation(12)[:6]),
        "common words and a rare one": lambda: " ".join(
            [*(word(int(n)) for n in random.permutation(12)[:5]), word(int(random.integers(20_000, 40_000)))]
        ),
    }
    for number, vector in enumerate(vectors):
        kind = list(kinds)[number % len(kinds)]
        yield Asked(kind, read_question(kinds[kind]()), QueryVector(corpus.space.id, vector))


@contextmanager
def _scoped(db: Database) -> Iterator[tuple[Connection, Scope]]:
    with reading(db) as connection:
        yield connection, resolve_scope(connection, Principal(READER), None, None)


def _ask(db: Database, asked: Asked) -> float:
    with _scoped(db) as (connection, scope):
        begun = perf_counter()
        gathered = gather(db, connection, scope, asked.question, asked.vector, mode=Mode.HYBRID, depth=DEPTH)
        ms = 1000 * (perf_counter() - begun)
    assert gathered.missing == (), gathered.missing
    return ms


def _statements(db: Database, asked: Asked) -> Iterator[tuple[str, float]]:
    """Yield each statement of a gathering with its wall time, one after the other on one connection."""
    with _scoped(db) as (connection, scope):
        begun = perf_counter()
        halves = plan(connection, scope, asked.question, asked.vector, mode=Mode.HYBRID, depth=DEPTH)
        yield "planning", 1000 * (perf_counter() - begun)
        for half in halves:
            for task in half.tasks:
                begun = perf_counter()
                portions = task(connection)
                ms = 1000 * (perf_counter() - begun)
                assert not any(portion.failure for portion in portions)
                yield (
                    _name(
                        half.name, [scope.ids.index(p.collection_id) for p in portions], portions[0].strategy
                    ),
                    ms,
                )


def _name(half: str, places: Sequence[int], strategy: str) -> str:
    if half == LEXICAL:
        return LEXICAL
    which = f"collection {places[0] + 1}" if len(places) == 1 else f"{len(places)} collections"
    return f"{dense.HALF}, {which}: {strategy}"


def _percentile(took: Sequence[float], share: float) -> float:
    return float(np.percentile(took, share))


def _print(name: str, took: Sequence[float]) -> None:
    p50, p95 = _percentile(took, 50), _percentile(took, 95)
    print(f"{name:<60} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   {len(took)} questions", flush=True)
