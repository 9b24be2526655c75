"""Who may search what: the rows behind the one rule of access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.errors import BadUsage, Refused
from brain_dagster.model import GROUP_MARK, Mode, Principal
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Connection
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import one_row

# Four bytes a character: within the 2,704 bytes that an entry of an index can hold.
LONGEST_NAME = 500


class BadName(BadUsage):
    """The name of a reader or a place holds 1 to 500 characters, not only blanks, and no NUL among them."""


class NotAUser(Refused):
    """A user's name must not begin with `group:`, which marks groups among the readers of a collection."""


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
    Raises  NotAUser.
    """
    user, *_ = readers_of(principal)
    parameters = {
        "user": user,
        "groups": [_storable(name) for name in principal.groups],
        "place": None if place is None else _storable(place),
    }
    rows = connection.execute(sql("scope.readable_collections"), parameters).fetchall()
    return [ReadableCollection(i, name, words, limit, Mode(m), why) for i, name, words, limit, m, why in rows]


def readers_of(principal: Principal) -> list[str]:
    """Return what stands for a principal among the readers of a collection: the user, then the groups.

    Raises  NotAUser - else somebody could take a name under which they inherit what a group may read.
    """
    if principal.user.startswith(GROUP_MARK):
        raise NotAUser(subject=principal.user)
    return [_storable(principal.user), *(f"{GROUP_MARK}{_storable(name)}" for name in principal.groups)]


def _storable(name: str) -> str:
    """Return a name as it is, or the empty one, which nobody has: made storable it could be another's."""
    return name if clean_text(name) == name else ""


def granted_name(given: str) -> str:
    """Return the name of a reader or a place to grant something to; a group is written `group:NAME`.

    Raises  BadName.
    """
    if not given.removeprefix(GROUP_MARK).strip():
        raise BadName("the name of a reader or place must not be empty")
    if len(given) > LONGEST_NAME or clean_text(given) != given:
        raise BadName(subject=clean_text(given[:50]))
    return given


def narrow(connection: Connection, collections: Sequence[int]) -> None:
    """Let the transaction see rows of these collections and of no others, whatever it asks for (I3).

    The second line behind the filters of the queries; holds for the search role. Replaces what was set
    before; ends with the transaction (C3).
    """
    connection.execute(sql("scope.narrow"), {"collections": list(collections)})


def fits_inline(connection: Connection, collection: ReadableCollection) -> bool:
    """Whether the collection's chunks together hold no more tokens than it may be handed over whole."""
    parameters = {"collection": collection.id, "rows": collection.inline_token_limit + 1}
    tokens, chunks = one_row(connection, "scope.tokens_up_to", parameters)
    return bool(tokens <= collection.inline_token_limit and 0 < chunks <= collection.inline_token_limit)
