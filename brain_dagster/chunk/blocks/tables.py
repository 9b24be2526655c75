"""The header rows of tables as one line each: `thing | why | price`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

MAX_HEADER_CHARS = 200
HEADER_LINES = 60  # how far into a table its header row is looked for
_DELIMITERS = frozenset(" \t|:-+=")
_CELL_FORMAT = re.compile(r"^(?:\d*(?:\.\d+)?[*+])?[<^>.]*[a-z]?(?=\|)")


def joined(cells: Iterable[str]) -> str:
    """Join the cells of a row; empty ones are left out."""
    return " | ".join(filter(None, (" ".join(cell.split()) for cell in cells)))[:MAX_HEADER_CHARS].rstrip(
        " |"
    )


def is_delimiter(line: str) -> bool:
    """Tell whether a line stands between the header of a pipe table and its rows: `|---|:-:|`."""
    return "-" in line and "|" in line and _DELIMITERS.issuperset(line)


def pipe_header(line: str) -> str:
    """Return the row `| a | b |` in one line."""
    return joined(line[: 10 * MAX_HEADER_CHARS].replace("\\|", "¦").split("|")).replace("¦", "|")


def grid_header(lines: list[str]) -> str:
    """Return the header of a grid table: what stands above `+===+`; empty if there is none."""
    rows: list[list[str]] = []
    for line in lines[1:HEADER_LINES]:
        text = line.strip()
        if text.startswith("+="):
            return joined(" ".join(column) for column in zip(*rows, strict=False))
        if not text.startswith("|"):
            break
        rows.append(text[: 10 * MAX_HEADER_CHARS].strip("|").split("|"))
    return ""


def simple_header(lines: list[str]) -> str:
    """Return the header of a simple table, between the first two of its three borders; empty if none."""
    border = lines[0]
    columns = [match.span() for match in re.finditer("=+", border[: 10 * MAX_HEADER_CHARS])]
    borders = [number for number, line in enumerate(lines) if is_simple_border(line)]
    if len(borders) < 3 or borders[1] > HEADER_LINES:
        return ""
    ends = [start for start, _ in columns[1:]] + [10 * MAX_HEADER_CHARS]
    rows = [line for line in lines[1 : borders[1]] if line.strip(" -")]
    starts = [start for start, _ in columns]
    return joined(" ".join(row[start:end] for row in rows) for start, end in zip(starts, ends, strict=True))


def is_simple_border(line: str) -> bool:
    """Tell whether a line borders a simple table: `====  =====`."""
    text = line.strip()
    return text.startswith("==") and "= " in text and frozenset("= ").issuperset(text)


def directive_header(body: list[str]) -> str:
    """Return the header row of a `list-table`, `csv-table` or `table` directive, given its lines."""
    name = body[0].partition("::")[0]
    lines = body[1:HEADER_LINES]
    if name.endswith(" table"):
        first = next(
            (number for number, line in enumerate(lines) if line.lstrip().startswith(("+-", "=="))), 0
        )
        table = lines[first:]
        return grid_header(table) or (simple_header(_dedented(table)) if table else "")
    written = next((line for line in lines if line.strip().startswith(":header:")), "")
    if written:
        return joined(csv_cells(written.strip().removeprefix(":header:")))
    if not any(
        line.strip().startswith(":header-rows:") and not line.rstrip().endswith(" 0") for line in lines
    ):
        return ""
    rows = [line.strip() for line in lines if line.strip() and not line.strip().startswith(":")]
    return joined(csv_cells(rows[0])) if rows and name.endswith("csv-table") else _first_item(rows)


def asciidoc_header(lines: list[str], *, is_declared: bool) -> str:
    """Return the header row of an AsciiDoc table, given the lines inside its fences.

    The first line is one when a blank line follows it, or when the table's attributes say so.
    """
    row: list[str] = []
    for line in lines[:HEADER_LINES]:
        if not line.strip():
            break
        row.append(line)
    is_implied = len(row) == 1 and len(lines) > 1
    cells = [_CELL_FORMAT.sub("", cell) for cell in row]
    if row and (is_implied or is_declared) and "|" in row[0]:
        kept = cells if len(row) == 1 or row[0].count("|") == 1 else cells[:1]
        return pipe_header("|".join(kept))
    return joined(csv_cells(row[0])) if row and is_declared and "|" not in row[0] else ""


def csv_cells(line: str, delimiter: str = ",") -> list[str]:
    """Return the cells of one line of comma-separated values; of a broken one, what stands between commas."""
    text = line.strip("\r\n")[: 10 * MAX_HEADER_CHARS]
    try:
        return next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return text.split(delimiter)


def _first_item(rows: list[str]) -> str:
    cells: list[str] = []
    for row in rows:
        if row.startswith("* -") and cells:
            break
        cells.append(row.removeprefix("* ").removeprefix("-"))
    return joined(cells)


def _dedented(lines: list[str]) -> list[str]:
    indent = len(lines[0]) - len(lines[0].lstrip())
    return [line[indent:] for line in lines]
