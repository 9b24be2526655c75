"""Nearest neighbours under filters: what gathering chooses, and the index alone, against the true ten.

Reference: every cosine computed with numpy over the vectors of the collection. 60,000 vectors of 384
dimensions in clusters; the collection asked for holds 50 %, 5 %, 0.5 % or 0.05 % of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bench.instance import temporary_brain
from bench.synthetic import READER, Corpus, Vectors, fill
from brain_dagster.model import Candidate, Mode, Principal
from brain_dagster.query.gather import gather
from brain_dagster.query.question import read_question
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store.dense import QueryVector, rank_densely_by_index
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading

VECTORS = 60_000
SHARES = (0.5, 0.05, 0.005, 0.0005)
WIDTH = 384
QUESTIONS = 50
# The depth of a search's lists, and the smallest there could be.
DEPTHS = (200, 10)
LEAST_OVERLAP = 0.98


@dataclass(frozen=True)
class Measured:
    """One way to a list, over all questions.

    fill     rows that came back, as a share of min(depth, matching)
    overlap  share of the true ten nearest that are among the first ten
    """

    strategies: str
    fill: float
    overlap: float
    p50_ms: float


@dataclass(frozen=True)
class _Answer:
    strategy: str
    candidates: Sequence[Candidate]


def main() -> None:
    """Print fill rate and overlap at every share; fail if what gathering chooses is below the floor."""
    sizes = [int(VECTORS * share) for share in SHARES]
    with temporary_brain() as (_, db):
        begun = perf_counter()
        corpus = fill(db, [*sizes, VECTORS - sum(sizes)], width=WIDTH, with_words=False)
        print(
            f"{VECTORS:,} vectors, {WIDTH} dimensions; loaded in {perf_counter() - begun:.0f} s", flush=True
        )
        verdicts = [_report(db, corpus, place, depth) for depth in DEPTHS for place in range(len(sizes))]
    assert all(verdicts), "what gathering chooses is below the floor"


def _report(db: Database, corpus: Corpus, place: int, depth: int) -> bool:
    chosen = measure(db, corpus, place, depth, _as_gathered)
    forced = measure(db, corpus, place, depth, _by_index)
    print(f"{corpus.sizes[place] / VECTORS:.2%} of the vectors ({corpus.sizes[place]:,}), depth {depth}")
    for name, found in (("gather", chosen), ("index alone", forced)):
        print(
            f"  {name:<12} fill {found.fill:7.2%}   overlap {found.overlap:.3f}"
            f"   p50 {found.p50_ms:6.1f} ms   {found.strategies}",
            flush=True,
        )
    return chosen.fill == 1.0 and chosen.overlap >= LEAST_OVERLAP


def measure(
    db: Database,
    corpus: Corpus,
    place: int,
    depth: int,
    answer: Callable[[Database, Connection, str, QueryVector, int], _Answer],
) -> Measured:
    """Ask all questions of one collection."""
    rows = db.all(
        "SELECT chunk_id, embedding FROM brain.chunk_embedding WHERE collection_id = %s ORDER BY chunk_id",
        (corpus.collections[place],),
    )
    chunks = np.array([chunk for chunk, _ in rows])
    vectors = np.array([vector.to_numpy() for _, vector in rows])
    took, returned, overlaps, strategies = [], [], [], set()
    for values in corpus.question_vectors(QUESTIONS):
        true = chunks[nearest(vectors, values)]
        with reading(db) as connection:
            begun = perf_counter()
            found = answer(db, connection, f"c{place:02}", QueryVector(corpus.space.id, values), depth)
            took.append(1000 * (perf_counter() - begun))
        ids = [candidate.chunk_id for candidate in found.candidates]
        returned.append(len(ids) / min(depth, len(chunks)))
        overlaps.append(len(set(ids[:10]) & set(true.tolist())) / len(true))
        strategies.add(found.strategy)
    return Measured(
        ", ".join(sorted(strategies)),
        float(np.mean(returned)),
        float(np.mean(overlaps)),
        float(np.median(took)),
    )


def nearest(vectors: Vectors, question: Vectors) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the places of the ten nearest; all vectors have length 1."""
    return np.argsort(-(vectors.astype(np.float64) @ question), kind="stable")[:10]


def _as_gathered(
    db: Database, connection: Connection, collection: str, vector: QueryVector, depth: int
) -> _Answer:
    scope = resolve_scope(connection, Principal(READER), None, [collection])
    question = read_question("anything")
    gathered = gather(db, connection, scope, question, vector, mode=Mode.DENSE, depth=depth)
    return _Answer(gathered.trace[0].strategy, gathered.lists[0].candidates)


def _by_index(
    db: Database, connection: Connection, collection: str, vector: QueryVector, depth: int
) -> _Answer:
    scope = resolve_scope(connection, Principal(READER), None, [collection])
    # Left alone, the planner would sort the rows of a small collection.
    connection.execute("SELECT set_config('enable_sort', 'off', true)")
    return _Answer("forced", rank_densely_by_index(connection, scope.ids[0], vector, depth))
