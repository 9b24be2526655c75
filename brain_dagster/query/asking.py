"""A question on its way in: read, scoped, embedded, and scoped again in the transaction that answers it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from brain_dagster.model import Mode, Principal
from brain_dagster.query.embedder import NoVector, QueryEmbedder, embed_question
from brain_dagster.query.question import Question, read_question
from brain_dagster.query.scope import Scope, default_mode, resolve_scope
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading


@dataclass(frozen=True, slots=True)
class Asked:
    """A question inside the transaction that answers it.

    mode        never AUTO
    vector      None only if the mode is lexical
    embed_ms    wall time of embedding the question, 0 where that was not needed
    """

    connection: Connection
    scope: Scope
    question: Question
    vector: QueryVector | NoVector | None
    mode: Mode
    embed_ms: float


@contextmanager
def ask(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    text: str,
    *,
    collections: Sequence[str] | None,
    place: str | None,
    mode: Mode,
) -> Iterator[Asked]:
    """Open the transaction in which a question is answered.

    The model runs while no connection is held, and may take seconds; so access is resolved before it, to
    refuse early, and once more in the transaction that reads, which alone decides (I3).
    Raises  UnknownCollection, EmptyQuestion, QuestionTooLong, and what `reading` raises.
    """
    question = read_question(text)
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
    resolved = default_mode(scope) if mode is Mode.AUTO else mode
    started = perf_counter()
    vector = None if resolved is Mode.LEXICAL else embed_question(embedder, question.text)
    embed_ms = 0.0 if vector is None else (perf_counter() - started) * 1000
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, collections)
        yield Asked(connection, scope, question, vector, resolved, embed_ms)
