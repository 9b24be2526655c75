"""A turn of a conversation, and the first line of one as exports of meetings and chats write it.

`Alice: text`, `[00:12:03] Bob: text`, `Bob [00:12:03]: text`, `2024-05-01, 10:22 - Bob: text`,
`10:22 <bob> text`, `10:22 From Bob to Everyone: text`, and `**Bob** 10:22` above what was said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

MAX_LINE_CHARS = 400  # of a line, what is looked at for who speaks and when
MAX_NAME_CHARS = 80
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:[ \u202f]?[AaPp]\.?[Mm]\b\.?)?"
_DATE = r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
_STAMP = rf"(?:(?:{_DATE})(?:T|,?[ \t]+))?{_CLOCK}"
_NAME = (
    r"(?:[^\W_]|\+\d)[\w.'’&/-]*(?:[ \u00a0][\w.'’&/-]+){0,5}"
    r"(?:[ ]?\((?:[^()]|\([^()]*\)){1,80}\)){0,2}"
)
_STAMPED = re.compile(
    rf"^[ \t]*(?:\[({_STAMP})\]|\(({_STAMP})\)|({_STAMP}))[ \t]*(?:[-–—][ \t]+)?"
    rf"(?:From[ \t]+)?(?:<({_NAME})>|({_NAME})[ \t]*:(?=\s|$))[ \t]*(.*)$"
)
_STAMP_BEHIND = re.compile(
    rf"^(?:\[({_NAME})\]|({_NAME}))[ \t]*"
    rf"(?:[\[(]({_STAMP})[\])][ \t]*:?|[ \t]({_STAMP})[ \t]*(?::(?=\s)|$))[ \t]*(.*)$"
)
_NAMED = re.compile(rf"^(?:<({_NAME})>|({_NAME})[ \t]?:(?=\s|$))[ \t]*(.*)$")
_CHAT = re.compile(rf"^([ \t]*)\[((?:{_STAMP})?)\][ \t]([^:]{{1,{MAX_NAME_CHARS}}}):(?:[ \t](.*))?$")
_ONLY_STAMP = re.compile(rf"^#{{0,6}}[ \t]*[\[(]?({_STAMP})[\])]?[ \t]*$")
_PARENTHESIS = re.compile(r"[ ]?\([^()]*(?:\([^()]*\)[^()]*)*\)$")
_PARTS_OF_TIME = re.compile(
    r"(?:(\d{1,4})[-./](\d{1,2})[-./](\d{1,4})\D+)?(\d{1,2}):(\d{2})(?::(\d{2}))?[.,\d]*[ \u202f]?([AaPp])?"
)
_MOVES_ON = re.compile(
    r"\b(?:next (?:item|topic|question|point|agenda|slide|section|issue)|mov(?:e|ing) (?:on|to)|"
    r"turn(?:ing)? to|let'?s (?:move|turn|start|begin|get started)|item (?:\d+|one|two|three|four|five|six)|"
    r"any other business|on the agenda|n(?:ä|ae)chste[rsn]? (?:punkt|thema|frage)|kommen wir)\b",
    re.IGNORECASE,
)
# Words that stand before colons in documents and name nobody who speaks.
_FIELDS = frozenset(
    (
        "a access action actions added address agenda alt answer apologies args arguments attendees "
        "author authors authorization begin body bug caution changed changelog chapter cc city class "
        "client command comment company contact content copyright country critical currency danger date "
        "day debug decision default dependencies deprecated description details due duration email end "
        "error errors example examples fatal feature features file files fix fixed format from goal "
        "group header hint host id image important info input install instructions issue item items key "
        "kind label language level license link links list location maintainer message method model "
        "month name next no note notes notice number options order outcome output owner package page "
        "parameters participants path phase phone place port precondition present price prerequisites "
        "priority product project purpose q question raises reason reference references regrets related "
        "removed reply-to required result results return returns review risk role scope section security "
        "see severity size source start state status step steps style subject summary system tag tags "
        "task team test tests time tip title to todo topic total trace type unit updated url usage user "
        "value version warn warning web website week when where who why year yes"
    ).split()
)


@dataclass(slots=True)
class Turn:
    """What somebody says without a break; in captions, one caption of it.

    start      offset of its first line, with the headings right above it
    time       as written, without fractions of a second
    seconds    the same as a number that can be compared within one document; None if it has no time
    trail      headings that it stands under
    is_mark    a section begins here
    is_reply   belongs to the thread of the turn above
    continues  goes on with what the same person says in the caption before
    moves_on   says so: `next item`, `let's move on`
    is_open    the caption before ended inside a sentence
    words      what is said, as far as it is looked at for its topic
    """

    start: int
    speaker: str = ""
    time: str = ""
    seconds: float | None = None
    trail: tuple[str, ...] = ()
    is_mark: bool = False
    is_reply: bool = False
    continues: bool = False
    moves_on: bool = False
    is_open: bool = False
    words: list[str] = field(default_factory=list)


class Opening(NamedTuple):
    """The first line of a turn; `speaker` is empty where a line is nothing but a time."""

    speaker: str
    time: str
    text: str
    is_reply: bool = False
    is_named: bool = True  # by a colon alone, which many lines have that nobody says
    has_nick: bool = False  # `<nick> text`


def opening(line: str) -> Opening | None:
    """Read a line as the first of a turn; None if it is none."""
    line = line[:MAX_LINE_CHARS].replace("**", "").replace("__", "").rstrip()
    found = _STAMPED.match(line)
    if found is not None:
        name = found[4] or found[5].partition(" to ")[0]
        time = found[1] or found[2] or found[3]
        return Opening(name, time, found[6], is_named=False, has_nick=found[4] is not None)
    found = _STAMP_BEHIND.match(line)
    if found is not None:
        return Opening(found[1] or found[2], found[3] or found[4], found[5], is_named=False)
    found = _NAMED.match(line)
    if found is not None and len(found[1] or found[2]) <= 2 * MAX_NAME_CHARS:
        has_nick = found[1] is not None
        return Opening(found[1] or found[2], "", found[3], is_named=not has_nick, has_nick=has_nick)
    found = _ONLY_STAMP.match(line)
    return Opening("", found[1], "", is_named=False) if found is not None else None


def chat_opening(line: str) -> Opening | None:
    """Read a line `[2024-05-01 10:22] Alice: text`; a reply in a thread is indented."""
    found = _CHAT.match(line[:MAX_LINE_CHARS])
    return Opening(found[3].strip(), found[2], found[4] or "", is_reply=bool(found[1])) if found else None


def moves_on(line: str) -> bool:
    """Tell whether the beginning of a turn says that another topic follows."""
    return _MOVES_ON.search(line[:MAX_LINE_CHARS]) is not None


def may_speak(name: str) -> bool:
    """Tell whether a name may be somebody's: it begins with no small letter and is no usual field."""
    return not name[:1].islower() and name.lower().split(" (")[0] not in _FIELDS


