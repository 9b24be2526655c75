"""How the place of a passage in a document without lines is said: `page 7 (printed vii)`, `slide 3`."""

from __future__ import annotations

_PAGES = ("page", "scan")


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
