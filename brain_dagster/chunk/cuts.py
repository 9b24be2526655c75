"""Splits a span that is over budget: at the best line starts, and inside a line only when it must."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from brain_dagster.chunk.source import BYTES_PER_TOKEN, SourceText
from brain_dagster.chunk.tokens import character_boundary

Level = Callable[[int], int]
"""How deep the text is nested at a line start: cuts are made where it is lowest."""

CANDIDATES = 256  # line starts looked at for one cut; a file of blank lines must not cost a square
_SENTENCE_END = re.compile(rb"[.!?;][\"')\]]*[ \t]+|,[ \t]+")


def cut(source: SourceText, start: int, end: int, budget: int, level: Level) -> list[int]:
    """Return where the pieces of a span begin, `start` first.

    Every piece fits the budget, and together they are the span (E8). Cuts fall on line starts; of those
    within reach the one with the lowest level is taken, and among equals the one that makes the pieces
    most alike in size. A line that does not fit by itself is cut after a sentence, a word or a character.
    """
    starts = [start]
    while not source.fits(starts[-1], end, budget):
        offset = _next_cut(source, starts[-1], end, budget, level)
        if offset >= end:  # a single character heavier than the budget: there is nothing left to cut
            break
        starts.append(offset)
    return starts


def _next_cut(source: SourceText, start: int, end: int, budget: int, level: Level) -> int:
    first, last = source.starts_between(start, end - 1)
    reach = _last_fitting(source, start, first, last, budget)
    if reach < first:
        return _cut_in_line(source, start, min(end, source.line_end(start)), budget)
    total = source.tokens(start, end)
    pieces = -(-total // budget)
    target = total / max(pieces, 2)
    best: tuple[bool, int, float] | None = None
    chosen = source.line_starts[reach]
    before = source.tokens_before(start)
    for position in range(reach, max(first, reach - CANDIDATES + 1) - 1, -1):
        offset = source.line_starts[position]
        tokens = source.line_tokens[position] - before if before >= 0 else source.tokens(start, offset)
        if tokens < target / 2 and best is not None:
            break
        leaves_a_scrap = min(tokens, total - tokens) < target / 2
        rank = (leaves_a_scrap, level(offset), abs(tokens - target))
        if best is None or rank < best:
            best, chosen = rank, offset
    return chosen


def _last_fitting(source: SourceText, start: int, first: int, last: int, budget: int) -> int:
    """Return the index of the last line start up to which the span fits; `first - 1` if there is none."""
    low, high = first, last
    before = source.tokens_before(start)
    if before >= 0:
        # Tokens decide nearly always; bytes are looked at only below that.
        high = bisect_right(source.line_tokens, before + budget, low, high)
    while low < high:
        middle = (low + high) // 2
        if source.fits(start, source.line_starts[middle], budget):
            low = middle + 1
        else:
            high = middle
    return low - 1


def _cut_in_line(source: SourceText, start: int, end: int, budget: int) -> int:
    """Return the best place inside a line of which not even the first part fits."""
    ends, low, high = source.pieces_between(start, end - 1)
    first = low
    while low < high:
        middle = (low + high) // 2
        if source.fits(start, ends[middle], budget):
            low = middle + 1
        else:
            high = middle
    if low == first:
        return _cut_in_word(source, start, end, budget)
    reach = ends[low - 1]
    middle_of_line = start + (reach - start) // 2
    window = source.content[middle_of_line:reach]
    sentences = [match.end() for match in _SENTENCE_END.finditer(window)]
    if sentences:
        return middle_of_line + sentences[-1]
    space = max(window.rfind(b" "), window.rfind(b"\t"))
    return middle_of_line + space + 1 if space >= 0 else reach


def _cut_in_word(source: SourceText, start: int, end: int, budget: int) -> int:
    """Return the end of as many whole characters as fit; at least one, whatever it weighs."""
    size = min(budget * BYTES_PER_TOKEN, end - start - 1)
    while size > 0:
        offset = character_boundary(source.content, start + size)
        if offset <= start:
            break
        if source.content[offset - 1 : offset + 1] == b"\r\n" and offset - 1 > start:
            offset -= 1
        if source.fits(start, offset, budget):
            return offset
        size //= 2
    offset = start + 1
    while offset < end and source.content[offset] & 0xC0 == 0x80:
        offset += 1
    return offset
