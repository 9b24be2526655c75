"""Which routes, services and entry points lead to a chunk, as far as its own file tells.

A handler that is registered in another file is not known here: what one file's chunks say may not depend on
whether another file was read before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.mapping import map_document
from brain_dagster.codemap.syntax import INLINE
from brain_dagster.model import ChunkDraft, ParsedDocument

MAX_SHOWN = 3
# A chunk in which more routes are written in place is their table, and is found by its own words.
_MOST_IN_PLACE = 4


def with_reach(document: ParsedDocument, path: str, language: str, text: str) -> ParsedDocument:
    """Return the document with what leads to each of its chunks noted there."""
    entries = [entry for entry in map_document(path, language, text) if _words(entry)]
    if not entries:
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


def _words(entry: MapEntry) -> str:
    """Say what leads somewhere: `GET /users/{id}`, `entry point brain`; empty for what leads nowhere."""
    leads = {"route": "", "rpc": "rpc ", "consumer": "messages of ", "entry_point": "entry point "}
    return f"{leads[entry.kind]}{entry.name}" if entry.kind in leads else ""


def _reaches(entries: Sequence[MapEntry], chunks: Sequence[ChunkDraft]) -> Iterator[tuple[int, str]]:
    """Yield ordinals of chunks with what leads to them, in the order of the entries."""
    declared: dict[str, list[int]] = {}
    for chunk in chunks:
        for name in filter(None, chunk.symbol.split(", ")):
            declared.setdefault(name, []).append(chunk.ordinal)
    in_place: dict[int, list[str]] = {}
    for entry in entries:
        words = _words(entry)
        handler = entry.name if entry.kind == "entry_point" else entry.detail
        ordinals = declared.get(handler) or declared.get(handler.rpartition(".")[2])
        if ordinals:
            yield from ((ordinal, words) for ordinal in ordinals)
        elif handler == INLINE or entry.kind != "route":
            holder = _holder(entry.line, chunks)
            if holder is not None:
                in_place.setdefault(holder, []).append(words)
    for ordinal, found in in_place.items():
        if len(found) <= _MOST_IN_PLACE:
            yield from ((ordinal, words) for words in found)


def _holder(line: int, chunks: Sequence[ChunkDraft]) -> int | None:
    """Return the ordinal of the chunk that holds a line."""
    lines = ((chunk.ordinal, chunk.start_line or 0, chunk.end_line or 0) for chunk in chunks)
    return next((ordinal for ordinal, first, last in lines if first <= line <= last), None)
