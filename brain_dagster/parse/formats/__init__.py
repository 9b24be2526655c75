"""Readers of formats that are no plain text, one file each, named by language in `_MODULES`.

Each is imported when the first file of its kind comes, so that a child that only sees code stays small.
"""

from __future__ import annotations

from importlib import import_module

from brain_dagster.parse.extracted import Extractor

# language -> module in this folder; its function is called `extract`.
_MODULES: dict[str, str] = {
    "docx": "word",
    "mail": "mail",
    "mbox": "mbox",
    "notebook": "notebook",
    "pptx": "slides",
    "slack": "slack",
    "xlsx": "sheets",
}

EXTRACTED_LANGUAGES = frozenset(_MODULES)


def extractor(language: str) -> Extractor | None:
    """Return the reader of a language, or None if its text needs none."""
    name = _MODULES.get(language)
    if name is None:
        return None
    extract: Extractor = import_module(f"{__name__}.{name}").extract
    return extract
