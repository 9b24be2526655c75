"""Brings the code map of a source up to date with what was published."""

from __future__ import annotations

from dataclasses import dataclass

from brain_dagster.codemap.base import MAX_FILE_CHARS
from brain_dagster.codemap.mapping import (
    CODE_MAP_RECIPE,
    MAPPED_LANGUAGES,
    map_document,
    map_unread,
    mapped_names,
)
from brain_dagster.store.codemap import (
    DueFilter,
    EntryRow,
    StoredText,
    count_entries,
    delete_unready_entries,
    due_documents,
    replace_entries,
    stored_texts,
)
from brain_dagster.store.pool import Database

# At most this many texts of at most MAX_FILE_CHARS are in memory at once.
_BATCH_DOCUMENTS = 25


@dataclass(frozen=True, slots=True)
class CodeMapCounts:
    """How many documents were mapped in this call, and what the whole map of the source holds now."""

    mapped_documents: int
    manifests: int
    dependencies: int
    entry_points: int
    routes: int
    workspaces: int = 0
    rpcs: int = 0
    consumers: int = 0


def refresh_code_map(db: Database, source_id: int, generation: int) -> CodeMapCounts:
    """Map the documents of a source that changed since they were mapped, up to this generation.

    Each batch is one transaction that replaces the entries of its documents and marks them as mapped, so
    a killed run loses the batch in flight, and a document without entries is not read again. No
    transaction is open while files are parsed.
    """
    delete_unready_entries(db, source_id)
    due = DueFilter(CODE_MAP_RECIPE, mapped_names(), MAPPED_LANGUAGES)
    mapped = 0
    for ids in due_documents(db, source_id, generation, due, _BATCH_DOCUMENTS):
        read = stored_texts(db, ids, MAX_FILE_CHARS)
        entries = [row for document in read for row in _rows(document)]
        mapped += replace_entries(db, source_id, read, entries, CODE_MAP_RECIPE)
    found = count_entries(db, source_id)
    return CodeMapCounts(
        mapped_documents=mapped,
        manifests=found.get("manifest", 0),
        dependencies=found.get("dependency", 0),
        entry_points=found.get("entry_point", 0),
        routes=found.get("route", 0),
        workspaces=found.get("workspace", 0),
        rpcs=found.get("rpc", 0),
        consumers=found.get("consumer", 0),
    )


def _rows(document: StoredText) -> list[EntryRow]:
    if document.text is None:
        entries = map_unread(document.path)
    else:
        entries = map_document(document.path, document.language, document.text)
    return [
        EntryRow(document.document_id, document.generation, entry.kind, entry.name, entry.detail, entry.line)
        for entry in entries
    ]
