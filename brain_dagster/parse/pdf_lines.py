"""Lines of a PDF's page with the place and the type of each, as PDFium finds them.

PDFium puts characters together into words and lines better than pypdf where scripts run from right to left
and eight times as fast; docs/decisions/0008 has the figures. Runs only inside the parser's child process.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

import pypdfium2 as pdfium
from pypdfium2 import raw

from brain_dagster.parse.reading_order import (
    Box,
    column_gaps,
    column_of,
    in_columns,
    in_rows,
    runs_right_to_left,
)

MAX_PAGE_CHARS = 400_000  # beyond it the places of single characters would cost seconds
_WIDE_GAP = 1.0  # of a line's height: what stands further apart may stand in two columns
_BOLD = re.compile(rb"bold|black|heavy|cmbx|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
# How PDFium writes a hyphen that ends a line; anywhere else it is a character it cannot name.
_HYPHENS = ("\x02", "\ufffe", "\xad")
_NAMELESS = str.maketrans({"\x02": "\ufffd", "\ufffe": "\ufffd", "\xad": None})
_QUARTER = math.pi / 2
_SAME_WORD = 0.12  # of a line's height: less room than a space
_SAME_LINE = 0.6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; y grows downwards from the upper edge of the page, in points.

    size   of the type, in points
    turn   quarter turns clockwise at which it is written
    boxes  parts that stand far apart, from left to right
    """

    text: str
    box: Box
    size: float
    is_bold: bool
    turn: int
    boxes: tuple[Box, ...]


# Where the next line is, by quarter turns clockwise: written down the page, lines go on to the left.
_LINE_ADVANCE: dict[int, Callable[[Line], float]] = {
    1: lambda line: -line.box.right,
    2: lambda line: -line.box.top,
    3: lambda line: line.box.left,
}


@dataclass(frozen=True, slots=True)
class PageLines:
    """The lines of one page in reading order, and how tall the page is."""

    lines: tuple[Line, ...]
    height: float

    @property
    def text(self) -> str:
        """The text of the page."""
        return "\n".join(line.text for line in self.lines)


class LineReader:
    """A PDF opened by PDFium beside the parser that decides what its pages are."""

    def __init__(self, content: bytes, page_count: int) -> None:
        """Open a PDF; where PDFium cannot, or counts other pages, there are no lines (G6)."""
        self._document: pdfium.PdfDocument | None = None
        try:
            document = pdfium.PdfDocument(content)
        except pdfium.PdfiumError:
            return
        if len(document) == page_count:
            self._document = document

    def lines(self, number: int) -> PageLines | None:
        """Return the lines of a page, or None if PDFium is not to be asked; `number` counts from 1."""
        if self._document is None:
            return None
        try:
            page = self._document[number - 1]
            page.set_rotation(0)  # the way a page is to be turned must not turn the order of its lines
            height = page.get_height()
            text_page = page.get_textpage()
        except pdfium.PdfiumError:
            return None
        try:
            lines = list(_lines(text_page, height))
        finally:
            text_page.close()
            page.close()
        return PageLines(tuple(_in_order(lines)), height)


def _lines(page: pdfium.PdfTextPage, height: float) -> Iterator[Line]:
    """Yield the lines as PDFium puts them together; an index of it counts UTF-16 units."""
    start = 0
    for joined in page.get_text_range().split("\n"):
        for text in _at_line_ends(page, joined, start):
            line = _line(page, text, start, height) if start < MAX_PAGE_CHARS else None
            if line is not None:
                yield line
            elif text.strip():
                yield Line(_shown(text), Box(0, 0, 0, 0, text), 0.0, False, 0, ())
            start += _units(text)
        start += 1


def _at_line_ends(page: pdfium.PdfTextPage, text: str, start: int) -> Iterator[str]:
    """Divide what PDFium joins: where a hyphen ends a line, it goes on without a break."""
    begun = 0
    for mark in re.finditer("[\x02\ufffe](?=\\w)", text):
        end = mark.end()
        unit = start + _units(text[:end])
        if mark.start() > begun and _is_lower(page, unit - 2, unit):
            yield text[begun:end]
            begun = end
    yield text[begun:]


def _is_lower(page: pdfium.PdfTextPage, before: int, after: int) -> bool:
    """Say whether one character stands on another line than the one before."""
    first, second = raw.FS_RECTF(), raw.FS_RECTF()
    for unit, box in ((before, first), (after, second)):
        if not raw.FPDFText_GetLooseCharBox(page, unit, box):
            return False
    overlap = min(first.top, second.top) - max(first.bottom, second.bottom)
    return bool(overlap < 0.5 * min(first.top - first.bottom, second.top - second.bottom))


