"""Collections: who owns them, who may search them, where their answers may be spoken.

Every function takes the acting user. A collection that user neither owns nor reads does not exist for
them: the error is the same as for a name nobody took.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString

from brain_dagster.errors import BadUsage, NotTheOwner, UnknownCollection
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql


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


def list_collections(db: Database, *, user: str) -> tuple[Collection, ...]:
    """Return the collections `user` owns or may search, by name."""
    return tuple(_collection(row) for row in db.all(sql("collections.list_visible"), {"user": user}))


def _collection(row: tuple[Any, ...]) -> Collection:
    id_, name, owner, description, limit, mode, readers, places, sources = row
    return Collection(
        id_, name, owner, description, limit, mode, tuple(readers), tuple(places), tuple(sources)
    )


def show_collection(db: Database, *, name: str, user: str) -> Collection:
    """Return one collection.

    Errors  UnknownCollection.
    """
    for found in list_collections(db, user=user):
        if found.name == name:
            return found
    raise UnknownCollection(subject=name)


def describe_collection(db: Database, *, name: str, description: str, user: str) -> bool:
    """Set the line that says what subjects the collection covers; return whether anything changed.

    Errors  UnknownCollection, NotTheOwner - as for all functions below.
    """
    line = " ".join(clean_text(description).split())
    return _change(db, name, user, sql("collections.describe"), {"description": line})


def grant(db: Database, *, name: str, reader: str, user: str) -> bool:
    """Let a user or a group search the collection."""
    return _change(db, name, user, sql("collections.grant_reader"), {"who": _name(reader)})


def revoke(db: Database, *, name: str, reader: str, user: str) -> bool:
    """Stop a user or a group from searching the collection, from the next question on.

    An owner may revoke themselves: they still administer the collection, and may grant it back.
    """
    return _change(db, name, user, sql("collections.revoke_reader"), {"who": _name(reader)})


def allow_place(db: Database, *, name: str, place: str, user: str) -> bool:
    """Let answers from the collection be spoken in a place; nothing is inherited from other places."""
    return _change(db, name, user, sql("collections.allow_place"), {"who": _name(place)})


def forbid_place(db: Database, *, name: str, place: str, user: str) -> bool:
    """Stop answers from the collection from being spoken in a place."""
    return _change(db, name, user, sql("collections.forbid_place"), {"who": _name(place)})


def _name(given: str) -> str:
    if not given.strip():
        raise BadUsage("the name of a reader or place must not be empty")
    return given


def _change(db: Database, name: str, user: str, query: LiteralString, parameters: dict[str, str]) -> bool:
    with db.transaction() as connection:
        found = connection.execute(sql("collections.lock_visible"), {"name": name, "user": user}).fetchone()
        if found is None:
            raise UnknownCollection(subject=name)
        id_, owner = found
        if owner != user:
            raise NotTheOwner(subject=name)
        changed = connection.execute(query, parameters | {"id": id_, "granted_by": user}).rowcount
    return changed > 0
