"""Reads conversations, turn by turn, and tells whether a text is one."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from brain_dagster.chunk.blocks.base import LineScanner, plain
from brain_dagster.chunk.cohesion import topic_words
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.spoken import (
    Opening,
    Turn,
    chat_opening,
    clock,
    may_speak,
    moves_on,
    opening,
    seconds_of,
    short_name,
)

SAMPLE_LINES = 3_000
FEWEST_TURNS = 6
TURNS_PER_SPEAKER = 3
TURN_PERCENT = 60  # of the lines, or of the paragraphs, that must begin a turn
SENTENCE_PERCENT = 50  # of the turns without a time that must end like a sentence
FIELD_PERCENT = 20  # of the turns that may stand before a colon in documents as well
RECORD_PERCENT = 90  # of the turns that one and the same name follows: those are fields of records
_SENTENCE_END = re.compile(r"[.!?…。！？][\"')\]}*_ ]*$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(?=\S)")
_RULE = re.compile(r"^[ \t]*([-=*_])(?:[ \t]*\1){2,}[ \t]*$")


class Conversation(NamedTuple):
    """The turns of a text, in order; the first may be what stands before anybody speaks."""

    turns: list[Turn]
    title: str = ""
    metadata: dict[str, str] = {}  # noqa: RUF012 - never changed
    warnings: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    is_captioned: bool = False


def is_conversation(text: str) -> bool:
    """Tell whether a text is beyond doubt a transcript or a chat.

    Most of its lines or paragraphs begin a turn, few people take many turns each, and what names with a
    colon alone precede reads like speech: minutes, settings, records and change logs all have `Name: value`.
    """
    lines = text[: 200 * SAMPLE_LINES].splitlines()[:SAMPLE_LINES]
    written = [line for line in lines if line.strip()]
    openings, ends = _openings(written)
    if len(openings) < FEWEST_TURNS or not _is_most(lines, written, len(openings)):
        return False
    speakers = Counter(short_name(each.speaker) for each in openings)
    repeated = sum(count for count in speakers.values() if count > 1)
    if (
        len(speakers) < 2
        or TURNS_PER_SPEAKER * len(speakers) > len(openings)
        or 5 * repeated < 4 * len(openings)
    ):
        return False
    strangers = sum(not may_speak(each.speaker) and not each.has_nick for each in openings)
    return 100 * strangers < FIELD_PERCENT * len(openings) and _is_spoken(openings, ends, speakers)


def _openings(written: list[str]) -> tuple[list[Opening], list[str]]:
    """Return the first lines of all turns, and the last line of each."""
    openings: list[Opening] = []
    ends: list[str] = []
    for line in written:
        found = opening(line)
        if found is not None and found.speaker:
            openings.append(found)
            ends.append(line)
        elif ends and found is None:
            ends[-1] = line
    return openings, ends


def _is_most(lines: list[str], written: list[str], turns: int) -> bool:
    if 100 * turns >= TURN_PERCENT * len(written):
        return True
    firsts = [line for before, line in pairwise(["", *lines]) if line.strip() and not before.strip()]
    led = sum((found := opening(line)) is not None and bool(found.speaker) for line in firsts)
    return 100 * led >= TURN_PERCENT * len(firsts) and 2 * led > turns


def _is_spoken(openings: list[Opening], ends: list[str], speakers: Counter[str]) -> bool:
    if 2 * sum(each.is_named for each in openings) < len(openings):
        return True
    sentences = sum(_SENTENCE_END.search(line[-20:]) is not None for line in ends)
    if 100 * sentences < SENTENCE_PERCENT * len(ends):
        return False
    if len(speakers) == 2:
        return True
    followers: dict[str, Counter[str]] = {}
    for left, right in pairwise(openings):
        followers.setdefault(left.speaker, Counter())[right.speaker] += 1
    foreseen = sum(max(counts.values()) for counts in followers.values())
    return 100 * foreseen < RECORD_PERCENT * (len(openings) - 1)


def read_conversation(source: SourceText, language: str) -> Conversation:
    """Read the turns of a transcript or chat; `chat` has replies and lines set in below a message."""
    scan = LineScanner(source)
    first = scan.take_front_matter() if language == "markdown" else 0
    reader = _Reader(scan, language)
    if first:
        reader.turns.append(Turn(0))
    for number in range(first, len(scan.lines)):
        reader.step(number)
    turns = reader.finished()
    title = scan.metadata.get("title") or next(iter(reader.outline), "") or _first_line(scan, turns, language)
    return Conversation(turns, title, scan.metadata, tuple(scan.warnings), tuple(reader.outline))


class _Reader:
    """Goes through the lines once.

    waiting    where headings, rules and times begin that lead the next turn
    """

    def __init__(self, scan: LineScanner, language: str) -> None:
        self.scan = scan
        self.turns: list[Turn] = []
        self.outline: list[str] = []
        self._is_chat = language == "chat"
        self._needs_time = not self._is_chat and _is_timed(scan.lines)
        self._has_headings = language == "markdown"
        self._trail: list[tuple[int, str]] = []
        self._waiting: int | None = None
        self._time = ""
        self._is_mark = False

    def step(self, number: int) -> None:
        line = self.scan.lines[number]
        found = chat_opening(line) if self._is_chat else opening(line)
        if not line.strip():
            return
        if self._has_headings and _HEADING.match(line) and (found is None or found.speaker):
            self._take_heading(number, line)
        elif not self._is_chat and _RULE.match(line):
            self._wait(number, is_mark=True)
        elif found is not None and not found.speaker and not self._is_chat:
            self._wait(number)
            self._time = found.time
        elif found is not None and self._is_turn(found):
            self._begin(number, found)
        elif not self.turns or self._waiting is not None:
            self._begin(number, Opening("", "", line))
        else:
            self.turns[-1].words.extend(topic_words(line))

    def finished(self) -> list[Turn]:
        """Return the turns; what waits for one that never comes stays with the last."""
        if not self.turns:
            self.turns.append(Turn(0))
        self.turns[0].start = 0
        return self.turns

    def _is_turn(self, found: Opening) -> bool:
        if self._is_chat or not found.is_named:
            return True
        return not self._needs_time and may_speak(found.speaker)

    def _take_heading(self, number: int, line: str) -> None:
        text = line.lstrip()
        level = len(text) - len(text.lstrip("#"))
        title = plain(text.strip("# \t"))
        self._trail = [entry for entry in self._trail if entry[0] < level] + [(level, title)]
        self.outline.append(title)
        self._wait(number, is_mark=True)

    def _wait(self, number: int, *, is_mark: bool = False) -> None:
        self._waiting = number if self._waiting is None else self._waiting
        self._is_mark |= is_mark

    def _begin(self, number: int, found: Opening) -> None:
        time = found.time or self._time
        self.turns.append(
            Turn(
                start=self.scan.starts[number if self._waiting is None else self._waiting],
                speaker=found.speaker,
                time=clock(time),
                seconds=seconds_of(time),
                trail=tuple(title for _, title in self._trail),
                is_mark=self._is_mark,
                is_reply=found.is_reply,
                moves_on=moves_on(found.text),
                words=topic_words(self.scan.lines[number]),
            )
        )
        self._waiting, self._time, self._is_mark = None, "", False


def _is_timed(lines: list[str]) -> bool:
    """Whether turns come with their times, so that a name and a colon alone begin none."""
    openings = [
        found for line in lines[:SAMPLE_LINES] if (found := opening(line)) is not None and found.speaker
    ]
    return 2 * sum(not each.is_named for each in openings) >= len(openings)


def _first_line(scan: LineScanner, turns: list[Turn], language: str) -> str:
    """Return a short line above the first turn: exports put the name of the meeting there."""
    if language == "chat" or turns[0].speaker:
        return ""
    line = next((line.strip() for line in scan.lines if line.strip()), "")
    is_title = len(line) <= 80 and not line.endswith((".", ":", ",")) and opening(line) is None
    return line if is_title and not _RULE.match(line) else ""
