"""Chunks of a page or another part of a document: none straddles two, so that a citation can name one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.model import ChunkDraft

_SENTENCE_END = re.compile(rb"[.!?:][\"')\]]*\s*$")


@dataclass(frozen=True, slots=True)
class PageChunk:
    """One chunk of a page's text; offsets count bytes of the page's UTF-8 text.

    label      where it stands, if that says more than the label of the page: `sheet Prices, rows 2-40`
    symbol     name of what it declares, if anything
    enclosing  what stands around it, e.g. the header row of its table
    headings   headings inside the page that it stands under; they follow those of the page
    """

    start: int
    end: int
    tokens: int
    label: str = ""
    symbol: str = ""
    enclosing: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page, slide, sheet, cell or message: a part of a document that a citation can name.

    number    position in the document, from 1
    kind      page | scan | slide | sheet | cell | message; a scan is a page read from its picture
    label     as printed, or `slide 3`, `sheet Prices`
    headings  that the whole part stands under
    last      position of the last one, where several small ones stand together (cells 4 to 6); 0: it is one
    """

    number: int
    kind: str = "page"
    label: str = ""
    headings: tuple[str, ...] = ()
    last: int = 0


def chunk_page(text: str, budget: int, counter: TokenCounter) -> list[PageChunk]:
    """Cut a page's text into chunks; a page of nothing but white space has none.

    Extracted text rarely has blank lines, so a line that ends a sentence counts as the end of a paragraph.
    """
    source = SourceText(text, counter)
    if source.is_blank(0, len(source)):
        return []
    starts = cut(source, 0, len(source), budget, lambda offset: _level(source, offset))
    spans = zip(starts, [*starts[1:], len(source)], strict=True)
    return [PageChunk(start, end, source.tokens(start, end)) for start, end in spans]


def page_drafts(content: bytes, chunks: Sequence[PageChunk], page: Page, *, first: int) -> list[ChunkDraft]:
    """Turn the chunks of one page into drafts; `first` is the ordinal of the first of them."""
    return [
        ChunkDraft(
            ordinal=ordinal,
            kind=page.kind,
            symbol=chunk.symbol,
            enclosing=chunk.enclosing,
            headings=(*page.headings, *chunk.headings),
            text=content[chunk.start : chunk.end].decode(),
            start_byte=None,
            end_byte=None,
            start_line=None,
            end_line=None,
            page=page.number,
            page_label=chunk.label or page.label,
            tokens=chunk.tokens,
        )
        for ordinal, chunk in enumerate(chunks, first)
    ]


def _level(source: SourceText, offset: int) -> int:
    line = source.content[offset : min(source.line_end(offset), offset + 200)]
    if not line.strip():
        return NO_CUT
    previous = source.content[max(source.line_start(offset - 1), offset - 200) : offset]
    if not previous.strip():
        return 0
    return 1 if _SENTENCE_END.search(previous) else 2
