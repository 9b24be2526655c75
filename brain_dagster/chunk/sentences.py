"""Cuts a long paragraph between its sentences, wherever the lines end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from brain_dagster.chunk.cuts import Level, cut
from brain_dagster.chunk.source import SourceText

WRAPPED_CHARS = 40  # mean length from which on lines are those of wrapped text and not a list of names
LISTED_PERCENT = 10  # of the lines that begin like items of a list; of running text hardly any do
_END = re.compile(
    rb"[.!?][\"')\]*_]*[ \t\r\n]+"
    rb"|(?:\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f)(?:\xe3\x80[\x8d\x8f]|\xef\xbc\x89)*[ \t\r\n]*"  # CJK
)
_LIST_LINE = re.compile(rb"^[ \t]*(?:[-*+>|#:<]|\d+[.)][ \t])", re.MULTILINE)
_ABBREVIATION = re.compile(
    rb"(?:^|[\s(\[\"'])(?:[A-Za-z]|[A-Za-z]\.[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|Hon|St|No|Nr|vs|cf|ca|Fig|Eq|Sec|Vol|pp|"
    rb"resp|approx|incl|z\.B|d\.h|u\.a|bzw)\.[ \t\r\n]+$"
)


def is_running_text(text: bytes) -> bool:
    """Tell whether a stretch is text in sentences, and no list, table, quotation or code."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return False
    listed = len(_LIST_LINE.findall(text.replace(b"\r", b"\n")))
    return len(text) >= WRAPPED_CHARS * len(lines) and 100 * listed <= LISTED_PERCENT * len(lines)


def cut_at_sentences(source: SourceText, start: int, end: int, budget: int, level: Level) -> list[int]:
    """Return where the pieces of a stretch begin, `start` first; each fits, and they are alike in size.

    A sentence that does not fit by itself is cut as `cut` does.
    """
    places = sentence_starts(source.content, start, end)
    starts = [start]
    while not source.fits(starts[-1], end, budget):
        here = starts[-1]
        first = bisect_right(places, here)
        reach = bisect_left(places, True, first, key=lambda place: not source.fits(here, place, budget)) - 1
        if reach >= first:
            starts.append(_most_even(source, places, (here, end), (first, reach), budget))
            continue
        stop = places[first] if first < len(places) else end
        within = cut(source, here, stop, budget, level)[1:]
        if not within and stop >= end:
            break  # a single character heavier than the budget
        starts.extend(within or [stop])
    return starts


def sentence_starts(content: bytes, start: int, end: int) -> list[int]:
    """Return the offsets inside a stretch at which a sentence begins, in order."""
    places: list[int] = []
    for match in _END.finditer(content, start, end):
        offset = match.end()
        # After `e.g.` or an initial the sentence goes on, and so it does before a small letter.
        goes_on = content[offset : offset + 1].islower()
        if (
            offset < end
            and not goes_on
            and not _ABBREVIATION.search(content[max(start, offset - 40) : offset])
        ):
            places.append(offset)
    return places


def _most_even(
    source: SourceText, places: list[int], stretch: tuple[int, int], within: tuple[int, int], budget: int
) -> int:
    """Return, of the places within reach, the one that makes the pieces most alike."""
    start, end = stretch
    first, reach = within
    total = source.tokens(start, end)
    target = total / max(1, -(-total // budget))
    position = bisect_left(
        places, True, first, reach, key=lambda place: source.tokens(start, place) >= target
    )
    around = places[max(first, position - 1) : position + 1]
    return min(around, key=lambda place: abs(source.tokens(start, place) - target))
