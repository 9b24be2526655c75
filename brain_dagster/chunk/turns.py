"""Chunks of what was spoken or chatted: groups of turns about one topic, with their times and speakers.

A turn that fits is never cut. A group ends where its successor begins a section, comes after a long pause or
speaks of other things, as far as the budget leaves a choice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from brain_dagster.chunk.captions import CAPTIONED, read_captions
from brain_dagster.chunk.cohesion import shifts
from brain_dagster.chunk.conversations import Conversation, read_conversation
from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import line_level, line_spans
from brain_dagster.chunk.sentences import cut_at_sentences
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.spoken import Turn, short_name
from brain_dagster.model import ParsedDocument

SPOKEN = frozenset((*CAPTIONED, "chat"))
"""Languages that are conversations by definition; others may turn out to be one."""

SMALL = 4  # a section or conversation of less than a quarter of the budget shares its chunk with the next
STRAY = 8  # a line or two lead a speech that must be cut
LONG_PAUSE = 4  # times the median
BREAK = 20  # times the median, and BREAK_S: what follows is another conversation
PAUSE_S = 5.0
BREAK_S = 600.0
FULL = 1.0  # what a full chunk is worth, as a change of topic is worth up to 1
MAX_SPEAKERS = 6
MAX_OUTLINE = 100


def chunk_turns(source: SourceText, char_count: int, language: str, budget: int) -> ParsedDocument:
    """Chunk a transcript, captions or a chat; the spans tile the text.

    The last heading of a chunk says from when to when and who speaks: `00:12:03-00:14:40, Alice, Bob`.
    """
    found = read_captions(source) if language in CAPTIONED else read_conversation(source, language)
    warnings = found.warnings
    if found.turns:
        spans = _Packer(source, found, budget).spans()
    else:
        spans = line_spans(source, 0, len(source), budget)
        warnings = (*warnings, "parsed partially: no caption found; cut by lines")
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title=found.title,
        char_count=char_count,
        outline=found.outline[:MAX_OUTLINE],
        warnings=warnings,
        metadata=found.metadata,
    )


class _Packer:
    """Groups turns; `_ends` is where each ends."""

    def __init__(self, source: SourceText, found: Conversation, budget: int) -> None:
        self._source = source
        self._budget = budget
        self._turns = found.turns
        self._is_captioned = found.is_captioned
        self._starts = [turn.start for turn in found.turns]
        self._ends = [*self._starts[1:], len(source)]
        self._strength, self._breaks = _places(found.turns)

    def spans(self) -> list[Span]:
        """Return the groups as spans of kind `turns`; what is left of a long speech begins the next group."""
        spans: list[Span] = []
        begin = first = 0
        while first < len(self._turns):
            stop = self._stop(begin, first)
            stop += self._leads_speech(begin, stop)
            pieces = self._pieces(begin, self._ends[stop - 1])
            spans.extend(self._span(start, end) for start, end in pairwise(pieces))
            if len(pieces) > 1:
                begin, first = pieces[-1], stop - 1
                continue
            spans.append(self._span(begin, self._ends[stop - 1]))
            begin, first = self._ends[stop - 1], stop
        return spans

    def _stop(self, begin: int, first: int) -> int:
        """Return the turn before which the group that begins at an offset ends."""
        fits = self._source.fits
        reach = bisect_left(self._ends, True, first + 1, key=lambda end: not fits(begin, end, self._budget))
        for turn in range(first + 1, min(reach + 1, len(self._turns))):
            if self._breaks[turn] and self._tokens(begin, turn) >= self._budget // SMALL:
                return turn
        if reach == len(self._turns):
            return reach
        within = range(first + 1, reach + 1)
        whole = [turn for turn in within if not self._turns[turn].continues] or list(within)
        filling = [turn for turn in whole if self._tokens(begin, turn) >= self._budget // 2]
        return max(filling, key=lambda turn: (self._rank(begin, turn), turn)) if filling else whole[-1]

    def _rank(self, begin: int, turn: int) -> float:
        rest = self._source.tokens(self._starts[turn], len(self._source))
        leaves_a_scrap = rest < self._budget // STRAY
        return self._strength[turn] + FULL * self._tokens(begin, turn) / self._budget - leaves_a_scrap

    def _tokens(self, begin: int, turn: int) -> int:
        return self._source.tokens(begin, self._starts[turn])

    def _leads_speech(self, begin: int, stop: int) -> bool:
        """Whether a group is a line or two before a turn that must be cut anyway."""
        if stop == len(self._turns) or self._tokens(begin, stop) > self._budget // STRAY:
            return False
        return not self._source.fits(self._starts[stop], self._ends[stop], self._budget)

    def _pieces(self, begin: int, end: int) -> list[int]:
        """Return where the pieces of a group begin: it is one, unless a single turn is over the budget."""
        if self._source.fits(begin, end, self._budget):
            return [begin]
        divide = cut if self._is_captioned else cut_at_sentences
        return divide(self._source, begin, end, self._budget, lambda offset: line_level(self._source, offset))

    def _span(self, start: int, end: int) -> Span:
        first, stop = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end)
        turns = self._turns[first:stop]
        headings = shared_trail([turn.trail for turn in turns])
        place = _place(turns)
        return Span(start, end, "turns", headings=(*headings, place) if place else headings)


def _places(turns: Sequence[Turn]) -> tuple[list[float], list[bool]]:
    """Return, for each turn, how good a place to cut is before it, and whether another part begins there."""
    pauses = _pauses(turns)
    usual = median([pause for pause in pauses if pause > 0] or [0.0])
    strengths: list[float] = []
    breaks: list[bool] = []
    for turn, shift, pause in zip(turns, shifts([turn.words for turn in turns]), pauses, strict=True):
        is_long = pause >= max(PAUSE_S, LONG_PAUSE * usual)
        strength = min(shift, 1.0) + is_long + 2.0 * turn.is_mark + 0.5 * turn.moves_on
        strengths.append(strength - 2.0 * turn.is_reply - 0.5 * turn.is_open)
        breaks.append(turn.is_mark or pause >= max(BREAK_S, BREAK * usual))
    return strengths, breaks


def _pauses(turns: Sequence[Turn]) -> list[float]:
    """Return the seconds between the beginning of each turn and the one before it, 0 where unknown.

    A reply has no pause, and does not count for what follows its thread.
    """
    pauses: list[float] = []
    before: float | None = None
    for turn in turns:
        known = turn.seconds is not None and before is not None and not turn.is_reply
        pauses.append(max(0.0, turn.seconds - before) if known else 0.0)  # type: ignore[operator]
        if turn.seconds is not None and not turn.is_reply:
            before = turn.seconds
    return pauses


def shared_trail(trails: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all stand under."""
    shared: list[str] = []
    for names in zip(*trails, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)


def _place(turns: Sequence[Turn]) -> str:
    """Return from when to when, and who: `00:12:03-00:14:40, Alice, Bob`; empty if nobody knows."""
    times = [turn.time for turn in turns if turn.time]
    when = ""
    if times:
        day, _, clock = times[-1].rpartition(" ")
        last = clock if day and times[0].startswith(f"{day} ") else times[-1]
        when = times[0] if times[0] == times[-1] else f"{times[0]}-{last}"
    speakers = list(dict.fromkeys(short_name(turn.speaker) for turn in turns if turn.speaker))
    return ", ".join(filter(None, [when, *speakers[:MAX_SPEAKERS]]))
