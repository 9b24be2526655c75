"""Chunks of a page: a chunk never straddles two pages, so that a citation can name one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.model import ChunkDraft

_SENTENCE_END = re.compile(rb"[.!?:][\"')\]]*\s*$")


@dataclass(frozen=True, slots=True)
class PageChunk:
    """One chunk of a page's text; offsets count bytes of the page's UTF-8 text."""

    start: int
    end: int
    tokens: int


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


def page_drafts(
    content: bytes, chunks: list[PageChunk], *, first: int, page: int, label: str, headings: tuple[str, ...]
) -> list[ChunkDraft]:
    """Turn the chunks of one page into drafts; `first` is the ordinal of the first of them."""
    return [
        ChunkDraft(
            ordinal=ordinal,
            kind="page",
            symbol="",
            enclosing=(),
            headings=headings,
            text=content[chunk.start : chunk.end].decode(),
            start_byte=None,
            end_byte=None,
            start_line=None,
            end_line=None,
            page=page,
            page_label=label,
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
