"""What Word, PowerPoint and Excel files have in common: core properties, titles, rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from brain_dagster.store.clean import clean_text

# Titles that programs write into files nobody gave a title.
_NO_TITLES = frozenset(("word document", "powerpoint presentation", "powerpoint-präsentation", "untitled"))
_PROPERTIES = ("title", "author", "creator", "subject", "keywords", "category", "created", "modified")


def one_line(text: object) -> str:
    """Return a text as one line with single spaces."""
    return " ".join(clean_text(str(text)).split())


def core_properties(read: Callable[[], Any]) -> dict[str, str]:
    """Return what a document says of itself; a property that makes no sense is left out."""
    try:
        properties = read()
    except (KeyError, ValueError, AttributeError, TypeError):
        return {}
    found: dict[str, str] = {}
    for name in _PROPERTIES:
        try:
            value = getattr(properties, name, None)
        except (ValueError, AttributeError, TypeError):
            continue
        text = f"{value:%Y-%m-%d}" if isinstance(value, datetime) else one_line(value or "")
        if text:
            found["author" if name == "creator" else name] = text[:500]
    if is_no_title(found.get("title", "")):
        found.pop("title", None)
    return found


def is_no_title(title: str) -> bool:
    """Say whether a title is one that programs write by themselves."""
    return title.lower() in _NO_TITLES or title.lower().startswith(
        ("microsoft word - ", "microsoft powerpoint - ")
    )


def titled(properties: Mapping[str, str], *candidates: str) -> str:
    """Return the first title that is one."""
    found = (*candidates[:1], properties.get("title", ""), *candidates[1:])
    return next((one_line(title)[:300] for title in found if title.strip()), "")


def table_row(cells: list[str]) -> str:
    """Return cells as a row `A | B | C`; empty ones at the end are left out."""
    while cells and not cells[-1]:
        cells.pop()
    return " | ".join(cells)
