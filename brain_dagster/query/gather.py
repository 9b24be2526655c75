"""Candidates: one dense and one lexical list over the union of the collections in scope.

Cosine similarity in one embedding space is one unit whatever the collection, and so is BM25 under one
set of statistics; a list per collection would throw that comparison away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from brain_dagster.model import Candidate, Mode
from brain_dagster.query.embedder import NoVector
from brain_dagster.query.lexical import weigh
from brain_dagster.query.question import Question
from brain_dagster.query.scope import Scope
from brain_dagster.store import dense, lexical
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection
from brain_dagster.store.reading import SearchBlocked, SearchTimedOut, attempt

# Up to here every vector in scope is compared, which is exact. Measured at 384 dimensions on two busy
# cores: 14,176 vectors took 20 ms; the index took 42 ms at search width 200, whatever the filter.
EXACT_SCAN_VECTORS = 20_000


@dataclass(slots=True)
class Gathered:
    """What the halves brought.

    dense, lexical  candidates, best first; None where the half could not take part
    missing         which half could not, and why
    trace           how each list was made, for people who ask why
    """

    dense: list[Candidate] | None = None
    lexical: list[Candidate] | None = None
    missing: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)


def gather(
    connection: Connection,
    scope: Scope,
    question: Question,
    vector: QueryVector | NoVector | None,
    *,
    mode: Mode,
    depth: int,
) -> Gathered:
    """Gather up to `depth` candidates from each half that `mode` names; a half that fails is named.

    vector  None only if the mode is lexical.
    """
    gathered = Gathered()
    if mode is not Mode.LEXICAL:
        with _half(connection, "dense", gathered):
            _gather_densely(connection, scope, vector, depth, gathered)
    if mode is not Mode.DENSE:
        with _half(connection, "lexical", gathered):
            _gather_lexically(connection, scope, question, depth, gathered)
    return gathered


@contextmanager
def _half(connection: Connection, name: str, gathered: Gathered) -> Iterator[None]:
    """Run one half so that its failure does not take the other with it (I11)."""
    try:
        with attempt(connection):
            yield
    except (SearchTimedOut, SearchBlocked) as error:
        gathered.missing.append(f"{name}: {error.message}")


def _gather_densely(
    connection: Connection,
    scope: Scope,
    vector: QueryVector | NoVector | None,
    depth: int,
    gathered: Gathered,
) -> None:
    if not isinstance(vector, QueryVector):
        gathered.missing.append(f"dense: {vector.reason if vector else 'the question was not embedded'}")
        return
    if not dense.space_is_active(connection, vector):
        gathered.missing.append("dense: the store no longer answers from this model's space")
        return
    gathered.dense = []
    vectors = dense.count_vectors_up_to(connection, scope.ids, vector.space_id, EXACT_SCAN_VECTORS + 1)
    if vectors == 0:
        gathered.missing.append("dense: no chunk in scope has a vector yet")
        return
    if vectors > EXACT_SCAN_VECTORS:
        gathered.dense = dense.rank_densely_by_index(connection, scope.ids, vector, depth)
        if len(gathered.dense) >= min(depth, vectors):
            gathered.trace.append("dense: by index")
            return
        gathered.trace.append(
            f"dense: the index returned {len(gathered.dense)} of {depth}, so every vector was compared"
        )
    else:
        gathered.trace.append(f"dense: all {vectors} vectors compared")
    gathered.dense = dense.rank_densely_by_scan(connection, scope.ids, vector, depth)


def _gather_lexically(
    connection: Connection, scope: Scope, question: Question, depth: int, gathered: Gathered
) -> None:
    if not question.terms:
        gathered.missing.append("lexical: there is no word in the question")
        return
    statistics = lexical.term_statistics(connection, scope.ids, list(question.terms))
    weighed = weigh(question.terms, statistics)
    gathered.lexical = []
    if weighed is None:
        gathered.trace.append("lexical: no word of the question occurs in scope")
        return
    gathered.lexical = lexical.rank_lexically(
        connection, scope.ids, gate=weighed.gate, question=weighed.vector, depth=depth
    )
    scored = len(weighed.vector.indices())
    gathered.trace.append(
        f"lexical: {len(weighed.gate)} of {scored} terms let in at most {weighed.rows} rows"
    )
