"""Finds the tables of a sheet: stretches of rows between empty ones, and which row is the header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_TABLE_ROWS = 2_000  # a longer one is handed on in pieces
MAX_CAPTION_ROWS = 5  # a header stands among the first rows, below a title or a date


@dataclass(frozen=True, slots=True)
class Row:
    """A row with something in it.

    number   as the sheet counts it, from 1
    cells    how many are not empty
    is_text  whether no cell is a number, a date or the like
    """

    number: int
    text: str
    cells: int
    is_text: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Rows without an empty one between them; `header` is the text of one of them, or ``."""

    rows: tuple[Row, ...]
    header: str


def tables(rows: Iterable[Row]) -> Iterator[Table]:
    """Yield the tables of a sheet in order; a title above an empty row belongs to the table below it."""
    gathered: list[Row] = []
    header: str | None = None  # of the table whose first pieces are already handed on
    last = 0
    for row in rows:
        is_apart = row.number > last + 1
        if gathered and ((is_apart and not _is_caption(gathered)) or len(gathered) >= MAX_TABLE_ROWS):
            table = _table(gathered, header)
            yield table
            gathered, header = [], None if is_apart else table.header
        gathered.append(row)
        last = row.number
    if gathered:
        yield _table(gathered, header)


def _is_caption(rows: list[Row]) -> bool:
    return len(rows) <= 2 and all(row.cells == 1 and row.is_text for row in rows)


def _table(rows: list[Row], header: str | None) -> Table:
    return Table(tuple(rows), _header(rows) if header is None else header)


def _header(rows: list[Row]) -> str:
    """Return the header row: the first of several texts, as wide as what stands below it."""
    for number, row in enumerate(rows[:MAX_CAPTION_ROWS]):
        below = rows[number + 1 : number + 4]
        if row.cells < 2:
            continue
        is_as_wide = bool(below) and 2 * row.cells >= max(each.cells for each in below)
        return row.text if row.is_text and is_as_wide else ""
    return ""
