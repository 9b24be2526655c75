"""Reads Excel workbooks (xlsx): a part per sheet, tables cut between rows, the header with each chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.pages import Page, PageChunk
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.extracted import Part, PartedText
from brain_dagster.parse.formats.office import core_properties, one_line, table_row, titled
from brain_dagster.parse.formats.pieces import read_each
from brain_dagster.parse.formats.sheet_cells import shown
from brain_dagster.parse.formats.sheet_tables import MAX_TABLE_ROWS, Row, Table, tables
from brain_dagster.parse.packages import check_package
from brain_dagster.store.clean import clean_text

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

# openpyxl reads 27,000 cells a second on a busy core (measured 2026-12-01); a minute is what a file gets.
MAX_CELLS = 1_000_000
MAX_COLUMNS = 300
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >]")
MAX_HEADER_CHARS = 500
STRAY = 8  # a table of less than an eighth of the budget shares a chunk with the one above it


def extract(content: bytes, budget: int, counter: TokenCounter) -> PartedText:
    """Open a workbook.

    Errors  NeedsPassword, BrokenDocument - see check_package.
    """
    archive = check_package(content)
    values = _opened(content, with_values=True)
    formulas = _opened(content, with_values=False) if _has_formulas(archive) else None
    pages = [_page(number, sheet) for number, sheet in enumerate(values.worksheets, 1)]
    cells = _CellLimit()

    def read(position: int, page: Page) -> Iterator[Part]:
        formula_sheet = formulas.worksheets[position] if formulas is not None else None
        rows = _Rows(values.worksheets[position], formula_sheet, cells)
        return _sheet_parts(page, rows, budget, counter)

    properties = core_properties(lambda: values.properties)
    return PartedText(
        kind="sheet",
        part_count=len(pages),
        parts=read_each(pages, read),
        title=titled(properties),
        outline=tuple(page.headings[0] for page in pages)[:100],
        metadata=properties,
    )


def _has_formulas(archive: ZipFile) -> bool:
    sheets = (name for name in archive.namelist() if name.startswith("xl/worksheets/"))
    return any(_FORMULA.search(archive.read(name)) for name in sheets if name.endswith(".xml"))


def _opened(content: bytes, *, with_values: bool) -> Workbook:
    from openpyxl import load_workbook

    return load_workbook(BytesIO(content), read_only=True, data_only=with_values)


def _page(number: int, sheet: Any) -> Page:
    name = one_line(sheet.title)[:100]
    hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
    return Page(number, "sheet", f"sheet {name}{hidden}", (name,))


class _CellLimit:
    """How many cells of the workbook may still be read."""

    def __init__(self) -> None:
        self.left = MAX_CELLS


class _Rows:
    """The rows of a sheet that have something in them, and what had to be left out."""

    def __init__(self, sheet: Any, formulas: Any, limit: _CellLimit) -> None:
        sheet.reset_dimensions()  # what a sheet says of its size may be a million rows of nothing
        self._rows = sheet.iter_rows()
        self._formulas: Iterator[Sequence[Any]] | None = None
        if formulas is not None:
            formulas.reset_dimensions()
            self._formulas = formulas.iter_rows()
        self._limit = limit
        self.uncomputed = 0
        self.stopped_at = 0
        self.is_wide = False

    def __iter__(self) -> Iterator[Row]:
        for number, row in enumerate(self._rows, 1):
            formulas = next(self._formulas, ()) if self._formulas is not None else ()
            self._limit.left -= len(row)
            if self._limit.left < 0:
                self.stopped_at = number
                return
            self.is_wide = self.is_wide or len(row) > MAX_COLUMNS
            row = row[:MAX_COLUMNS]  # noqa: PLW2901
            cells = [self._shown(cell, formulas, column) for column, cell in enumerate(row)]
            if any(cells):
                is_text = all(isinstance(cell.value, str) for cell in row if cell.value is not None)
                yield Row(number, table_row(cells), sum(map(bool, cells)), is_text)

    def _shown(self, cell: Any, formulas: Sequence[Any], column: int) -> str:
        if cell.value is None and column < len(formulas):
            formula = formulas[column].value
            if formula is not None:
                self.uncomputed += 1
                return one_line(getattr(formula, "text", formula))
        return shown(cell.value, getattr(cell, "number_format", "General"))

    def warnings(self, label: str) -> Iterator[str]:
        """Yield what a reader should know of how the sheet was read."""
        if self.uncomputed:
            one = self.uncomputed == 1
            cells, stand = (
                ("1 formula has", "stands") if one else (f"{self.uncomputed:,} formulas have", "stand")
            )
            remedy = "open and save it in a spreadsheet program"
            yield f"{label}: {cells} no stored result and {stand} as written; {remedy}"
        if self.is_wide:
            yield f"{label}: columns after the first {MAX_COLUMNS} are not read"
        if self.stopped_at:
            limit = f"more than {MAX_CELLS:,} cells"
            yield f"parsed partially: {label} is not read from row {self.stopped_at:,} on: {limit}"


def _sheet_parts(page: Page, rows: _Rows, budget: int, counter: TokenCounter) -> Iterator[Part]:
    """Yield a sheet in pieces of some thousand rows."""
    gathered: list[Table] = []
    for table in tables(rows):
        if gathered and sum(len(each.rows) for each in gathered) + len(table.rows) > MAX_TABLE_ROWS:
            yield _piece(page, gathered, budget, counter, has_more=True)
            gathered = []
        gathered.append(table)
    last = _piece(page, gathered, budget, counter, has_more=False)
    yield replace(last, warnings=tuple(rows.warnings(page.label)))


def _piece(page: Page, found: list[Table], budget: int, counter: TokenCounter, *, has_more: bool) -> Part:
    text = clean_text("\n\n".join("\n".join(row.text for row in table.rows) for table in found))
    text += "\n\n" if has_more else ""
    chunks = tuple(_chunks(text, found, page, budget, counter)) if found else ()
    return Part(page, text, chunks, has_more=has_more)


def _chunks(
    text: str, found: Sequence[Table], page: Page, budget: int, counter: TokenCounter
) -> Iterator[PageChunk]:
    """Cut a sheet between rows; a chunk holds rows of one table, or several tiny tables."""
    source = SourceText(text, counter)
    lines = [*source.line_starts, len(source), len(source)]
    stretches: list[_Stretch] = []
    line = 0
    for table in found:
        for row in table.rows:
            is_last = row is table.rows[-1]  # it takes the empty line below the table along
            one = _Stretch(lines[line], lines[line + 1 + is_last], row, row, table)
            if stretches and stretches[-1].may_take(one, source, budget):
                stretches[-1] = stretches[-1].joined(one)
            else:
                stretches.append(one)
            line += 1 + is_last
    for stretch in stretches:
        yield from stretch.chunks(source, page, budget)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows on their way to becoming a chunk; `table` is the last one they are of."""

    start: int
    end: int
    first: Row
    last: Row
    table: Table
    is_mixed: bool = False

    def may_take(self, row: _Stretch, source: SourceText, budget: int) -> bool:
        """Whether the next row goes into the same chunk."""
        if not source.fits(self.start, row.end, budget):
            return False
        if row.table is self.table:
            return True
        begins_table = self.is_mixed or self.first is self.table.rows[0]
        return begins_table and source.tokens(self.start, self.end) <= budget // STRAY

    def joined(self, row: _Stretch) -> _Stretch:
        """Return both as one; of several tables each shows its own header."""
        is_mixed = self.is_mixed or row.table is not self.table
        return replace(row, start=self.start, first=self.first, is_mixed=is_mixed)

    def chunks(self, source: SourceText, page: Page, budget: int) -> Iterator[PageChunk]:
        """Yield one chunk, or several of a row that is over budget by itself."""
        first, last = self.first.number, self.last.number
        place = f"row {first:,}" if first == last else f"rows {first:,}-{last:,}"
        header = "" if self.is_mixed else self.table.header[:MAX_HEADER_CHARS]
        starts = cut(source, self.start, self.end, budget, lambda _: 0)
        for start, end in zip(starts, [*starts[1:], self.end], strict=True):
            tokens = source.tokens(start, end)
            yield PageChunk(
                start, end, tokens, f"{page.label}, {place}", enclosing=(header,) if header else ()
            )
