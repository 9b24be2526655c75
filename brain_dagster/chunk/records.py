"""Chunks of records: rows of a table, objects of a JSON lines file, entries of a log."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from brain_dagster.chunk.blocks.tables import csv_cells, joined
from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT, follows_blank_line, line_level
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.model import ParsedDocument

QUOTED_LINES = 200  # a quoted cell of more lines is a stray quotation mark
STRAY_QUOTES = 20  # beyond, quotation marks mean nothing in the file
SAMPLE_RECORDS = 30
MAX_HEAD_BYTES = 4_000  # of a record, what is looked at for delimiters and names
MAX_NAME_CHARS = 60  # of a column; what is longer is no name
_DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
_NUMBER = re.compile(r"^[-+]?[\d.,:/ %€$£-]*\d[\d.,:/ %€$£-]*$")
_STAMP = re.compile(
    rb"^[\[(<]?(?:\d{4}[-/.]\d{2}[-/.]\d{2}|\d{2}:\d{2}:\d{2}|\d{10}(?:\.\d+)?[\s\]]"
    rb"|[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} "
    rb"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|[IWEF]\d{4} )\b)"
)


def chunk_records(source: SourceText, char_count: int, language: str, budget: int) -> ParsedDocument:
    """Chunk a file of records; the spans tile it, and no record that fits is cut.

    Of a table every chunk but the first has the header row in `enclosing`.
    """
    spans = _RECORDS[language](source, language, budget)
    chunks = tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans))
    return ParsedDocument(chunks=chunks, title="", char_count=char_count)


def _table(source: SourceText, language: str, budget: int) -> list[Span]:
    delimiter = _delimiter(source, _DELIMITERS[language])
    starts = record_starts(source, delimiter)
    header = _header(source, starts, delimiter)
    spans = packed(source, starts, budget)
    return [Span(start, end, "rows", enclosing=(header,) if header and start else ()) for start, end in spans]


def _json_lines(source: SourceText, language: str, budget: int) -> list[Span]:
    return [Span(start, end, "rows") for start, end in packed(source, source.line_starts, budget)]


def _log(source: SourceText, language: str, budget: int) -> list[Span]:
    starts = cut(source, 0, len(source), budget, lambda offset: _log_level(source, offset))
    return [Span(start, end, "lines") for start, end in pairwise([*starts, len(source)])]


_RECORDS: Mapping[str, Callable[[SourceText, str, int], list[Span]]] = {
    "csv": _table,
    "tsv": _table,
    "jsonl": _json_lines,
    "log": _log,
}

RECORDED = frozenset(_RECORDS)
"""The languages that are files of records."""


def packed(source: SourceText, starts: Sequence[int], budget: int) -> list[tuple[int, int]]:
    """Return the stretches that hold as many whole records as fit; a record that does not fit is cut."""
    ends = [*starts[1:], len(source)]
    stretches: list[tuple[int, int]] = []
    begin = first = 0
    while first < len(ends):
        here = begin
        stop = bisect_left(ends, True, first, key=lambda end: not source.fits(here, end, budget))
        if stop > first:
            stretches.append((begin, ends[stop - 1]))
            begin, first = ends[stop - 1], stop
            continue
        pieces = cut(source, begin, ends[first], budget, lambda offset: line_level(source, offset))
        stretches.extend(pairwise([*pieces, ends[first]]))
        begin, first = ends[first], first + 1
    return stretches


def record_starts(source: SourceText, delimiter: str) -> list[int]:
    """Return where the records of a table begin: at lines, but not at those inside a quoted cell.

    A quotation mark opens a cell only at its beginning; one that is not closed within 200 lines is stray.
    """
    content, lines = source.content, source.line_starts
    mark = delimiter.encode()
    starts: list[int] = []
    stray = number = 0
    while number < len(lines):
        starts.append(lines[number])
        following = number + 1
        is_open = False
        while stray < STRAY_QUOTES:
            end = lines[following] if following < len(lines) else len(content)
            is_open = _is_open_after(content[lines[following - 1] : end], mark, is_open)
            if not is_open or following == len(lines):
                break
            if following - number >= QUOTED_LINES:
                stray, following = stray + 1, number + 1
                break
            following += 1
        if is_open and following == len(lines) and following - number > 1:
            stray, following = stray + 1, number + 1
        number = following
    return starts


def _is_open_after(line: bytes, delimiter: bytes, is_open: bool) -> bool:
    """Tell whether a quoted cell is open at the end of a line."""
    if b'"' not in line:
        return is_open
    # Outside, only a mark at the beginning of a cell counts; inside, two marks are one of the text.
    position = 0
    while position >= 0:
        found = line.find(b'"', position)
        if found < 0:
            return is_open
        if is_open and line[found + 1 : found + 2] == b'"':
            position = found + 2
            continue
        begins_cell = found == 0 or line[found - 1 : found] in (delimiter, b" ")
        is_open = not is_open and begins_cell
        position = found + 1
    return is_open


def _delimiter(source: SourceText, candidates: str) -> str:
    """Return the candidate that divides most lines alike; the first if none divides any."""
    lines = [line for line in _head(source) if line.strip()]
    best, most = candidates[0], 0
    for candidate in candidates:
        counts = Counter(len(csv_cells(line, candidate)) for line in lines)
        width, alike = max(counts.items(), key=lambda entry: (entry[1], entry[0]), default=(1, 0))
        if width > 1 and alike > most:
            best, most = candidate, alike
    return best


def _head(source: SourceText) -> list[str]:
    ends = [*source.line_starts[1 : SAMPLE_RECORDS + 1], len(source)]
    stretches = zip(source.line_starts[:SAMPLE_RECORDS], ends, strict=False)
    return [_decoded(source, start, end) for start, end in stretches]


def _decoded(source: SourceText, start: int, end: int) -> str:
    return source.content[start : min(end, start + MAX_HEAD_BYTES)].decode(errors="ignore")


def _header(source: SourceText, starts: Sequence[int], delimiter: str) -> str:
    """Return the header row in one line; empty if the first record looks like the others.

    A header has names in its cells: short, each once, none of them a number.
    """
    ends = [*starts[1 : SAMPLE_RECORDS + 1], len(source)]
    for start, end in zip(starts[:SAMPLE_RECORDS], ends, strict=False):
        text = _decoded(source, start, end).removeprefix("\ufeff")
        if not text.strip() or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in csv_cells(" ".join(text.splitlines()), delimiter)]
        named = [cell for cell in cells if cell]
        is_named = len(set(named)) == len(named) and 2 * len(named) > len(cells)
        return joined(named) if is_named and _are_names(named) else ""
    return ""


def _are_names(cells: Iterable[str]) -> bool:
    return all(len(cell) <= MAX_NAME_CHARS and not _NUMBER.match(cell) for cell in cells)


def _log_level(source: SourceText, offset: int) -> int:
    """Rank a line of a log as a place to cut: after a blank line, then where an entry begins."""
    line = source.content[offset : offset + 80]
    if not line.strip():
        return NO_CUT
    if follows_blank_line(source, offset):
        return 0
    return 1 if _STAMP.match(line) else 100 + line_level(source, offset)
