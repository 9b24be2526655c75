"""What a principal may search in a place: built by the resolver that search itself uses."""

from __future__ import annotations

from dataclasses import dataclass

from brain_dagster.model import Principal
from brain_dagster.store.manifest import CollectionContents, read_contents
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import ReadableCollection, readable_collections

NAME_CAP = 20
CAVEAT = "A file name says where to look, not what the file holds; search before you answer from a name."


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One collection: what it covers first, then what it holds.

    more_files  how many ready documents are not among `contents.files`
    """

    name: str
    description: str
    reason: str
    contents: CollectionContents

    @property
    def more_files(self) -> int:
        """Ready documents whose names the cap left out."""
        return self.contents.ready - len(self.contents.files)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything a principal may search in a place, by collection name, and how to read it."""

    collections: tuple[ManifestEntry, ...]
    caveat: str = CAVEAT


def manifest(
    db: Database, principal: Principal, place: str | None = None, name_cap: int = NAME_CAP
) -> Manifest:
    """Return what `search` would accept from this principal in this place: no more and no less (I3)."""
    with reading(db) as connection:
        readable = readable_collections(connection, principal, place)
        contents = read_contents(connection, [collection.id for collection in readable], name_cap)
    return Manifest(tuple(_entry(collection, contents[collection.id]) for collection in readable))


def _entry(collection: ReadableCollection, contents: CollectionContents) -> ManifestEntry:
    return ManifestEntry(collection.name, collection.description, collection.reason, contents)
