"""Blocks of reStructuredText: titles by their adornment, in the order styles appear.

Indented text belongs to the directive or the paragraph before it.
"""

from __future__ import annotations

import re

from brain_dagster.chunk.blocks.base import MAX_TITLE_CHARS, LineScanner
from brain_dagster.chunk.blocks.front_matter import flat
from brain_dagster.chunk.blocks.tables import (
    HEADER_LINES,
    directive_header,
    grid_header,
    is_simple_border,
    simple_header,
)
from brain_dagster.chunk.source import SourceText

DOCINFO_LINES = 100
_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_GRID_BORDER = re.compile(r"^\+[-+]{3,}\+[ \t]*$")
_TABLE_DIRECTIVE = re.compile(r"^\.\. (?:list-table|csv-table|table)::")
_FIELD = re.compile(r"^[ \t]*:([^:\s][^:]{0,99}):(?:[ \t]+|$)(.*)$")


def rst_blocks(source: SourceText) -> LineScanner:
    """Read a reStructuredText."""
    scan = LineScanner(source)
    number = scan.take_front_matter()
    reader = _Reader(scan)
    while number < len(scan.lines):
        number = reader.step(number)
    return scan


class _Reader:
    """Reads one block or line after the other.

    styles  adornments of titles, outermost first
    """

    def __init__(self, scan: LineScanner) -> None:
        self.scan = scan
        self.lines = scan.lines
        self.styles: list[str] = []
        self.in_block = False
        self.knows_docinfo = False
        self.last_table_end: int | None = None

    def step(self, number: int) -> int:
        """Read what begins at a line; return the line after it."""
        line = self.lines[number]
        title = _title(self.lines, number)
        if title is not None:
            style, text, length = title
            if style not in self.styles:
                self.styles.append(style)
            self.scan.begin(number, level=self.styles.index(style) + 1, title=text)
            self.in_block = False
            return number + length
        blocks = self.scan.blocks
        if not line.strip():
            self.in_block = False
        elif self.in_block:
            blocks[-1].is_rigid |= line.rstrip().endswith("::")
        elif not (line[0] in " \t" and blocks and not blocks[-1].level):
            return self._block(number)
        return number + 1

    def _block(self, number: int) -> int:
        line = self.lines[number]
        self.in_block = True
        if is_simple_border(line):
            after = self._end_of_simple_table(number)
            if after:
                header = simple_header(self.lines[number:after])
                self.scan.begin(number, is_rigid=True, header_row=header)
                return after
        nearby = self.lines[number : number + HEADER_LINES]
        header = grid_header(nearby) if _GRID_BORDER.match(line) else ""
        if _TABLE_DIRECTIVE.match(line):
            header = directive_header(_indented_under(nearby))
        is_rigid = line.startswith((".. ", "+-")) or line.rstrip().endswith("::")
        self.scan.begin(number, is_rigid=is_rigid, header_row=header)
        self._take_fields(number)
        return number + 1

    def _take_fields(self, number: int) -> None:
        """Read the fields of a document's info, which stand first below its title, and those of `meta`."""
        is_meta = self.lines[number].startswith(".. meta::")
        is_docinfo = not self.knows_docinfo and not is_meta and not self.lines[number].startswith("..")
        self.knows_docinfo |= is_docinfo
        if is_meta or (is_docinfo and _FIELD.match(self.lines[number])):
            first = number + is_meta
            found = flat(dict(_fields(self.lines[first : first + DOCINFO_LINES])))
            self.scan.metadata = found | self.scan.metadata

    def _end_of_simple_table(self, number: int) -> int:
        """Return the line after a simple table: its last border stands before a blank line; 0: there is none.

        Whether any border further on ends a table is asked once, or a file of borders would cost a square.
        """
        if self.last_table_end is None:
            ends = (i for i in range(len(self.lines) - 1, -1, -1) if self._ends_table(i))
            self.last_table_end = next(ends, -1)
        for following in range(number + 1, self.last_table_end + 1):
            if self._ends_table(following):
                return following + 1
        return 0

    def _ends_table(self, number: int) -> bool:
        is_last = number + 1 == len(self.lines) or not self.lines[number + 1].strip()
        return is_last and is_simple_border(self.lines[number])


def _title(lines: list[str], number: int) -> tuple[str, str, int] | None:
    """Return style, text and number of lines of a title that begins here, or None."""
    line = lines[number]
    following = lines[number + 1] if number + 1 < len(lines) else ""
    if _ADORNMENT.match(line) and number + 2 < len(lines):
        under = lines[number + 2].rstrip()
        text = following.strip()
        if under == line.rstrip() and text and len(under) >= len(text):
            return f"{under[0]}{under[0]}", text[:MAX_TITLE_CHARS], 3
        return None
    underlined = line[:1].strip() and _ADORNMENT.match(following)
    if underlined and len(following.rstrip()) >= len(line.rstrip()):
        return following[0], line.strip()[:MAX_TITLE_CHARS], 2
    return None


def _indented_under(lines: list[str]) -> list[str]:
    """Return the first line and what is set in below it."""
    for number, line in enumerate(lines[1:], 1):
        if line.strip() and line[0] not in " \t":
            return lines[:number]
    return lines


def _fields(lines: list[str]) -> list[tuple[str, str]]:
    """Return the fields `:Name: value` that stand here without a line between them that is none."""
    found: list[tuple[str, str]] = []
    for line in lines:
        field = _FIELD.match(line)
        if field is not None:
            found.append((field[1], field[2]))
        elif line.strip() and line[0] in " \t" and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}"[:2_000])
        elif line.strip() or found:
            break
    return found
