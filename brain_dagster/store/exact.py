"""Looks up what a question quotes letter by letter: names, paths, phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.model import Candidate
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql

# A chunk that stands exactly as asked; there is no more or less of it.
_EXACT = Score(ScoreKind.EXACT, 1.0)


@dataclass(frozen=True, slots=True)
class Declared:
    """A chunk that declares a name; `symbol` is its symbol path, several if small neighbours were packed."""

    candidate: Candidate
    symbol: str


@dataclass(frozen=True, slots=True)
class Holding:
    """A chunk that holds all the words that were asked for, in any order, and its text."""

    candidate: Candidate
    text: str


def find_declared(
    connection: Connection, collections: Sequence[int], *, terms: Sequence[int], pattern: str, rows: int
) -> list[Declared]:
    """Return the chunks whose symbol matches a regular expression, shortest symbol first."""
    parameters = {"collections": list(collections), "terms": list(terms), "pattern": pattern, "rows": rows}
    found = connection.execute(sql("exact.find_declared"), parameters)
    return [Declared(Candidate(c, d, k, _EXACT), symbol) for c, d, k, symbol in found]


def find_holding(
    connection: Connection, collections: Sequence[int], *, terms: Sequence[int], rows: int
) -> list[Holding]:
    """Return chunks that hold all of these terms, shortest first."""
    parameters = {"collections": list(collections), "terms": list(terms), "rows": rows}
    found = connection.execute(sql("exact.find_holding"), parameters)
    return [Holding(Candidate(c, d, k, _EXACT), text) for c, d, k, text in found]


def find_at_path(
    connection: Connection, collections: Sequence[int], *, path: str, rows: int
) -> list[Candidate]:
    """Return the first chunk of each file at a path, given whole, by its end, or with more in front."""
    parameters = {"collections": list(collections), "path": path, "rows": rows}
    found = connection.execute(sql("exact.find_at_path"), parameters)
    return [Candidate(c, d, k, _EXACT) for c, d, k in found]
