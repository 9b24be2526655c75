"""Chunks of a page or another part of a document: none straddles two, so that a citation can name one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.model import ChunkDraft

_SCRAP = 4  # less than this part of a chunk is not worth one of its own
# Small letters on both sides: `Anglo-\nSaxon` and `10-\n12` keep what they have.
_DIVIDED = re.compile(r"([^\W\d_A-Z]{2,})-\n[ \t]*([^\W\d_A-Z]{2,}[^\s\w]*)[ \t]?\n?")
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


def chunk_page(
    text: str, budget: int, counter: TokenCounter, sections: Sequence[tuple[int, tuple[str, ...]]] = ()
) -> list[PageChunk]:
    """Cut a page's text into chunks; a page of nothing but white space has none.

    Extracted text rarely has blank lines, so a line that ends a sentence counts as the end of a paragraph.

    sections  where headings stand, as byte offsets of their lines, with the trail that holds from there on;
              a section begins a chunk unless what is before it is a scrap
    """
    source = SourceText(text, counter)
    if source.is_blank(0, len(source)):
        return []
    places, trails = [offset for offset, _ in sections], [trail for _, trail in sections]
    starts: list[int] = []
    for start, end in pairwise([0, *_section_starts(source, places, budget), len(source)]):
        starts += cut(source, start, end, budget, lambda offset: _level(source, offset))
    spans = zip(starts, [*starts[1:], len(source)], strict=True)
    return [
        PageChunk(start, end, source.tokens(start, end), headings=_trail_of(start, end, places, trails))
        for start, end in spans
        if not source.is_blank(start, end)
    ]


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
            plain_text=_plain_text(content[chunk.start : chunk.end].decode()),
        )
        for ordinal, chunk in enumerate(chunks, first)
    ]


def _plain_text(text: str) -> str | None:
    """What is searched in place of the text that is shown, if words of it are divided."""
    whole = unbroken(text)
    return whole if whole != text else None


def _section_starts(source: SourceText, places: Sequence[int], budget: int) -> list[int]:
    """Return the headings before which the page is cut: those that end more than a quarter of a chunk."""
    starts: list[int] = []
    for place in places:
        before = starts[-1] if starts else 0
        if before < place < len(source) and _SCRAP * source.tokens(before, place) >= budget:
            starts.append(place)
    return starts


def _trail_of(
    start: int, end: int, places: Sequence[int], trails: Sequence[tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the trail that most of a span stands under."""
    first = max(0, bisect_right(places, start) - 1)
    most = 0
    chosen: tuple[str, ...] = ()
    for position in range(first, len(places)):
        if places[position] >= end:
            break
        after = places[position + 1] if position + 1 < len(places) else end
        covered = min(end, after) - max(start, places[position])
        if covered > most:
            most, chosen = covered, trails[position]
    return chosen


def unbroken(text: str) -> str:
    """Return text with words whole that the end of a line divides; the lines themselves stay.

    The rest of the word moves up. A compound that is divided at its own hyphen loses it: which of the two it
    is, no dictionary here says, and most hyphens at line ends were put there by a typesetter.
    """
    return _DIVIDED.sub(r"\1\2\n", text) if "-\n" in text else text


def _level(source: SourceText, offset: int) -> int:
    line = source.content[offset : min(source.line_end(offset), offset + 200)]
    if not line.strip():
        return NO_CUT
    previous = source.content[max(source.line_start(offset - 1), offset - 200) : offset]
    if not previous.strip():
        return 0
    return 1 if _SENTENCE_END.search(previous) else 2
