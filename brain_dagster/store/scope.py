"""Who may search what: the rows behind the one rule of access."""

from __future__ import annotations

from dataclasses import dataclass

from brain_dagster.model import Mode, Principal
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row


@dataclass(frozen=True, slots=True)
class ReadableCollection:
    """A collection that a principal may search in a place, and why."""

    id: int
    name: str
    description: str
    inline_token_limit: int
    default_mode: Mode
    reason: str


def readable_collections(
    connection: Connection, principal: Principal, place: str | None
) -> list[ReadableCollection]:
    """Return what the principal may search if the answer is spoken in `place`, by name.

    `place` None means to the asker alone; any string, the empty one too, is a place and must be granted.
    """
    parameters = {
        "readers": [clean_text(name) for name in (principal.user, *principal.groups)],
        "place": None if place is None else clean_text(place),
    }
    rows = connection.execute(sql("scope.readable_collections"), parameters).fetchall()
    return [ReadableCollection(i, name, words, limit, Mode(m), why) for i, name, words, limit, m, why in rows]


def fits_inline(connection: Connection, collection: ReadableCollection) -> bool:
    """Whether the collection's chunks together hold no more tokens than it may be handed over whole."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit + 1}
    tokens, chunks = one_row(connection, "scope.tokens_up_to", parameters)
    return bool(tokens <= collection.inline_token_limit and 0 < chunks <= collection.inline_token_limit)
