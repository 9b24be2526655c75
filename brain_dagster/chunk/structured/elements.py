"""Reads the elements of XML from its tags: one pass, and a stack of its own instead of a tree of the grammar.

The XML grammar takes minutes over a hundred thousand open elements or open quotes (December 2026); this takes
a second, and says nothing of validity, which no chunk depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from brain_dagster.chunk.structured.entries import (
    HEADER_CHARS,
    NAME_CHARS,
    NAMES,
    Entry,
    Troubles,
    one_line,
    with_plain_line_ends,
)
from brain_dagster.chunk.structured.markup import Mark, MarkKind, attributes, marks
from brain_dagster.chunk.trees import OverBudget

MAX_TAGS = 400_000
STRAY_LEVELS = 50  # how far out a closing tag may close an element that others forgot to


@dataclass(slots=True)
class Element:
    """An element with those inside it; `tag` is its opening tag."""

    tag: Mark
    end: int
    children: list[Element] = field(default_factory=list)


class ElementReader:
    """The elements of one text as entries: the key is the tag's name as written."""

    comments = ("<!-- -->",)

    def __init__(self, content: bytes) -> None:
        self._content = with_plain_line_ends(content)
        self._troubles = Troubles(self._content)
        self._top = self._read()

    def top(self) -> list[Entry[Element]]:
        """Return the elements at the top level, in order."""
        return self._entries(self._top)

    def inside(self, entry: Entry[Element]) -> list[Entry[Element]]:
        """Return the elements right inside another, in order."""
        return self._entries(entry.inner.children)

    def header(self, entry: Entry[Element]) -> str:
        """Return the opening tag of an element."""
        return one_line(self._content[entry.start : entry.inner.tag.end], HEADER_CHARS)

    def trouble(self) -> tuple[int, int] | None:
        """Return the bytes of tags that have no counterpart and the first line of them; None if all have."""
        return self._troubles.trouble()

    def _read(self) -> list[Element]:
        top: list[Element] = []
        opened: list[Element] = []
        for number, mark in enumerate(marks(self._content, raw=frozenset())):
            if number > MAX_TAGS:
                raise OverBudget(f"more than {MAX_TAGS:,} tags")
            if mark.kind in (MarkKind.OPEN, MarkKind.SINGLE):
                element = Element(mark, mark.end)
                (opened[-1].children if opened else top).append(element)
                if mark.kind is MarkKind.OPEN:
                    opened.append(element)
            elif mark.kind is MarkKind.CLOSE:
                self._close(opened, mark)
        while opened:
            self._forget(opened, len(self._content))
        return top

    def _close(self, opened: list[Element], mark: Mark) -> None:
        outer = opened[-1 : -STRAY_LEVELS - 1 : -1]
        depth = next((i for i, element in enumerate(outer) if element.tag.name == mark.name), None)
        if depth is None:
            self._troubles.note(mark.start, mark.end)
            return
        for _ in range(depth):
            self._forget(opened, mark.start)
        opened.pop().end = mark.end

    def _forget(self, opened: list[Element], end: int) -> None:
        """End an element that nothing closes."""
        element = opened.pop()
        element.end = end
        self._troubles.note(element.tag.start, element.tag.end)

    def _entries(self, elements: Sequence[Element]) -> list[Entry[Element]]:
        return [self._entry(element) for element in elements]

    def _entry(self, element: Element) -> Entry[Element]:
        tag = element.tag
        return Entry(tag.start, element.end, self._key(tag), self._name(tag), element)

    def _key(self, tag: Mark) -> str:
        return one_line(self._content[tag.start + 1 : tag.start + 1 + len(tag.name)], NAME_CHARS)

    def _name(self, tag: Mark) -> str:
        """Return what tells an element from its like: an attribute `name`, `id` or the like."""
        said = attributes(self._content, tag)
        return next((" ".join(said[name].split())[:NAME_CHARS] for name in NAMES if said.get(name)), "")
