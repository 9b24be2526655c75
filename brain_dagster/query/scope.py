"""Scope first: what was asked for, intersected with what may be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.errors import UnknownCollection
from brain_dagster.model import Mode, Principal
from brain_dagster.store.pool import Connection
from brain_dagster.store.scope import ReadableCollection, fits_inline, narrow, readable_collections


@dataclass(frozen=True, slots=True)
class Scope:
    """The collections one question is put to, by name; may be none."""

    collections: tuple[ReadableCollection, ...]

    @property
    def ids(self) -> list[int]:
        """Their identities, in the same order."""
        return [collection.id for collection in self.collections]


def resolve_scope(
    connection: Connection, principal: Principal, place: str | None, requested: Sequence[str] | None
) -> Scope:
    """Resolve on every request, inside the transaction that reads (I3); no request means all there is.

    From here on the transaction sees rows of the scope and of no other collection.
    Raises  NotAUser; UnknownCollection - a requested collection does not exist or may not be searched by this
            principal in this place. The two are not told apart, or names could be guessed.
    """
    scope = Scope(_allowed(connection, principal, place, requested))
    narrow(connection, scope.ids)
    return scope


def _allowed(
    connection: Connection, principal: Principal, place: str | None, requested: Sequence[str] | None
) -> tuple[ReadableCollection, ...]:
    allowed = readable_collections(connection, principal, place)
    if requested is None:
        return tuple(allowed)
    by_name = {collection.name: collection for collection in allowed}
    for name in requested:
        if name not in by_name:
            raise UnknownCollection(subject=name)
    return tuple(by_name[name] for name in sorted(set(requested)))


def inline_collection(connection: Connection, scope: Scope) -> ReadableCollection | None:
    """Return the one collection in scope if it is small enough to be handed over whole."""
    if len(scope.collections) != 1:
        return None
    only = scope.collections[0]
    return only if fits_inline(connection, only) else None


def default_mode(scope: Scope) -> Mode:
    """The mode the collections in scope agree on, which an evaluation chose; hybrid if they differ."""
    modes = {collection.default_mode for collection in scope.collections}
    return modes.pop() if len(modes) == 1 else Mode.HYBRID
