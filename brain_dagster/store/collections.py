"""Collections: who owns them, who may search them, where their answers may be spoken.

Every function takes who acts. A collection they neither own nor read does not exist for them: the error is
the same as for a name nobody took. Groups let somebody see a collection; only a user owns one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from brain_dagster.errors import BadUsage, NotTheOwner, UnknownCollection
from brain_dagster.model import Mode, Principal
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql
from brain_dagster.store.scope import granted_name, readers_of

# What a collection may take as its default; the others are asked for by name only.
DEFAULT_MODES = (Mode.DENSE, Mode.LEXICAL, Mode.HYBRID)
# What fits the column; a collection of that many tokens fits no model.
LARGEST_INLINE_LIMIT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Collection:
    """The unit of ownership and access. No readers: nobody. No places: nowhere but to the asker alone."""

    id: int
    name: str
    owner: str
    description: str
    inline_token_limit: int
    default_mode: str
    readers: tuple[str, ...]
    places: tuple[str, ...]
    sources: tuple[str, ...]


def list_collections(db: Database, *, user: str, groups: Sequence[str] = ()) -> tuple[Collection, ...]:
    """Return the collections `user` owns, or may search alone or as one of `groups`, by name."""
    readers = readers_of(Principal(user, tuple(groups)))
    parameters = {"user": readers[0], "readers": readers}
    return tuple(_collection(row) for row in db.all(sql("collections.list_visible"), parameters))


def _collection(row: tuple[Any, ...]) -> Collection:
    id_, name, owner, description, limit, mode, readers, places, sources = row
    return Collection(
        id_, name, owner, description, limit, mode, tuple(readers), tuple(places), tuple(sources)
    )


def show_collection(db: Database, *, name: str, user: str, groups: Sequence[str] = ()) -> Collection:
    """Return one collection.

    Errors  UnknownCollection.
    """
    for found in list_collections(db, user=user, groups=groups):
        if found.name == name:
            return found
    raise UnknownCollection(subject=name)


def describe_collection(
    db: Database, *, name: str, description: str, user: str, groups: Sequence[str] = ()
) -> bool:
    """Set the line that says what subjects the collection covers; return whether anything changed.

    Errors  UnknownCollection, NotTheOwner - as for all functions below.
    """
    line = " ".join(clean_text(description).split())
    return _change(
        db, name, Principal(user, tuple(groups)), sql("collections.describe"), {"description": line}
    )


def set_default_mode(db: Database, *, name: str, mode: Mode, user: str, groups: Sequence[str] = ()) -> bool:
    """Choose the mode that a search takes where none is asked for, as an evaluation has shown it to be best.

    Errors  BadUsage - no mode that every question can be answered in.
    """
    if mode not in DEFAULT_MODES:
        raise BadUsage(f"a default mode is one of {', '.join(DEFAULT_MODES)}", subject=mode)
    return _change(
        db, name, Principal(user, tuple(groups)), sql("collections.set_default_mode"), {"mode": mode.value}
    )


def set_inline_limit(db: Database, *, name: str, tokens: int, user: str, groups: Sequence[str] = ()) -> bool:
    """Say up to how many tokens the collection, searched alone, is handed over whole; 0 is never.

    Errors  BadUsage - no number of tokens.
    """
    if not 0 <= tokens <= LARGEST_INLINE_LIMIT:
        raise BadUsage(f"a number of tokens is between 0 and {LARGEST_INLINE_LIMIT:,}", subject=str(tokens))
    return _change(
        db, name, Principal(user, tuple(groups)), sql("collections.set_inline_limit"), {"tokens": tokens}
    )


def grant(db: Database, *, name: str, reader: str, user: str, groups: Sequence[str] = ()) -> bool:
    """Let a user search the collection, or a group, which is written `group:NAME`."""
    return _change(
        db,
        name,
        Principal(user, tuple(groups)),
        sql("collections.grant_reader"),
        {"who": granted_name(reader)},
    )


def revoke(db: Database, *, name: str, reader: str, user: str, groups: Sequence[str] = ()) -> bool:
    """Stop a user or a group from searching the collection, from the next question on.

    An owner may revoke themselves: they still administer the collection, and may grant it back.
    """
    return _change(
        db,
        name,
        Principal(user, tuple(groups)),
        sql("collections.revoke_reader"),
        {"who": granted_name(reader)},
    )


def allow_place(db: Database, *, name: str, place: str, user: str, groups: Sequence[str] = ()) -> bool:
    """Let answers from the collection be spoken in a place; nothing is inherited from other places."""
    return _change(
        db, name, Principal(user, tuple(groups)), sql("collections.allow_place"), {"who": granted_name(place)}
    )


def forbid_place(db: Database, *, name: str, place: str, user: str, groups: Sequence[str] = ()) -> bool:
    """Stop answers from the collection from being spoken in a place."""
    return _change(
        db,
        name,
        Principal(user, tuple(groups)),
        sql("collections.forbid_place"),
        {"who": granted_name(place)},
    )


def _change(
    db: Database, name: str, actor: Principal, query: LiteralString, parameters: Mapping[str, str | int]
) -> bool:
    readers = readers_of(actor)
    seen_by = {"name": clean_text(name), "user": readers[0], "readers": readers}
    with db.transaction() as connection:
        found = connection.execute(sql("collections.lock_visible"), seen_by).fetchone()
        if found is None:
            raise UnknownCollection(subject=name)
        id_, owner = found
        if owner != readers[0]:
            raise NotTheOwner(subject=name)
        changed = connection.execute(query, {**parameters, "id": id_, "granted_by": owner}).rowcount
    return changed > 0
