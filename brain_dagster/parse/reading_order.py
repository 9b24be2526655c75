"""The order in which a reader takes the lines of a page: down one column, then down the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

MAX_BOXES = 4_000  # a page of type has some hundred lines; more is a drawing, and stays in its own order
_STRIPS = 400
_MIN_LINES = 3  # fewer on either side of a gap are no column
_MIN_CHARS = 14  # cells of tables are shorter than lines of prose; a table is read by its rows
_CELL_GAP = 1.5  # of a line's height: cells of a table, not words of a sentence
_RIGHT_TO_LEFT = ("\u0590", "\u08ff")


@dataclass(frozen=True, slots=True)
class Box:
    """A line of text, or a part of one, and where it stands; y grows downwards, in any unit."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    @property
    def height(self) -> float:
        """How tall it is."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Its middle from top to bottom."""
        return (self.top + self.bottom) / 2


def rows_in_reading_order(boxes: Sequence[Box]) -> list[list[Box]]:
    """Return the rows of a page, each from its beginning to its end, in the order they are read."""
    if len(boxes) > MAX_BOXES:
        return [[box] for box in boxes]
    backwards = runs_right_to_left("".join(box.text for box in boxes))
    gaps = column_gaps(boxes)
    if not gaps:
        return in_rows(boxes, backwards=backwards)
    rows: list[list[Box]] = []
    for part in in_columns(boxes, gaps, backwards=backwards):
        rows.extend(in_rows(part, backwards=backwards))
    return rows


def row_text(row: Sequence[Box]) -> str:
    """Return a row as one line; what stands far apart is set apart."""
    text = row[0].text
    for before, box in pairwise(row):
        distance = max(box.left - before.right, before.left - box.right)
        text += ("   " if distance > _CELL_GAP * box.height else " ") + box.text
    return text


def column_gaps(boxes: Sequence[Box]) -> list[float]:
    """Return where white runs down between columns of prose, from left to right; [] if it does not."""
    if not 2 * _MIN_LINES <= len(boxes) <= MAX_BOXES:
        return []
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    if right <= left:
        return []
    width = (right - left) / _STRIPS
    crossing = _crossings(boxes, left, width)
    allowed = max(1, len(boxes) // 12)  # headings, footers and wide pictures' captions stand across
    gaps: list[float] = []
    for start, end in _quiet_runs(crossing, allowed):
        middle = left + (start + end) / 2 * width
        if _parts_columns(boxes, middle, gaps):
            gaps.append(middle)
    return gaps


def in_columns(boxes: Sequence[Box], gaps: Sequence[float], *, backwards: bool = False) -> list[list[Box]]:
    """Return the boxes in groups that are read one after the other.

    What stands across a gap divides the page: everything above it is read before it, column by column.
    """
    across = sorted((box for box in boxes if column_of(box, gaps) is None), key=lambda box: box.middle)
    columns = range(len(gaps) + 1)
    bands: list[list[list[Box]]] = [[[] for _ in columns] for _ in range(len(across) + 1)]
    for box in boxes:
        column = column_of(box, gaps)
        if column is not None:
            band = sum(divider.middle <= box.middle for divider in across)
            bands[band][column].append(box)
    groups: list[list[Box]] = []
    for position, columns_of_band in enumerate(bands):
        groups.extend(reversed(columns_of_band) if backwards else columns_of_band)
        if position < len(across):
            groups.append([across[position]])
    return [group for group in groups if group]


def runs_right_to_left(text: str) -> bool:
    """Say whether most letters of a text belong to scripts that are written from right to left."""
    first, last = _RIGHT_TO_LEFT
    letters = [character for character in text[:20_000] if character.isalpha()]
    return 2 * sum(first <= letter <= last for letter in letters) > len(letters)


def in_rows(boxes: Sequence[Box], *, backwards: bool = False) -> list[list[Box]]:
    """Group boxes that stand beside each other, from the top down; each row from its beginning."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box.middle):
        if rows and _beside(rows[-1], box):
            rows[-1].append(box)
        else:
            rows.append([box])
    for row in rows:
        row.sort(key=lambda box: -box.right if backwards else box.left)
    return rows


def _beside(row: Sequence[Box], box: Box) -> bool:
    last = row[-1]
    return abs(last.middle - box.middle) < 0.5 * min(last.height, box.height)


def _crossings(boxes: Sequence[Box], left: float, width: float) -> list[int]:
    """Count, for each upright strip of the page, the boxes that reach over it."""
    changes = [0] * (_STRIPS + 2)
    for box in boxes:
        first = max(0, min(_STRIPS, int((box.left - left) / width)))
        last = max(first, min(_STRIPS, int((box.right - left) / width)))
        changes[first] += 1
        changes[last + 1] -= 1
    crossing, count = [], 0
    for change in changes[: _STRIPS + 1]:
        count += change
        crossing.append(count)
    return crossing


def _quiet_runs(crossing: Sequence[int], allowed: int) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    start = None
    for position, count in enumerate([*crossing, allowed + 1]):
        if count <= allowed and start is None:
            start = position
        elif count > allowed and start is not None:
            runs.append((start, position))
            start = None
    return runs


def _parts_columns(boxes: Sequence[Box], gap: float, gaps: Sequence[float]) -> bool:
    """Say whether lines of prose stand on both sides of a gap, over much of the same height."""
    before = gaps[-1] if gaps else float("-inf")
    left = [box for box in boxes if before < box.left and box.right <= gap]
    right = [box for box in boxes if box.left >= gap]
    if min(len(left), len(right)) < _MIN_LINES:
        return False
    if min(median(len(box.text) for box in side) for side in (left, right)) < _MIN_CHARS:
        return False
    top = max(min(box.top for box in side) for side in (left, right))
    bottom = min(max(box.bottom for box in side) for side in (left, right))
    shorter = min(max(b.bottom for b in side) - min(b.top for b in side) for side in (left, right))
    return bottom - top >= 0.5 * shorter


def column_of(box: Box, gaps: Sequence[float]) -> int | None:
    """Return which column a box stands in, from 0; None if it stands across a gap."""
    column = sum(box.left >= gap for gap in gaps)
    return None if any(box.left < gap < box.right for gap in gaps) else column
