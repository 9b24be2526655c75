"""What a principal may search in a place: built by the resolver that search itself uses."""

from __future__ import annotations

from dataclasses import dataclass

from brain_dagster.model import Mode, Principal, State
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store.manifest import CollectionContents, read_contents
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import ReadableCollection, fits_inline

NAME_CAP = 20
REASON_CAP = 3
CAVEAT = "A file name says where to look, not what the file holds; search before you answer from a name."


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One collection: what it covers first, then what it holds.

    mode       the mode in which it is ranked if the asker names none
    is_inline  searched alone and without a mode, it is handed over whole and nothing is ranked
    """

    name: str
    description: str
    reason: str
    mode: Mode
    is_inline: bool
    contents: CollectionContents

    @property
    def more_files(self) -> int:
        """Ready documents whose names the cap left out."""
        return self.contents.ready - len(self.contents.files)

    def more_reasons(self, state: State) -> int:
        """Documents in this state, failed or skipped, whose reasons the cap left out."""
        total = self.contents.failed if state is State.FAILED else self.contents.skipped
        return total - sum(reason.documents for reason in self.contents.reasons if reason.state is state)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a principal may search in a place, by collection name, and how to read it."""

    collections: tuple[ManifestEntry, ...]
    caveat: str = CAVEAT


def manifest(
    db: Database, principal: Principal, place: str | None = None, name_cap: int = NAME_CAP
) -> Manifest:
    """Return what `search` would accept from this principal in this place: no more and no less (I3).

    Every number is counted in one snapshot; `name_cap` bounds the names of each collection, never a count.
    """
    with reading(db) as connection:
        scope = resolve_scope(connection, principal, place, None)
        contents = read_contents(connection, scope.ids, name_cap=name_cap, reason_cap=REASON_CAP)
        return Manifest(tuple(_entry(connection, each, contents[each.id]) for each in scope.collections))


def _entry(
    connection: Connection, collection: ReadableCollection, contents: CollectionContents
) -> ManifestEntry:
    return ManifestEntry(
        name=collection.name,
        description=collection.description,
        reason=collection.reason,
        mode=collection.default_mode,
        is_inline=fits_inline(connection, collection),
        contents=contents,
    )
