"""Which routes, services and entry points lead to a chunk, as far as its own file tells.

A handler that is registered in another file is not known here: what one file's chunks say may not depend on
whether another file was read before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.mapping import map_document
from brain_dagster.codemap.syntax import INLINE
from brain_dagster.model import ChunkDraft, ParsedDocument

MAX_SHOWN = 3
# What leads somewhere, and how it is said: `GET /users/{id}`, `entry point brain`.
_LEADS = {"route": "", "rpc": "rpc ", "consumer": "messages of ", "entry_point": "entry point "}
# A chunk in which more routes are written in place is their table, and is found by its own words.
_MOST_IN_PLACE = 4


def with_reach(document: ParsedDocument, path: str, language: str, text: str) -> ParsedDocument:
    """Return the document with what leads to each of its chunks noted there."""
    entries = [entry for entry in map_document(path, language, text) if entry.kind in _LEADS]
    if not entries or not document.chunks:
        return document
    reached: dict[int, dict[str, None]] = {}
    for ordinal, words in _reaches(entries, document.chunks):
        reached.setdefault(ordinal, {})[words] = None
    chunks = [
        replace(chunk, reached_by=tuple(reached[chunk.ordinal])[:MAX_SHOWN])
        if chunk.ordinal in reached
        else chunk
        for chunk in document.chunks
    ]
    return replace(document, chunks=tuple(chunks))


def _reaches(entries: Sequence[MapEntry], chunks: Sequence[ChunkDraft]) -> Iterator[tuple[int, str]]:
    """Yield ordinals of chunks with what leads to them, in the order of the entries."""
    declared: dict[str, list[int]] = {}
    for chunk in chunks:
        for name in filter(None, chunk.symbol.split(", ")):
            declared.setdefault(name, []).append(chunk.ordinal)
    first_lines = [chunk.start_line or 0 for chunk in chunks]
    in_place: dict[int, list[str]] = {}
    for entry in entries:
        words = f"{_LEADS[entry.kind]}{entry.name}"
        handler = entry.name if entry.kind == "entry_point" else entry.detail
        ordinals = declared.get(handler) or declared.get(handler.rpartition(".")[2])
        if ordinals:
            yield from ((ordinal, words) for ordinal in ordinals)
        elif handler == INLINE or entry.kind != "route":
            # Chunks tile their file in the order of its lines.
            holder = max(0, bisect_right(first_lines, entry.line) - 1)
            in_place.setdefault(chunks[holder].ordinal, []).append(words)
    for ordinal, found in in_place.items():
        if len(found) <= _MOST_IN_PLACE:
            yield from ((ordinal, words) for words in found)
