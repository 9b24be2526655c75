"""What every reader of the code map shares: the entry, the file it reads, the limits it works under."""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from brain_dagster.store.clean import clean_text

EntryKind = Literal["manifest", "dependency", "workspace", "entry_point", "route", "rpc", "consumer"]

# Real manifests and sources are far smaller; what is larger was generated, or is made to hurt.
MAX_FILE_CHARS = 1_000_000
# The largest real file seen, a route table of a code forge, has about 800.
MAX_ENTRIES_PER_FILE = 2_000
MAX_FIELD_CHARS = 300
FILE_BUDGET_S = 2.0
# Line patterns may take time in the square of a line; this bounds it to a few milliseconds.
MAX_LINE_CHARS = 1_000

_LINE_END = re.compile(r"\r\n|\n|\r")
_SPACES = re.compile(r"\s{2,}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One thing a file declares.

    kind    manifest: name is the file's, detail what it describes, or that it could not be parsed
            dependency: name as written, detail its version and, in brackets, what it is needed for
            entry_point: name is what is started, detail how
            route: name is `METHOD /path`, detail the handler
    line    counted from 1; `\\n`, `\\r\\n` and `\\r` each end one line
    """

    kind: EntryKind
    name: str
    detail: str
    line: int


class BudgetSpent(Exception):
    """The time for one file is over; what was found so far stands."""


class NotParsable(Exception):
    """A manifest breaks the rules of its format; `line` is where, if that is known."""

    def __init__(self, line: int | None = None) -> None:
        super().__init__(line)
        self.line = line


class Deadline:
    """The time one file may take."""

    def __init__(self, seconds: float = FILE_BUDGET_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is spent."""
        return self._clock() > self._end

    def check(self) -> None:
        """Raise BudgetSpent when the time is over."""
        if self.is_over:
            raise BudgetSpent


class LineIndex:
    """From an offset in a text to its line; a form feed or U+2028 does not end a line (fault E4)."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]

    def line(self, offset: int) -> int:
        """Return the line, from 1, that holds the character at `offset`."""
        return bisect_right(self._starts, max(offset, 0))


@dataclass(frozen=True)
class MappedFile:
    """A file while it is being mapped; `path` is printable, `text` is clean."""

    path: str
    language: str
    text: str
    deadline: Deadline = field(default_factory=Deadline)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The name's ending in lower case, with its dot; empty if it has none."""
        stem, dot, ending = self.name.rpartition(".")
        return f".{ending.lower()}" if dot and stem else ""

    @cached_property
    def lines(self) -> LineIndex:
        """Offsets to lines."""
        return LineIndex(self.text)

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number, from 1, without its end.

        Runs of spaces become one, and a line is cut at a length no person writes, so that the patterns of
        the readers stay fast whatever they are given.
        """
        for number, line in enumerate(_LINE_END.split(self.text), start=1):
            self.deadline.check()
            yield number, _SPACES.sub(" ", line[:MAX_LINE_CHARS])


Reader = Callable[[MappedFile], Iterable[MapEntry]]


def tidy(value: object) -> str:
    """Return a field as one clean line of bounded length; everything but text and numbers becomes empty."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    line = " ".join(_CONTROL.sub(" ", clean_text(str(value))).split())
    return line if len(line) <= MAX_FIELD_CHARS else line[: MAX_FIELD_CHARS - 1] + "…"


def with_purpose(version: object, purpose: str) -> str:
    """Return `>=2 (dev)`: a version and, in brackets, what the dependency is needed for."""
    spec = tidy(version)
    return f"{spec} ({purpose})".strip() if purpose else spec


def described(*words: object) -> str:
    """Join what a manifest says of itself, e.g. name and version, leaving out what it does not say."""
    return " ".join(filter(None, map(tidy, words)))
