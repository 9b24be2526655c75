"""What one half found in one collection, or why it could not look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from brain_dagster.model import Candidate
from brain_dagster.store.pool import Connection
from brain_dagster.store.reading import SearchBlocked, SearchTimedOut, attempt


@dataclass(frozen=True, slots=True)
class Portion:
    """One half's look at one collection.

    candidates      best first
    strategy, note  in words, for the trace
    ms              wall time of the statement; collections that shared a statement share the time
    failure         why the collection could not be looked at; empty if it could
    """

    half: str
    collection_id: int
    candidates: tuple[Candidate, ...] = ()
    strategy: str = ""
    ms: float = 0.0
    note: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of one or several collections brought; best first, at least within each of them."""

    candidates: Sequence[Candidate]
    strategy: str
    note: str = ""


def look(
    connection: Connection,
    half: str,
    collections: Sequence[int],
    search: Callable[[Sequence[int]], Found],
    *,
    is_divisible: bool,
) -> list[Portion]:
    """Search collections in one go, so that a failure is theirs and nobody else's (I11).

    is_divisible  what was refused for several collections is tried for each of them, as the damage may lie
                  in one. Not so what ran out of time, as there is none left.
    Return        one portion per collection, in the order given.
    """
    begun = perf_counter()
    try:
        with attempt(connection):
            found = search(collections)
    except SearchTimedOut as error:
        return [Portion(half, each, failure=error.message) for each in collections]
    except SearchBlocked as error:
        if is_divisible and len(collections) > 1:
            alone = [look(connection, half, [each], search, is_divisible=False) for each in collections]
            return [portion for (portion,) in alone]
        return [Portion(half, each, failure=error.message) for each in collections]
    ms = 1000 * (perf_counter() - begun)
    own: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in found.candidates:
        own[candidate.collection_id].append(candidate)
    return [Portion(half, c, tuple(own[c]), found.strategy, ms, found.note) for c in collections]
