"""How the place of a passage in a document without lines is said: `page 7 (printed vii)`, `slide 3`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

_PAGES = ("page", "scan")
_MAX_RANGES = 20


def part_words(kind: str, page: int, label: str | None) -> str:
    """Name a part of a document as people do.

    A page is named by its position, and by the number printed on it where that differs; slides, sheets,
    cells and messages are named by their label.
    """
    label = " ".join((label or "").split())
    if kind not in _PAGES and kind:
        return label or f"{kind} {page}"
    printed = f" (printed {label[:20]})" if label and label != str(page) else ""
    return f"page {page}{printed}"


def page_ranges(pages: Iterable[int]) -> str:
    """Write page numbers as people do: `3, 5-7`; a very long list ends with how many more there are."""
    ranges = []
    for _, group in groupby(enumerate(sorted(set(pages))), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        ranges.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}")
    if len(ranges) > _MAX_RANGES:
        return f"{', '.join(ranges[:_MAX_RANGES])} and {len(ranges) - _MAX_RANGES} more ranges"
    return ", ".join(ranges)
