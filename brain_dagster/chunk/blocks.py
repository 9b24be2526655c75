"""Finds headings and blocks (paragraphs, lists, tables, fenced code, front matter) in prose.

One pass over the lines per format. Blocks tile the text: each begins on its first line and ends where the
next one begins, blank lines included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from brain_dagster.chunk.source import SourceText

FRONT_MATTER_LINES = 400
DEEP_FENCE_LINES = 400  # without a bound, a file of unclosed indented fences would cost a square
_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(`{3,}(?=[^`]*$)|~{3,})")
_NO_HEADING_TEXT = re.compile(r"^(?: {4}|\t| {0,3}(?:>|[-*+][ \t]|\d+[.)][ \t]|\|))")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}[ \t]*$")


@dataclass(slots=True)
class Block:
    """A stretch of whole lines.

    level     of a heading, counted from 1; 0 for everything else
    title     of a heading, without markup
    is_rigid  code and tables: kept whole where they fit
    """

    start: int
    level: int = 0
    title: str = ""
    is_rigid: bool = False
    is_front_matter: bool = False


class LineScanner:
    """The lines of a text without their ends, and the blocks found so far."""

    def __init__(self, source: SourceText) -> None:
        bounds = [*source.line_starts, len(source)]
        content = source.content
        self.starts = source.line_starts
        self.lines = [content[start:end].rstrip(b"\r\n").decode() for start, end in pairwise(bounds)]
        self.blocks: list[Block] = []

    def begin(self, line: int, **properties: object) -> Block:
        """Start a block at a line."""
        block = Block(self.starts[line], **properties)  # type: ignore[arg-type]
        self.blocks.append(block)
        return block

    def take_front_matter(self) -> int:
        """Take YAML or TOML front matter as a block; return the line after it, 0 if there is none."""
        fence = self.lines[0].rstrip() if self.lines else ""
        if fence not in ("---", "+++"):
            return 0
        closing = ("---", "...") if fence == "---" else ("+++",)
        for number in range(1, min(len(self.lines), FRONT_MATTER_LINES)):
            if self.lines[number].rstrip() in closing:
                self.begin(0, is_front_matter=True)
                return number + 1
        return 0


def markdown_blocks(source: SourceText) -> list[Block]:
    """Return the blocks of a Markdown text: ATX and setext headings, never inside a fence or a comment."""
    scan = LineScanner(source)
    number = scan.take_front_matter()
    paragraph: int | None = None
    while number < len(scan.lines):
        line = scan.lines[number]
        heading = _ATX.match(line)
        after = _end_of_fence(scan.lines, number) or _end_of_comment(scan.lines, number)
        if after:
            scan.begin(number, is_rigid=True)
            paragraph = None
        elif heading is not None:
            scan.begin(number, level=len(heading[1]), title=plain(heading[2] or ""))
            paragraph = None
        elif not line.strip():
            paragraph = None
        elif paragraph is not None and _SETEXT.match(line) and _may_be_title(scan.lines[paragraph:number]):
            block = scan.blocks[-1]
            block.level = 1 if "=" in line else 2
            block.title = plain(" ".join(scan.lines[paragraph:number]))
            paragraph = None
        elif paragraph is None:
            paragraph = number
            scan.begin(number, is_rigid=line.lstrip().startswith("|"))
        number = after or number + 1
    return scan.blocks


def rst_blocks(source: SourceText) -> list[Block]:
    """Return the blocks of a reStructuredText: titles by their adornment, in the order styles appear.

    Indented text belongs to the directive or the paragraph before it.
    """
    scan = LineScanner(source)
    styles: list[str] = []
    number = scan.take_front_matter()
    in_block = False
    while number < len(scan.lines):
        line = scan.lines[number]
        title = _rst_title(scan.lines, number)
        if title is not None:
            style, text, length = title
            if style not in styles:
                styles.append(style)
            scan.begin(number, level=styles.index(style) + 1, title=text)
            in_block = False
            number += length
            continue
        if not line.strip():
            in_block = False
        elif not in_block and not (line[0] in " \t" and scan.blocks and not scan.blocks[-1].level):
            in_block = True
            scan.begin(number, is_rigid=line.startswith(".. ") or line.rstrip().endswith("::"))
        number += 1
    return scan.blocks


BLOCKS: dict[str, Callable[[SourceText], list[Block]]] = {"markdown": markdown_blocks, "rst": rst_blocks}
"""The formats that are cut at headings, by the names `language_of` gives."""


def plain(title: str) -> str:
    """Return a heading's text without links, emphasis and code marks."""
    return " ".join(_LINK.sub(r"\1", title).replace("`", "").replace("**", "").split())[:200]


def _end_of_fence(lines: list[str], number: int) -> int:
    """Return the line after a fenced block that opens here, 0 if none does.

    A fence that is never closed runs to the end; one indented like code must be closed to count.
    """
    opened = _FENCE.match(lines[number])
    if opened is None:
        return 0
    mark = opened[2]
    closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
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


def _may_be_title(lines: list[str]) -> bool:
    return len(lines) <= 3 and not any(_NO_HEADING_TEXT.match(line) for line in lines)


def _rst_title(lines: list[str], number: int) -> tuple[str, str, int] | None:
    """Return style, text and number of lines of a title that begins here, or None."""
    line = lines[number]
    following = lines[number + 1] if number + 1 < len(lines) else ""
    if _ADORNMENT.match(line) and number + 2 < len(lines):
        under = lines[number + 2].rstrip()
        text = following.strip()
        if under == line.rstrip() and text and len(under) >= len(text):
            return f"{under[0]}{under[0]}", text[:200], 3
        return None
    underlined = line[:1].strip() and _ADORNMENT.match(following)
    if underlined and len(following.rstrip()) >= len(line.rstrip()):
        return following[0], line.strip()[:200], 2
    return None
