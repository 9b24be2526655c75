"""Reads the tags of HTML and its relatives in one pass over the bytes.

There is no tree and no stack, so no depth is too deep (E6), and every search that failed once is not made
again, so a megabyte of `<` costs a megabyte and not its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from html import unescape
from typing import NamedTuple

RAW_ELEMENTS = frozenset((b"script", b"style"))
TAG_BYTES = 8_000  # of one tag, what is searched for attributes
_START = re.compile(rb"<(?:(/?)([A-Za-z_][^\s/><]*)|(!--)|(!\[CDATA\[)|(\?)|!(?=[A-Za-z\[]))")
_END_OF_TAG = re.compile(rb">|=[ \t\r\n]*([\"'])")
_ATTRIBUTE = re.compile(
    rb"(?<![\w:.@#-])([\w:.@#-]+)[ \t\r\n]*=[ \t\r\n]*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))"
)
_END_OF_RAW = {name: re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE) for name in RAW_ELEMENTS}


class MarkKind(StrEnum):
    """What a mark in the text is."""

    OPEN = "open"
    CLOSE = "close"
    SINGLE = "single"  # closes itself: `<br/>`
    RAW = "raw"  # what stands in a script or a style sheet
    CDATA = "cdata"
    OTHER = "other"  # comments, declarations, processing instructions


class Mark(NamedTuple):
    """Something that is no text; offsets count bytes, `name` is in lower case."""

    kind: MarkKind
    start: int
    end: int
    name: bytes = b""


def marks(content: bytes, *, raw: frozenset[bytes] = RAW_ELEMENTS) -> Iterator[Mark]:
    """Yield the marks of a text in order; they do not overlap, and what lies between them is text.

    raw  elements whose content is no markup; each needs a pattern here
    A tag that is never closed is text, as is a comment; a `<` before anything but a name always is.
    """
    scanner = _Scanner(content)
    position = 0
    while (found := _START.search(content, position)) is not None:
        mark = scanner.mark(found)
        if mark is None:
            position = found.end()
            continue
        yield mark
        position = mark.end
        if mark.kind is MarkKind.OPEN and mark.name in raw:
            ending = _END_OF_RAW[mark.name].search(content, position)
            end = ending.start() if ending is not None else len(content)
            if end > position:
                yield Mark(MarkKind.RAW, position, end, mark.name)
            position = end


def attributes(content: bytes, mark: Mark) -> dict[str, str]:
    """Return the attributes of a tag that have values, entities decoded; the first of a name counts."""
    start = mark.start + 1 + len(mark.name)
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(content, start, min(mark.end, start + TAG_BYTES)):
        value = next(filter(None, match.groups()[1:]), b"")
        found.setdefault(match[1].decode(errors="ignore").lower(), decoded(value))
    return found


def decoded(text: bytes) -> str:
    """Return text with its entities decoded; one of thousands of digits is left as it stands."""
    plain = text.decode(errors="ignore")
    try:
        return unescape(plain) if "&" in plain else plain
    except ValueError:  # more digits than Python makes a number of
        return plain


class _Scanner:
    """Finds the ends of marks, and remembers what it looked for in vain."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._absent: set[bytes] = set()
        self._heeds_quotes = True

    def mark(self, found: re.Match[bytes]) -> Mark | None:
        """Return the mark that begins here; None if it has no end."""
        slash, name, comment, cdata, instruction = found.groups()
        start = found.start()
        if name is None:
            for is_it, ending, skipped in ((comment, b"-->", 2), (cdata, b"]]>", 0), (instruction, b"?>", 0)):
                if is_it and (end := self._after(ending, start + skipped)):
                    return Mark(MarkKind.CDATA if cdata else MarkKind.OTHER, start, end)
            end = 0 if comment or cdata else self._after(b">", start)
            return Mark(MarkKind.OTHER, start, end) if end else None
        end = self._end_of_tag(found.end())
        if not end:
            return None
        kind = MarkKind.CLOSE if slash else MarkKind.OPEN
        if not slash and self._content[end - 2 : end] == b"/>":
            kind = MarkKind.SINGLE
        return Mark(kind, start, end, name.lower())

    def _after(self, what: bytes, position: int) -> int:
        """Return where the next such bytes end, 0 if there are none any more."""
        if what in self._absent:
            return 0
        found = self._content.find(what, position)
        if found < 0:
            self._absent.add(what)
            return 0
        return found + len(what)

    def _end_of_tag(self, position: int) -> int:
        """Return the offset behind the `>` that ends a tag, 0 if there is none.

        A `>` in quotes ends nothing. Where quotes do not add up and the rest of the text would be one tag,
        they are not heeded from there on.
        """
        start = position
        while self._heeds_quotes:
            found = _END_OF_TAG.search(self._content, position)
            if found is None:
                self._heeds_quotes = False
                break
            if found[1] is None:
                return found.end()
            position = self._after(found[1], found.end()) or found.end()
        return self._after(b">", start)
