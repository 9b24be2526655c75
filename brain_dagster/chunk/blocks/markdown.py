"""Blocks of Markdown (GFM, MDX): ATX and setext headings, never inside code, HTML or a comment."""

from __future__ import annotations

import re

from brain_dagster.chunk.blocks.base import LineScanner, is_indented, plain
from brain_dagster.chunk.blocks.tables import is_delimiter, pipe_header
from brain_dagster.chunk.source import SourceText

DEEP_FENCE_LINES = 400  # without a bound, a file of unclosed indented fences would cost a square
SETEXT_LINES = 3  # a longer paragraph over a line of dashes is a paragraph over a rule
_ATX = re.compile(r"^ {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(`{3,}(?=[^`]*$)|~{3,})")
_LIST_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_NO_HEADING_TEXT = re.compile(r"^(?: {4}|\t| {0,3}(?:>|[-*+][ \t]|\d+[.)][ \t]|\|))")
_VERBATIM = re.compile(r"^ {0,3}(?:<(pre|script|style|textarea)(?=[\s>]|$)|(\{/\*))", re.IGNORECASE)


def markdown_blocks(source: SourceText) -> LineScanner:
    """Read a Markdown text."""
    scan = LineScanner(source)
    number = scan.take_front_matter()
    reader = _Reader(scan)
    while number < len(scan.lines):
        number = reader.step(number)
    return scan


class _Reader:
    """Reads one block or line after the other.

    paragraph  line at which the open paragraph begins, None after a blank line
    in_list    what is set in belongs to a list item and is no code
    unclosed   ends that the rest of the text does not have, so that nobody searches for them again
    """

    def __init__(self, scan: LineScanner) -> None:
        self.scan = scan
        self.lines = scan.lines
        self.paragraph: int | None = None
        self.in_list = False
        self.unclosed: set[str] = set()

    def step(self, number: int) -> int:
        """Read what begins at a line; return the line after it."""
        line = self.lines[number]
        if not line.strip():
            self.paragraph = None
            return number + 1
        after = _end_of_fence(self.lines, number) or _end_of_comment(self.lines, number)
        after = after or self._end_of_verbatim(number)
        if after:
            self.scan.begin(number, is_rigid=True)
            self.paragraph = None
            return after
        heading = _ATX.match(line)
        if heading is not None:
            self.scan.begin(number, level=len(heading[1]), title=_atx_title(line[heading.end() :]))
            self.paragraph, self.in_list = None, False
        elif self.paragraph is None:
            return self._paragraph(number)
        elif _SETEXT.match(line) and self._may_be_title(number):
            block = self.scan.blocks[-1]
            block.level = 1 if "=" in line else 2
            block.title = plain(" ".join(self.lines[self.paragraph : number]))
            self.paragraph, self.in_list = None, False
        elif is_delimiter(line) and self.paragraph < number - 1 and "|" in self.lines[number - 1]:
            self.paragraph = number - 1
            self.scan.begin(number - 1, is_rigid=True, header_row=pipe_header(self.lines[number - 1]))
        return number + 1

    def _paragraph(self, number: int) -> int:
        line = self.lines[number]
        if is_indented(line) and not self.in_list:
            self.scan.begin(number, is_rigid=True)
            return self._end_of_indented(number)
        if _LIST_ITEM.match(line):
            self.in_list = True
        elif line[0] not in " \t":
            self.in_list = False
        self.paragraph = number
        following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        has_header = "|" in line and is_delimiter(following)
        is_table = has_header or line.lstrip().startswith("|")
        self.scan.begin(number, is_rigid=is_table, header_row=pipe_header(line) if has_header else "")
        return number + 1

    def _end_of_indented(self, number: int) -> int:
        """Return the line after a block of indented code; blank lines inside belong to it."""
        after = number + 1
        for following in range(number + 1, len(self.lines)):
            if is_indented(self.lines[following]) and self.lines[following].strip():
                after = following + 1
            elif self.lines[following].strip():
                break
        return after

    def _end_of_verbatim(self, number: int) -> int:
        """Return the line after `<pre>` or an MDX comment that opens here and is closed later, else 0."""
        opened = _VERBATIM.match(self.lines[number])
        if opened is None:
            return 0
        end = f"</{opened[1].lower()}>" if opened[1] else "*/}"
        if end in self.unclosed or end in self.lines[number].lower():
            return 0
        for following in range(number + 1, len(self.lines)):
            if end in self.lines[following].lower():
                return following + 1
        self.unclosed.add(end)
        return 0

    def _may_be_title(self, number: int) -> bool:
        first = self.paragraph if self.paragraph is not None else number
        if number - first > SETEXT_LINES:
            return False
        return not any(_NO_HEADING_TEXT.match(line) for line in self.lines[first:number])


def _atx_title(rest: str) -> str:
    """Return the text of a heading without the hash signs that may close it."""
    text = rest.strip(" \t")
    bare = text.rstrip("#")
    return plain(bare if not bare or bare[-1] in " \t" else text)


def _end_of_fence(lines: list[str], number: int) -> int:
    """Return the line after a fenced block that opens here, 0 if none does.

    A fence that is never closed runs to the end; one indented like code must be closed to count.
    """
    opened = _FENCE.match(lines[number])
    if opened is None:
        return 0
    mark = opened[2]
    closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{min(len(mark), 1_000)},}}[ \t]*$")
    is_deep = len(opened[1].expandtabs(4)) > 3
    last = min(len(lines), number + DEEP_FENCE_LINES) if is_deep else len(lines)
    for following in range(number + 1, last):
        if closing.match(lines[following]):
            return following + 1
    return 0 if is_deep else len(lines)


def _end_of_comment(lines: list[str], number: int) -> int:
    """Return the line after an HTML comment of several lines that opens here, 0 if none does.

    One that is never closed runs to the end, as CommonMark has it.
    """
    if not lines[number].lstrip().startswith("<!--") or "-->" in lines[number]:
        return 0
    for following in range(number + 1, len(lines)):
        if "-->" in lines[following]:
            return following + 1
    return len(lines)
