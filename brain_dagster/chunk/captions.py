"""Reads the captions of a recording, WebVTT and SubRip: who speaks, from when on, and what."""

from __future__ import annotations

import re
from html import unescape

from brain_dagster.chunk.blocks.base import LineScanner
from brain_dagster.chunk.cohesion import topic_words
from brain_dagster.chunk.conversations import Conversation
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.spoken import Turn, clock, may_speak, moves_on, opening, seconds_of

CAPTIONED = frozenset(("vtt", "srt"))
MAX_CAPTION_LINES = 60
_TIMING = re.compile(
    r"^[ \t]*((?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})[ \t]*-->[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^<>]{1,200})>")
_TAG = re.compile(r"</?[a-z\d.:_-]{1,200}(?:[ \t][^<>]{0,200})?>|\{\\[^{}]{0,100}\}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"')\]}*_ ]*$")
_HEADS = ("WEBVTT", "STYLE", "REGION", "NOTE")


def read_captions(source: SourceText) -> Conversation:
    """Read captions as turns; one without a name is said by whoever spoke before, if anybody has a name."""
    scan = LineScanner(source)
    first = scan.lines[0].removeprefix("\ufeff") if scan.lines else ""
    title = first.removeprefix("WEBVTT").strip(" \t-") if first.startswith("WEBVTT") else ""
    turns: list[Turn] = []
    speaker = ""
    ended = True
    for number, line in enumerate(scan.lines):
        timing = _TIMING.match(line)
        if timing is None:
            continue
        said = _said(scan.lines, number + 1)
        name, is_new = _speaker(said)
        is_new = is_new or (bool(name) and name != speaker)
        speaker = name if is_new else speaker
        words = words_of_captions(said)
        time = timing[1]
        turn = Turn(scan.starts[_first_of(scan.lines, number)], speaker, clock(time), _seconds(time))
        turn.continues = bool(turns) and not is_new and bool(speaker)
        turn.is_open = not ended
        turn.moves_on = moves_on(words)
        turn.words = topic_words(words)
        turns.append(turn)
        ended = _SENTENCE_END.search(words[-20:]) is not None
    if turns:
        turns[0].start = 0
    return Conversation(turns, title, is_captioned=True)


def words_of_captions(text: str) -> str:
    """Return what is said in captions, with who says it and without numbers, times and markup."""
    kept: list[str] = []
    speaker = ""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        follows = lines[number + 1] if number + 1 < len(lines) else ""
        is_label = _TIMING.match(line) or _TIMING.match(follows) or line.lstrip("\ufeff").startswith(_HEADS)
        voice = _VOICE.search(line)
        bare = " ".join(unescape(_TAG.sub("", _VOICE.sub("", line))).split())
        if is_label or not bare or bare.isdigit():
            continue
        if voice is not None and voice[1] != speaker:
            speaker = voice[1]
            bare = f"{speaker.strip()}: {bare}"
        kept.append(bare)
    return "\n".join(kept)


def _said(lines: list[str], first: int) -> str:
    """Return the lines of a caption: up to a blank line or the next timing."""
    for number in range(first, min(len(lines), first + MAX_CAPTION_LINES)):
        if not lines[number].strip() or _TIMING.match(lines[number]):
            return "\n".join(lines[first:number])
    return "\n".join(lines[first : first + MAX_CAPTION_LINES])


def _first_of(lines: list[str], number: int) -> int:
    """Return the line at which a caption begins: that of its number or name, right above its timing."""
    label = lines[number - 1].strip() if number else ""
    return (
        number - 1
        if label and (number < 2 or not lines[number - 2].strip()) and label != "WEBVTT"
        else number
    )


def _speaker(said: str) -> tuple[str, bool]:
    """Return who speaks, if the caption says so, and whether it says at least that somebody else does."""
    voice = _VOICE.search(said[:400])
    if voice is not None:
        return " ".join(voice[1].split()), False
    text = _TAG.sub("", said[:400]).lstrip()
    if text.startswith((">>", "- ", "– ")):
        text, is_new = text.lstrip(">–- "), True
    else:
        is_new = False
    found = opening(text.partition("\n")[0])
    has_name = found is not None and found.is_named and may_speak(found.speaker)
    return (found.speaker if found is not None and has_name else ""), is_new


def _seconds(time: str) -> float | None:
    return seconds_of(time if time.count(":") == 2 else f"0:{time}")
