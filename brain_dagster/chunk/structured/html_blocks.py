"""Finds headings, paragraphs, tables and scripts in a web page by its tags, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from brain_dagster.chunk.blocks import Block
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.structured.markup import RAW_ELEMENTS, Mark, MarkKind
from brain_dagster.chunk.structured.plain import LINE_BREAKING, plain_text

WORDS_BYTES = 8_000
TITLE_CHARS = 200
_LEVELS = {b"h1": 1, b"h2": 2, b"h3": 3, b"h4": 4, b"h5": 5, b"h6": 6}
# What else breaks a line stands inside or beside one of those.
_STARTERS = LINE_BREAKING - frozenset(
    b"br body caption legend link main meta optgroup option summary tbody textarea tfoot thead title".split()
)
_OPENING = (MarkKind.OPEN, MarkKind.SINGLE)


@dataclass(slots=True)
class Table:
    """A table of words: it holds no other table, nor does it lay out a page with headings in it."""

    start: int
    end: int
    rows: list[int]
    is_plain: bool = True


def words(content: bytes, start: int, end: int) -> str:
    """Return the words between two offsets, without markup."""
    text = content[start : min(end, start + WORDS_BYTES)].decode(errors="ignore")
    return plain_text("html", text) or ""


def tables_of(found: Sequence[Mark]) -> list[Table]:
    """Return the tables of words, in order; one that is never closed is none."""
    tables: list[Table] = []
    opened: list[Table] = []
    for mark in found:
        if mark.name == b"table" and mark.kind is MarkKind.OPEN:
            if opened:
                opened[-1].is_plain = False
            opened.append(Table(mark.start, 0, []))
        elif opened and mark.name == b"table" and mark.kind is MarkKind.CLOSE:
            table = opened.pop()
            table.end = mark.end
            if table.is_plain:
                tables.append(table)
        elif opened and mark.name in _LEVELS:
            opened[-1].is_plain = False
        elif opened and mark.name == b"tr" and mark.kind is MarkKind.OPEN:
            opened[-1].rows.append(mark.start)
    return tables


def page_blocks(
    source: SourceText, found: Sequence[Mark], tables: Sequence[Table], budget: int
) -> list[Block]:
    """Return the blocks of a page; they tile it.

    A block begins with the first tag of several that open one inside the other. A table or preformatted
    text is one block if it fits, else a table has a block for each row.
    """
    return _BlockReader(source, tables, budget).read(found)


class _BlockReader:
    """Goes through the marks of a page once.

    `_is_fresh` says that the last block holds only opening tags so far; `_skip_to` is where a table ends
    that has been dealt with.
    """

    def __init__(self, source: SourceText, tables: Sequence[Table], budget: int) -> None:
        self._source = source
        self._budget = budget
        self._tables = {table.start: table for table in tables}
        self._blocks = [Block(0)]
        self._is_fresh = True
        self._skip_to = 0
        self._is_verbatim = False
        self._heading_start: int | None = None
        self._heading_has_words = False

    def read(self, found: Sequence[Mark]) -> list[Block]:
        """Return the blocks, in order."""
        position = 0
        for mark, following in zip_longest(found, found[1:]):
            if mark.start >= self._skip_to:
                self._take_text(position, mark.start)
                self._take(mark, following)
            position = mark.end
        self._take_text(position, len(self._source))
        self._end_heading(len(self._source))
        return self._blocks

    def _take_text(self, start: int, end: int) -> None:
        text = self._source.content[start:end]
        if not text.strip():
            return
        self._heading_has_words = True
        last = self._blocks[-1]
        if last.is_apart or (last.is_rigid and not self._is_verbatim):
            self._begin(end - len(text.lstrip()))
        self._is_fresh = False

    def _take(self, mark: Mark, following: Mark | None) -> None:
        is_opening = mark.kind in _OPENING
        if self._heading_start is not None:
            inside = mark.name not in _LEVELS and not (is_opening and self._heading_has_words)
            if inside and mark.name not in RAW_ELEMENTS:
                return
            self._end_heading(mark.start)
        if self._is_verbatim and (mark.name == b"pre" or mark.name in _LEVELS):
            self._is_verbatim = is_opening and mark.name == b"pre"
        if mark.name in RAW_ELEMENTS:
            # A mere reference to a script is markup like any other.
            if mark.kind is MarkKind.OPEN and following is not None and following.kind is MarkKind.RAW:
                self._begin(mark.start).is_apart = True
        elif is_opening and not self._is_verbatim:
            self._open(mark)

    def _open(self, mark: Mark) -> None:
        table = self._tables.get(mark.start)
        if mark.name in _LEVELS:
            self._begin(mark.start).level = _LEVELS[mark.name]
            self._heading_start, self._heading_has_words = mark.end, False
        elif table is not None:
            self._begin_table(table)
        elif mark.name in _STARTERS:
            block = self._begin(mark.start)
            self._is_fresh = True
            if mark.name == b"pre" and mark.kind is MarkKind.OPEN:
                block.is_rigid = self._is_verbatim = True

    def _begin_table(self, table: Table) -> None:
        block = self._begin(table.start)
        block.is_rigid = self._source.fits(table.start, table.end, self._budget)
        if not block.is_rigid:
            for row in table.rows[1:]:
                self._begin(row)
        self._skip_to = table.end

    def _begin(self, offset: int) -> Block:
        """Start a block, with its indentation; where only opening tags stand before it, with these."""
        last = self._blocks[-1]
        if self._is_fresh and not last.level:
            self._is_fresh = False
            return last
        self._blocks.append(Block(max(self._source.with_indent(offset), last.start)))
        self._is_fresh = False
        return self._blocks[-1]

    def _end_heading(self, offset: int) -> None:
        if self._heading_start is not None:
            title = words(self._source.content, self._heading_start, offset)
            block = self._blocks[-1]
            block.title = " ".join(title.split())[:TITLE_CHARS]
            if not block.title:
                block.level = 0  # a heading without words heads nothing
            self._heading_start = None