def short_name(name: str) -> str:
    """Return a name without what is said of the person in parentheses."""
    return (_PARENTHESIS.sub("", name) or name)[:40].rstrip()


def seconds_of(time: str) -> float | None:
    """Return a time as seconds: of the day, of a recording, or since the year 1 if it has a date."""
    found = _PARTS_OF_TIME.search(time)
    if found is None:
        return None
    hours, minutes, seconds = int(found[4]), int(found[5]), found[6]
    is_recording = seconds is None and not found[1] and not found[7]
    if found[7]:
        hours = hours % 12 + (12 if found[7] in "Pp" else 0)
    # `12:03` alone is twelve minutes into a recording or noon; for a gap between two it is all the same.
    total = (
        float(60 * hours + minutes)
        if is_recording
        else float(3600 * hours + 60 * minutes + int(seconds or 0))
    )
    return total + 86_400 * _day(found[1], found[2], found[3]) if found[1] else total


def clock(time: str) -> str:
    """Return a time without brackets and fractions of a second."""
    return re.sub(r"[.,]\d+(?=\D*$)", "", time.strip().replace("T", " ")) if ":" in time else ""


def _day(first: str, second: str, third: str) -> int:
    """Number the day of a date; where day and month cannot be told apart the day is taken to come first."""
    year, month, day = (
        (int(first), int(second), int(third)) if len(first) == 4 else (int(third), int(second), int(first))
    )
    if month > 12:
        month, day = day, month
    try:
        return date(year + 2000 if year < 100 else year, month, day).toordinal()
    except ValueError:
        return 0
