"""What the readers of data with keys share: an entry, how it is named, and what a reader answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

NAME_CHARS = 80
HEADER_CHARS = 120
PATH_CHARS = 300
NAME_ENTRIES = 12  # how far into an element its name is looked for
# What names an element of a list or one document among several: the first of these that it has.
NAMES = ("name", "id", "key", "title", "kind")

Inner = TypeVar("Inner")


@dataclass(slots=True)
class Entry(Generic[Inner]):
    """A key with its value, an element of a list, or a document; offsets count bytes.

    key       as written, without quotes; `` for an element
    name      the element's own, or that of an entry which may share its key; `` if it has none
    position  among its like in the same list, counted from 0; -1 for what is in no list
    inner     where the reader finds the entries inside it
    joint     what stands between its parent's path and its key
    """

    start: int
    end: int
    key: str
    name: str
    inner: Inner
    position: int = -1
    joint: str = "."

    def path(self, parent: str) -> str:
        """Return the symbol path, e.g. `services.web.ports[0]`."""
        path = self.joint.join(filter(None, (parent, self.key, self.name)))
        if self.position >= 0 and not self.name:
            path = f"{path}[{self.position}]"
        return path if len(path) <= PATH_CHARS else f"…{path[1 - PATH_CHARS :]}"

    @property
    def is_anonymous(self) -> bool:
        """Whether nothing tells it from its neighbours: its path is that of its parent."""
        return not self.key and not self.name and self.position < 0


class EntryReader(Protocol[Inner]):
    """The entries of one text; every method may raise OverBudget."""

    @property
    def comments(self) -> tuple[str, ...]:
        """How a line of comment begins, or what encloses a comment, as two words."""

    def top(self) -> list[Entry[Inner]]:
        """Return the entries at the top level, in order."""

    def inside(self, entry: Entry[Inner]) -> list[Entry[Inner]]:
        """Return the entries right inside another, in order."""

    def header(self, entry: Entry[Inner]) -> str:
        """Return the line that introduces an entry, e.g. `services:`, without what it opens."""

    def trouble(self) -> tuple[int, int] | None:
        """Return how many bytes were not understood and the first line of them; None if all were."""


def numbered(entries: Iterable[Entry[Inner]], shared_keys: bool) -> list[Entry[Inner]]:
    """Give the elements of a list their positions; with `shared_keys`, those of each key for themselves."""
    counts: Counter[str] = Counter()
    found = []
    for entry in entries:
        if shared_keys or not entry.key:
            entry.position = counts[entry.key]
            counts[entry.key] += 1
        found.append(entry)
    return found


class Troubles:
    """Notes what was not understood, to be told with the first line of it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._bytes = 0
        self._first: int | None = None

    def note(self, start: int, end: int) -> None:
        """Take a stretch that made no sense."""
        self._bytes += end - start
        self._first = start if self._first is None else min(self._first, start)

    def trouble(self) -> tuple[int, int] | None:
        """Return how many bytes were noted and the first line of them; None if there are none."""
        if self._first is None:
            return None
        return self._bytes, self._content.count(b"\n", 0, self._first) + 1


def with_plain_line_ends(content: bytes) -> bytes:
    """Return the text with every lone `\\r` as `\\n`: it ends a line (E4), and offsets stay as they are."""
    return re.sub(rb"\r(?!\n)", b"\n", content)


def one_line(text: bytes, limit: int) -> str:
    """Return text on one line, no longer than a limit of characters."""
    return " ".join(text[: 4 * limit].decode(errors="ignore").split())[:limit]
