"""Blocks of org files: headings by their stars, `#+begin_` blocks and tables whole, keywords as metadata."""

from __future__ import annotations

import re

from brain_dagster.chunk.blocks.base import LineScanner, plain
from brain_dagster.chunk.blocks.front_matter import flat
from brain_dagster.chunk.blocks.tables import is_delimiter, pipe_header
from brain_dagster.chunk.source import SourceText

DEEPEST = 16  # what is nested deeper stands under its sixteenth heading
_HEADING = re.compile(r"^(\*+)[ \t]+(?=\S)")
_STATE = re.compile(r"^(?:(?:TODO|DONE|NEXT|WAITING|HOLD|CANCELLED|CANCELED)\s+)?(?:\[#[A-Z0-9]\]\s*)?")
_TAGS = re.compile(r"[ \t]:[\w@#%:]+:$")
_BEGIN = re.compile(r"^[ \t]*#\+begin_([\w-]+)", re.IGNORECASE)
_KEYWORD = re.compile(r"^#\+([A-Za-z_]{1,99}):[ \t]*(.*)$")
_METADATA = frozenset(
    ("title author date description keywords filetags tags email subtitle language category").split()
)


def org_blocks(source: SourceText) -> LineScanner:
    """Read an org file."""
    scan = LineScanner(source)
    in_paragraph = False
    unclosed: set[str] = set()
    keywords: dict[str, str] = {}
    number = 0
    while number < len(scan.lines):
        line = scan.lines[number]
        heading = _HEADING.match(line)
        after = _end_of_block(scan.lines, number, unclosed)
        if heading is not None:
            level = min(len(heading[1]), DEEPEST)
            scan.begin(number, level=level, title=_title(line[heading.end() :]))
            in_paragraph = False
        elif after:
            scan.begin(number, is_rigid=True)
            in_paragraph = False
        elif not line.strip():
            in_paragraph = False
        elif not in_paragraph:
            in_paragraph = True
            scan.begin(
                number, is_rigid=line.lstrip().startswith("|"), header_row=_header_row(scan.lines, number)
            )
        _take_keyword(line, keywords)
        number = after or number + 1
    scan.metadata = flat(keywords)
    return scan


def _title(text: str) -> str:
    """Return a heading without its state, priority and tags."""
    return plain(_STATE.sub("", _TAGS.sub("", text.rstrip()[:2_000]), count=1))


def _end_of_block(lines: list[str], number: int, unclosed: set[str]) -> int:
    """Return the line after a `#+begin_` block that opens here and is closed further on, else 0."""
    opened = _BEGIN.match(lines[number])
    end = f"#+end_{opened[1].lower()}" if opened is not None else ""
    if not end or end in unclosed:
        return 0
    for following in range(number + 1, len(lines)):
        if lines[following].strip().lower() == end:
            return following + 1
    unclosed.add(end)
    return 0


def _header_row(lines: list[str], number: int) -> str:
    following = lines[number + 1].lstrip() if number + 1 < len(lines) else ""
    line = lines[number].lstrip()
    has_header = line.startswith("|") and following.startswith("|") and is_delimiter(following)
    return pipe_header(line) if has_header else ""


def _take_keyword(line: str, keywords: dict[str, str]) -> None:
    keyword = _KEYWORD.match(line) if line.startswith("#+") else None
    if keyword is None or keyword[1].lower() not in _METADATA:
        return
    name = keyword[1].lower()
    value = keyword[2].strip()
    if name in ("filetags", "tags"):
        name, value = "tags", ", ".join(filter(None, value.replace(":", " ").split()))
    keywords.setdefault(name, value)
