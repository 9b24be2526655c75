"""The code map in the store: what is due, replaced per document, read within a principal's scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brain_dagster.errors import UnknownSource
from brain_dagster.faults import fault
from brain_dagster.model import Principal
from brain_dagster.store.clean import clean_text
from brain_dagster.store.cursors import stream
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import narrow, readable_collections


@dataclass(frozen=True, slots=True)
class PlacedEntry:
    """An entry of the code map with its place in the source."""

    kind: str
    name: str
    detail: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CodeMap:
    """The code map of one source, by kind in reading order, then path and line."""

    source: str
    revision: str | None
    entries: tuple[PlacedEntry, ...]


@dataclass(frozen=True, slots=True)
class DueFilter:
    """Which documents are due: those mapped by another recipe or before they changed, if they can matter.

    recipe     identity of what makes the entries
    names      pattern of the lower-case paths that can matter
    languages  of scripts whose name does not tell
    """

    recipe: str
    names: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredText:
    """A document's text as its chunks hold it; None where it is longer than was asked for."""

    document_id: int
    path: str
    language: str
    generation: int
    text: str | None


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One row of the code map before it has a place: kind, name, detail and line as the schema has them."""

    document_id: int
    generation: int
    kind: str
    name: str
    detail: str
    line: int


def due_documents(
    db: Database, source_id: int, generation: int, due: DueFilter, batch: int
) -> Iterator[list[int]]:
    """Yield the ids of the documents to map, in lists of up to `batch`, none newer than `generation`."""
    names: dict[str, Any] = {
        "source_id": source_id,
        "generation": generation,
        "recipe": due.recipe,
        "names": due.names,
        "languages": list(due.languages),
    }
    for rows in stream(db, sql("codemap.list_due"), names, batch):
        yield [row[0] for row in rows]


def stored_texts(db: Database, document_ids: Sequence[int], max_chars: int) -> list[StoredText]:
    """Return the texts of these documents, in id order; those that are gone meanwhile are left out."""
    rows = db.all(sql("codemap.read_documents"), {"ids": list(document_ids), "max_chars": max_chars})
    return [StoredText(*row) for row in rows]


def replace_entries(
    db: Database, source_id: int, read: Sequence[StoredText], entries: Sequence[EntryRow], recipe: str
) -> int:
    """Replace the entries of the documents that were read, in one transaction, and mark them as mapped.

    Compare-and-set on the generation that was read (A7): documents published meanwhile stay due.
    Returns how many documents were mapped.
    """
    seen = {"ids": [one.document_id for one in read], "generations": [one.generation for one in read]}
    with db.transaction() as connection:
        unmoved = {row[0] for row in connection.execute(sql("codemap.lock_unmoved"), seen)}
        kept = {"ids": sorted(unmoved), "recipe": recipe}
        connection.execute(sql("codemap.delete_entries"), kept)
        fault("code_map.after_delete")
        with connection.cursor() as cursor, cursor.copy(sql("codemap.copy_entries")) as copy:
            for row in (entry for entry in entries if entry.document_id in unmoved):
                copy.write_row(
                    (source_id, row.document_id, row.kind, row.name, row.detail, row.line, row.generation)
                )
        fault("code_map.after_entries")
        connection.execute(sql("codemap.mark_mapped"), kept)
        fault("code_map.before_commit")
    return len(unmoved)


def delete_unready_entries(db: Database, source_id: int) -> int:
    """Drop what the map says of documents that can no longer be read; return how many entries that was."""
    return db.run(sql("codemap.delete_unready"), {"source_id": source_id})


def count_entries(db: Database, source_id: int) -> dict[str, int]:
    """Return the number of entries per kind; kinds that do not occur are absent."""
    return dict(db.all(sql("codemap.count_entries"), {"source_id": source_id}))


def code_map_of(db: Database, principal: Principal, key: str) -> CodeMap:
    """Return the code map of the source `key`, if this principal may read it.

    Raises  UnknownSource - there is no such source, or it may not be read; the two look the same.
    """
    with reading(db) as connection:
        allowed = [collection.id for collection in readable_collections(connection, principal, None)]
        narrow(connection, allowed)
        wanted = {"key": clean_text(key), "collections": allowed}
        found = connection.execute(sql("codemap.find_readable_source"), wanted).fetchone()
        if found is None:
            raise UnknownSource(subject=key)
        rows = connection.execute(sql("codemap.list_entries"), {"source_id": found[0]}).fetchall()
    return CodeMap(key, found[1], tuple(PlacedEntry(*row) for row in rows))