def _line(page: pdfium.PdfTextPage, text: str, start: int, height: float) -> Line | None:
    places = _places(page, text, start, height)
    if not places:
        return None
    boxes = _apart(text, places)
    shown = _shown(text)
    middle = start + _units(text[: places[len(places) // 2][0]])
    size, is_bold, turn = _type(page, middle)
    return Line(shown, _hull(boxes, shown), size, is_bold, turn, tuple(boxes))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _shown(text: str) -> str:
    text = text.strip()
    if text.endswith(_HYPHENS):
        text = text[:-1] + "-"
    return text.translate(_NAMELESS)


Place = tuple[int, float, float, float, float]
"""Position of a character in its line, left, top, right, bottom."""


def _places(page: pdfium.PdfTextPage, text: str, start: int, height: float) -> list[Place]:
    """Return where the characters stand that begin or end a word."""
    box = raw.FS_RECTF()
    steps = [_units(character) for character in text] if not text.isascii() else []
    places: list[Place] = []
    unit = start
    for position, character in enumerate(text):
        is_edge = not character.isspace() and (
            position in (0, len(text) - 1) or text[position - 1].isspace() or text[position + 1].isspace()
        )
        if is_edge and raw.FPDFText_GetLooseCharBox(page, unit, box):
            places.append((position, box.left, height - box.top, box.right, height - box.bottom))
        unit += steps[position] if steps else 1
    return places


def _apart(text: str, places: Sequence[Place]) -> list[Box]:
    """Divide a line where its words stand far apart."""
    tall = median(bottom - top for _, _, top, _, bottom in places)
    groups: list[list[Place]] = [[places[0]]]
    for before, place in pairwise(places):
        distance = max(place[1] - before[3], before[1] - place[3])
        is_word_end = text[before[0] + 1 : place[0]].isspace()
        if is_word_end and distance > _WIDE_GAP * tall:
            groups.append([])
        groups[-1].append(place)
    return [
        Box(
            min(place[1] for place in group),
            min(place[2] for place in group),
            max(place[3] for place in group),
            max(place[4] for place in group),
            _shown(text[group[0][0] : group[-1][0] + 1]),
        )
        for group in groups
    ]


def _type(page: pdfium.PdfTextPage, unit: int) -> tuple[float, bool, int]:
    """Return size, weight and direction of a character's type."""
    matrix = raw.FS_MATRIX()
    scale = 1.0
    if raw.FPDFText_GetMatrix(page, unit, matrix):
        scale = math.hypot(matrix.c, matrix.d)
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    length = raw.FPDFText_GetFontInfo(page, unit, name, len(name), flags)
    is_bold = raw.FPDFText_GetFontWeight(page, unit) >= _BOLD_WEIGHT
    if 0 < length <= len(name):
        is_bold = is_bold or _BOLD.search(name.value) is not None
    angle = raw.FPDFText_GetCharAngle(page, unit)
    turn = round(angle / _QUARTER) % 4 if math.isfinite(angle) else 0
    return raw.FPDFText_GetFontSize(page, unit) * scale, is_bold, turn


def _in_order(lines: Sequence[Line]) -> list[Line]:
    """Put lines into the order a reader takes them; most pages have them so already."""
    joined = list(_joined(_turned_in_order(lines)))
    if any(line.turn for line in joined):
        return joined
    home = {id(box): line for line in joined for box in line.boxes}
    boxes = [box for line in joined for box in line.boxes]
    gaps = column_gaps(boxes)
    if not gaps or not _goes_back_and_forth(boxes, gaps):
        return joined
    backwards = runs_right_to_left("".join(line.text for line in joined))
    return [
        _row(row, home[id(row[0])])
        for group in in_columns(boxes, gaps, backwards=backwards)
        for row in in_rows(group, backwards=backwards)
    ]


def _goes_back_and_forth(boxes: Sequence[Box], gaps: Sequence[float]) -> bool:
    """Say whether the file writes across its columns, row by row, and not down each of them."""
    columns = [column_of(box, gaps) for box in boxes]
    bands = 1 + columns.count(None)
    inside = [column for column in columns if column is not None]
    changes = sum(before != after for before, after in pairwise(inside))
    return changes > 2 * bands * len(gaps) + 1


def _row(boxes: Sequence[Box], home: Line) -> Line:
    text = " ".join(box.text for box in boxes)
    return replace(home, text=text, box=_hull(boxes, text), boxes=tuple(boxes))


def _hull(boxes: Sequence[Box], text: str) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
        text,
    )


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Join what PDFium divides although it stands in one line: formulas, with their raised numbers."""
    before: Line | None = None
    for line in lines:
        gap = _gap(before, line) if before is not None else None
        if before is not None and gap is not None:
            space = " " if gap > _SAME_WORD * before.box.height else ""
            before = _row([_hull([before.box, line.box], before.text + space + line.text)], before)
        else:
            if before is not None:
                yield before
            before = line
    if before is not None:
        yield before


def _gap(before: Line, line: Line) -> float | None:
    """Return the room between two pieces of one line; None if they are lines of their own."""
    if before.turn or line.turn or len(before.boxes) != 1 or len(line.boxes) != 1:
        return None
    tall = max(before.box.height, line.box.height)
    overlap = min(before.box.bottom, line.box.bottom) - max(before.box.top, line.box.top)
    gap = line.box.left - before.box.right
    is_same = overlap >= 0.5 * min(before.box.height, line.box.height) > 0
    return gap if is_same and -0.3 * tall <= gap <= _SAME_LINE * tall else None


def _turned_in_order(lines: Iterable[Line]) -> Iterator[Line]:
    """Order neighbouring lines that are written sideways or on their head as one who turns the page does."""
    for turn, group in groupby(lines, key=lambda line: line.turn):
        yield from sorted(group, key=_LINE_ADVANCE.get(turn, lambda line: 0.0))
