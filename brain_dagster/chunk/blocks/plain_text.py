"""Blocks of plain text: paragraphs, and headings where they are plain.

A heading is underlined; or numbered (`2.1 Terms`) and alone on its line; or in capitals; or, in a text whose
body is set in as RFCs are, whatever stands at the margin between blank lines. What only might be one is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain_dagster.chunk.blocks.base import LineScanner
from brain_dagster.chunk.source import SourceText

MAX_HEADING_CHARS = 80
MAX_HEADING_WORDS = 12
MAX_CAPITAL_WORDS = 8
FEWEST_LETTERS = 4
SET_IN_PERCENT = 60  # of the lines: RFC 2119 has 77, RFC 9110 93; a text with quotations has some 20
SHOUTED_PERCENT = 30  # of the lines in capitals: such a text has no headings in capitals
_UNDERLINE = re.compile(r"^([=\-~^*#+])\1{2,}[ \t]*$")
_NUMBERED = re.compile(r"^(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]{1,4}(?=[A-Z\"'(])")
_SENTENCE_END = tuple(".,;:!?")
_WIDE_GAP = re.compile(r"\S {2,}\S|\t\S")


@dataclass(frozen=True, slots=True)
class _Style:
    """How a document writes headings, as far as all of its lines tell."""

    is_set_in: bool
    has_capitals: bool


def plain_text_blocks(source: SourceText) -> LineScanner:
    """Read a plain text."""
    scan = LineScanner(source)
    style = _style_of(scan.lines)
    kinds: list[str] = []
    in_paragraph = False
    number = 0
    while number < len(scan.lines):
        line = scan.lines[number]
        heading = _heading(scan.lines, number, style) if line.strip() and not in_paragraph else None
        length = 1
        if not line.strip():
            in_paragraph = False
        elif heading is not None:
            kind, title, length = heading
            if kind not in kinds:
                kinds.append(kind)
            scan.begin(number, level=kinds.index(kind) + 1, title=title)
        elif not in_paragraph:
            in_paragraph = True
            scan.begin(number)
        number += length
    return scan


def _style_of(lines: list[str]) -> _Style:
    written = [line for line in lines if line.strip()]
    set_in = sum(line[:2] in ("  ", "\t") or line[0] == "\t" for line in written)
    capitals = sum(line.isupper() for line in written)
    return _Style(
        is_set_in=100 * set_in >= SET_IN_PERCENT * len(written),
        has_capitals=100 * capitals < SHOUTED_PERCENT * len(written),
    )


def _heading(lines: list[str], number: int, style: _Style) -> tuple[str, str, int] | None:
    """Return kind, text and number of lines of a heading that begins here, or None.

    The line before is blank, a heading, or there is none.
    """
    line = lines[number].rstrip()
    if line[0] in " \t" or len(line) > MAX_HEADING_CHARS:
        return None
    title = " ".join(line.split())
    under = lines[number + 1].rstrip() if number + 1 < len(lines) else ""
    is_underlined = _UNDERLINE.match(under) is not None and abs(len(under) - len(line)) <= 3
    if is_underlined and line[0].isalnum() and not line.endswith((",", ";")) and "|" not in line:
        return under[0], title, 2
    kind = _kind(lines, number, style)
    return (kind, title, 1) if kind else None


def _kind(lines: list[str], number: int, style: _Style) -> str:
    """Return the kind of heading that a line is by itself; empty if it is none."""
    line = lines[number].rstrip()
    under = lines[number + 1] if number + 1 < len(lines) else ""
    is_alone = not under.strip()
    numbered = _NUMBERED.match(line)
    if numbered is not None:
        is_title = is_alone and _may_be_title(line[numbered.end() :]) and not _is_list_item(lines, number)
        return f"{_depth(line)} numbers" if is_title else ""
    if not (is_alone or under[:1] in " \t") or not _may_be_title(line) or _letters(line) < FEWEST_LETTERS:
        return ""
    if style.has_capitals and line.isupper() and len(line.split()) <= MAX_CAPITAL_WORDS:
        return "capitals"
    return "1 numbers" if style.is_set_in and is_alone and line[0].isupper() else ""


def _may_be_title(text: str) -> bool:
    """Whether a line is short, no sentence, and no row of columns like the foot of a page."""
    text = text.rstrip()
    is_short = len(text.split()) <= MAX_HEADING_WORDS
    return is_short and bool(text) and not text.endswith(_SENTENCE_END) and not _WIDE_GAP.search(text)


def _is_list_item(lines: list[str], number: int) -> bool:
    """Whether the next text or the last is a numbered line as deep as this one: both are items of a list."""
    depth = _depth(lines[number])
    following = next(filter(str.strip, lines[number + 1 : number + 6]), "")
    before = next(filter(str.strip, reversed(lines[max(0, number - 5) : number])), "")
    return 0 < _depth(following) <= depth or _depth(before) == depth


def _depth(line: str) -> int:
    """Return how many numbers a numbered line begins with; 0 if it is none."""
    numbered = _NUMBERED.match(line)
    return numbered[1].count(".") + 1 if numbered is not None else 0


def _letters(line: str) -> int:
    return sum(map(str.isalpha, line))
