"""Chunks of web pages: sections under their headings, packed by paragraphs, with scripts kept apart.

The spans tile the source, markup included, so that lines are those of the file; `plain.py` says what of a
chunk is embedded and indexed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from brain_dagster.chunk.blocks import Block
from brain_dagster.chunk.lines import line_spans
from brain_dagster.chunk.prose import MAX_OUTLINE, section_spans
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.structured.html_blocks import Table, page_blocks, tables_of, words
from brain_dagster.chunk.structured.markup import RAW_ELEMENTS, Mark, MarkKind, attributes, marks
from brain_dagster.chunk.structured.plain import LINE_BREAKING
from brain_dagster.model import ParsedDocument

MAX_MARKS = 400_000  # some 150 bytes each in memory
MAX_METAS = 200
MAX_CHARS = 300  # of a title, a header row, a description
_METADATA = {"description": "description", "author": "author", "keywords": "tags"}


def chunk_html(source: SourceText, char_count: int, budget: int) -> ParsedDocument:
    """Chunk a web page; the spans tile its source."""
    found = block_marks(source.content)
    if found is None:
        spans = line_spans(source, 0, len(source), budget)
        warnings = (f"parsed partially: more than {MAX_MARKS:,} tags; cut by lines",)
        chunks = tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans))
        return ParsedDocument(chunks, "", char_count, warnings=warnings)
    spans, blocks = page_spans(source, found, budget)
    headings = [block for block in blocks if block.level and block.title]
    first = min(headings, key=lambda block: block.level).title if headings else ""
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title=_title(source.content, found) or first,
        char_count=char_count,
        outline=tuple(block.title for block in headings[:MAX_OUTLINE]),
        metadata=_metadata(source.content, found),
    )


def block_marks(content: bytes) -> list[Mark] | None:
    """Return the tags that break lines, scripts and style sheets; None if there are too many."""
    kept = LINE_BREAKING | RAW_ELEMENTS
    found = list(islice((mark for mark in marks(content) if mark.name in kept), MAX_MARKS + 1))
    return found if len(found) <= MAX_MARKS else None


def page_spans(source: SourceText, found: Sequence[Mark], budget: int) -> tuple[list[Span], list[Block]]:
    """Return the spans of a page, which tile it, and the blocks they are made of."""
    tables = tables_of(found)
    blocks = page_blocks(source, found, tables, budget)
    spans = section_spans(source, blocks, budget)
    starts = [block.start for block in blocks]
    for number, span in enumerate(spans):
        if blocks[bisect_right(starts, span.start) - 1].is_apart:
            spans[number] = replace(span, kind="module", headings=())
        else:
            spans[number] = replace(span, enclosing=_header_row(source.content, tables, span.start))
    return spans, blocks


def _header_row(content: bytes, tables: Sequence[Table], offset: int) -> tuple[str, ...]:
    """Return the words of the first row of the table in whose later rows a span begins, if it does."""
    number = bisect_right(tables, offset, key=lambda table: table.start) - 1
    if number < 0 or len(tables[number].rows) < 2:
        return ()
    table = tables[number]
    if not table.rows[1] <= offset < table.end:
        return ()
    header = " ".join(words(content, table.rows[0], table.rows[1]).split())
    return (header[:MAX_CHARS],) if header else ()


def _title(content: bytes, found: Sequence[Mark]) -> str:
    """Return what stands in `<title>`; one below the head belongs to a drawing."""
    for number, mark in enumerate(found):
        if mark.name == b"body":
            break
        if mark.name == b"title" and mark.kind is MarkKind.OPEN and number + 1 < len(found):
            return " ".join(words(content, mark.end, found[number + 1].start).split())[:MAX_CHARS]
    return ""


def _metadata(content: bytes, found: Sequence[Mark]) -> dict[str, str]:
    """Return description, author and tags as the page's own `<meta>` tags give them."""
    metadata: dict[str, str] = {}
    for mark in islice((mark for mark in found if mark.name == b"meta"), MAX_METAS):
        said = attributes(content, mark)
        name = _METADATA.get(said.get("name", "").lower())
        value = " ".join(said.get("content", "").split())[:MAX_CHARS]
        if name and value:
            metadata.setdefault(name, value)
    return metadata
