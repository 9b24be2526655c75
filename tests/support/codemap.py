"""What the tests of the code map share: one file in, its entries of one kind out."""

from __future__ import annotations

from brain_dagster.codemap.base import EntryKind
from brain_dagster.codemap.mapping import map_document

# Name, detail and line of each entry.
Expected = list[tuple[str, str, int]]
# Path, text and what is expected of it.
Case = tuple[str, str, Expected]


def found(path: str, text: str, kind: EntryKind) -> Expected:
    """Map one file, and return its entries of one kind."""
    entries = map_document(path, "", text)
    return [(entry.name, entry.detail, entry.line) for entry in entries if entry.kind == kind]
