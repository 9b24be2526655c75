"""How an answer came about, for people who ask why: what each list was made of, and what fell out where."""

from __future__ import annotations

from dataclasses import dataclass

from brain_dagster.model import Excerpt
from brain_dagster.score import ScoreKind


@dataclass(frozen=True, slots=True)
class ScopeTrace:
    """One collection that was searched, and the rule that let the principal in."""

    collection: str
    reason: str


@dataclass(frozen=True, slots=True)
class ListTrace:
    """How one half looked at one collection.

    half        dense, lexical or exact
    collection  its name
    strategy    in words, e.g. `every vector compared`, `index`, `index, then every vector compared`
    candidates  how many of this collection's chunks came back
    ms          wall time of the statement that made it; collections that shared a statement share the time
    note        what a reader should know, e.g. `the index returned 3 of 200`; empty if nothing
    """

    half: str
    collection: str
    strategy: str
    candidates: int
    ms: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Chunks that were candidates and are not in the answer.

    by         depth | cap | floor | merge | twin | file | limit | gone
    chunk_ids  which, best first
    """

    by: str
    chunk_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The way from a question to its answer.

    ranked_by  the scorer whose order the answer is in; None if nothing was ranked
    missing    what could not take part, as in the result
    ms         wall time of the whole search, and of embedding the question and reranking where they ran
    """

    scope: tuple[ScopeTrace, ...]
    lists: tuple[ListTrace, ...]
    dropped: tuple[Dropped, ...]
    ranked_by: ScoreKind | None
    missing: tuple[str, ...]
    ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one question.

    mode     the mode that ran: dense, lexical, hybrid or inline
    missing  what could not contribute, e.g. `dense: model unavailable`, `rerank: timed out`
    """

    query: str
    mode: str
    excerpts: tuple[Excerpt, ...]
    missing: tuple[str, ...]
    trace: Trace
