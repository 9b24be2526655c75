"""Blocks of AsciiDoc: sections by `==`, fenced blocks and tables whole, its attributes as metadata."""

from __future__ import annotations

import re

from brain_dagster.chunk.blocks.base import LineScanner, plain
from brain_dagster.chunk.blocks.front_matter import flat
from brain_dagster.chunk.blocks.tables import HEADER_LINES, asciidoc_header
from brain_dagster.chunk.source import SourceText

HEADER_END_LINES = 200
_SECTION = re.compile(r"^(={1,6}|#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"^([=\-~^+])\1{3,}[ \t]*$")
# What stands between these is shown as it is; sections do not begin inside.
_FENCE = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}[\w-]*|[|,:!]={3,})[ \t]*$")
_LEADS_BLOCK = re.compile(r"^(?:\[[^\[\]]*\]|\[\[[^\[\]]*\]\]|\.[^\s.].*)[ \t]*$")
_ATTRIBUTE = re.compile(r"^:(!?[A-Za-z0-9_][\w-]{0,99})(?<!!):(?:[ \t]+(.*))?$")
_AUTHOR = re.compile(r"^(\w[\w .'-]{0,99}?)[ \t]*(?:<[^<>]*>)?$")
_REVISION = re.compile(r"^v?(\d[\w.-]{0,30}),[ \t]*([^:]{1,60})|^(\d{4}-\d{2}-\d{2})$")
_UNDERLINES = "=-~^+"


def asciidoc_blocks(source: SourceText) -> LineScanner:
    """Read an AsciiDoc text."""
    scan = LineScanner(source)
    number = scan.take_front_matter()
    _take_attributes(scan, number)
    reader = _Reader(scan)
    while number < len(scan.lines):
        number = reader.step(number)
    return scan


class _Reader:
    """Reads one block or line after the other.

    led_from  line at which attributes, an anchor or a caption begin that belong to the block after them
    unclosed  fences that the rest of the text does not close
    """

    def __init__(self, scan: LineScanner) -> None:
        self.scan = scan
        self.lines = scan.lines
        self.in_paragraph = False
        self.led_from: int | None = None
        self.unclosed: set[str] = set()

    def step(self, number: int) -> int:
        """Read what begins at a line; return the line after it."""
        line = self.lines[number]
        section = _SECTION.match(line)
        after = self._end_of_fenced(number)
        if not line.strip():
            self.in_paragraph = False
        elif after:
            self._begin(number, is_rigid=True, header_row=self._header_row(number, after))
            self.in_paragraph, self.led_from = False, None
            return after
        elif section is not None and not self.in_paragraph:
            title = plain(line[section.end() :].rstrip("=# \t") or line[section.end() :])
            self._begin(number, level=len(section[1]), title=title)
            self.led_from = None
        elif not self.in_paragraph and self._is_underlined(number):
            level = _UNDERLINES.index(self.lines[number + 1][0]) + 1
            self._begin(number, level=level, title=plain(line))
            self.led_from = None
            return number + 2
        elif not self.in_paragraph and _LEADS_BLOCK.match(line):
            self.led_from = number if self.led_from is None else self.led_from
        elif not self.in_paragraph:
            self._begin(number)
            # A fence that nothing closes is no text that a section title could not follow.
            self.in_paragraph, self.led_from = _FENCE.match(line) is None, None
        return number + 1

    def _begin(self, number: int, **properties: object) -> None:
        self.scan.begin(number if self.led_from is None else self.led_from, **properties)

    def _end_of_fenced(self, number: int) -> int:
        """Return the line after a fenced block that opens here and is closed further on, else 0."""
        opened = _FENCE.match(self.lines[number])
        if opened is None:
            return 0
        fence = "```" if opened[1].startswith("`") else opened[1]
        if fence in self.unclosed:
            return 0
        for following in range(number + 1, len(self.lines)):
            if self.lines[following].rstrip() == fence:
                return following + 1
        self.unclosed.add(fence)
        return 0

    def _header_row(self, number: int, after: int) -> str:
        if self.lines[number][1:4] != "===":
            return ""
        leading = " ".join(self.lines[self.led_from : number]) if self.led_from is not None else ""
        is_declared = "%header" in leading or "header" in leading.partition("options=")[2]
        return asciidoc_header(
            self.lines[number + 1 : min(after - 1, number + HEADER_LINES)], is_declared=is_declared
        )

    def _is_underlined(self, number: int) -> bool:
        """Whether a line of dashes as long as this one stands below it: titles as they were once written."""
        under = self.lines[number + 1].rstrip() if number + 1 < len(self.lines) else ""
        line = self.lines[number].rstrip()
        is_text = line[:1].isalnum() and len(line) <= 200
        return is_text and _UNDERLINE.match(under) is not None and abs(len(under) - len(line)) <= 1


def _take_attributes(scan: LineScanner, number: int) -> None:
    """Read the document's header: its title, author, revision, and attributes up to the first blank line."""
    found: dict[str, str] = {}
    lines = scan.lines[number : number + HEADER_END_LINES]
    first = next(
        (at for at, line in enumerate(lines) if line.strip() and not line.startswith("//")), len(lines)
    )
    has_title = False
    for at, line in enumerate(lines[first:]):
        attribute = _ATTRIBUTE.match(line)
        if attribute is not None:
            found.setdefault(attribute[1], attribute[2] or "")
        elif line.startswith("= "):
            has_title = True
        elif has_title and at <= 3 and line.strip():
            _take_author_or_revision(line.strip(), found)
        elif not line.startswith("//"):
            break
    scan.metadata = flat(found) | scan.metadata


def _take_author_or_revision(line: str, found: dict[str, str]) -> None:
    revision, author = _REVISION.match(line), _AUTHOR.match(line)
    if revision is not None:
        found.setdefault("revision", revision[1] or "")
        found.setdefault("date", (revision[2] or revision[3] or "").strip())
    elif author is not None:
        found.setdefault("author", author[1])
