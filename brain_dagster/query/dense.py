"""The dense half: per collection the cheaper of two ways to the nearest vectors, and never a short list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

from brain_dagster.query.portion import Found, Portion, look
from brain_dagster.store import dense as store
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection
from brain_dagster.store.reading import SearchBlocked, SearchTimedOut, attempt

HALF = "dense"
BY_SCAN = "every vector compared"
BY_INDEX = "index"
BY_BOTH = f"{BY_INDEX}, then {BY_SCAN}"

# What the two ways cost, in microseconds. Measured on 2026-12-01 with PostgreSQL 18.4 and pgvector 0.8.5 on
# two busy cores, medians; what counts is how they compare. 384 dimensions, clustered vectors, depth 200:
#   a scan   per vector: 1.9 to 2.4 (100,190 to 22,000 of 200,000 vectors); 0.8 at 64 dimensions
#   a walk   per step: 89, 72 and 64 where 50 %, 22 % and 11 % of 200,000 vectors pass; 40 among 20,000
# From about 500 dimensions on a vector no longer fits beside its row (PostgreSQL moves what makes a row
# longer than 2 kB out of the table), and a scan has to fetch each one: 15 to 37 at 768 and 1,536. The index
# holds its own copies, so its steps only become longer with the width.
SCAN_US = 0.6
SCAN_US_PER_DIMENSION = 0.0037
SCAN_US_OUT_OF_LINE = 17.0
WIDEST_IN_LINE = 490
STEP_US = 30.0
STEP_US_PER_DIMENSION = 0.12
# The index may miss what a scan cannot, so it has to save a third at least.
INDEX_HANDICAP = 1.5


@dataclass(frozen=True, slots=True)
class Plan:
    """How each collection is to be looked at.

    by_scan   collections whose vectors are all compared, in one statement
    by_index  collections whose lists the index gives, each in a statement of its own
    """

    by_scan: tuple[int, ...]
    by_index: tuple[int, ...] = ()


def least_vectors_for_index(indexed: int, *, width: int, depth: int) -> int:
    """Return from how many vectors of a collection on the index is the cheaper way to `depth` of them.

    indexed  vectors in the index, whoever they belong to: a walk meets the nearest of all collections, so
             one that holds a share of them gives up its nearest only every 1/share steps
    Formula  a scan of n vectors costs `a n`; a walk costs `b max(search width, depth indexed / n)`.
    """
    ratio = INDEX_HANDICAP * (STEP_US + STEP_US_PER_DIMENSION * width) / _scan_us(width)
    for_the_width = ratio * store.search_width(depth)
    for_the_share = sqrt(ratio * depth * indexed)
    return ceil(max(for_the_width, for_the_share, depth + 1))


def _scan_us(width: int) -> float:
    in_line = SCAN_US + SCAN_US_PER_DIMENSION * width
    return in_line if width <= WIDEST_IN_LINE else SCAN_US_OUT_OF_LINE


def plan(connection: Connection, collections: Sequence[int], vector: QueryVector, depth: int) -> Plan | str:
    """Choose for each collection, or say why the half cannot take part (B5, I11)."""
    try:
        with attempt(connection):
            state = store.space_state(connection, vector)
            if not state.is_active:
                return "the store no longer answers from this model's space"
            least = least_vectors_for_index(state.indexed, width=vector.width, depth=depth)
            if state.indexed < least:
                return Plan(tuple(collections))
            large = store.find_large(connection, collections, vector, least)
    except (SearchTimedOut, SearchBlocked) as error:
        return error.message
    return Plan(
        tuple(each for each in collections if each not in large),
        tuple(each for each in collections if each in large),
    )


def tasks(chosen: Plan, vector: QueryVector, depth: int) -> list[Callable[[Connection], list[Portion]]]:
    """Return the statements of a plan: one for each walk of the index, and one for all scans."""
    made: list[Callable[[Connection], list[Portion]]] = [
        partial(_walk, collection=each, vector=vector, depth=depth) for each in chosen.by_index
    ]
    if chosen.by_scan:
        made.append(partial(_scan, collections=chosen.by_scan, vector=vector, depth=depth))
    return made


def _scan(
    connection: Connection, *, collections: Sequence[int], vector: QueryVector, depth: int
) -> list[Portion]:
    def search(some: Sequence[int]) -> Found:
        return Found(store.rank_densely_by_scan(connection, some, vector, depth), BY_SCAN)

    return look(connection, HALF, collections, search, is_divisible=True)


def _walk(connection: Connection, *, collection: int, vector: QueryVector, depth: int) -> list[Portion]:
    def search(one: Sequence[int]) -> Found:
        found = store.rank_densely_by_index(connection, collection, vector, depth)
        if len(found) >= depth or not store.find_large(connection, one, vector, len(found) + 1):
            return Found(found, BY_INDEX)
        # More rows match than came back: dead rows, or a walk that gave up before its filter was met (C1).
        note = f"the index returned {len(found)} of {depth}"
        return Found(store.rank_densely_by_scan(connection, one, vector, depth), BY_BOTH, note)

    return look(connection, HALF, (collection,), search, is_divisible=False)
