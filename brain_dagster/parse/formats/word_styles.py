"""Which paragraphs of a Word document are headings and list items, by their styles and numbering."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docx.document import Document

MAX_LEVEL = 6
MAX_BASES = 12  # a style may be based on itself
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class Styles:
    """The paragraph styles, by their ids."""

    def __init__(self, document: Document) -> None:
        self._styles: dict[str, Any] = {}
        for style in document.styles.element:
            if style.tag == f"{_W}style":
                self._styles.setdefault(style.get(f"{_W}styleId") or "", style)
        self.level = cache(self._level)
        self.numbering = cache(self._numbering)

    def name(self, style_id: str) -> str:
        """Return the name of a style, in English for those that Word brings along."""
        style = self._styles.get(style_id)
        return value(style, "name") if style is not None else ""

    def _level(self, style_id: str) -> int:
        """Return the heading level of a style, from 1; 0 for text. A title is 1."""
        for style in self._with_bases(style_id):
            name = value(style, "name").lower()
            heading = _HEADING.fullmatch(name)
            if heading is not None or name == "title":
                return min(int(heading[1]) if heading else 1, MAX_LEVEL) or 1
            outline = value(style, "pPr", "outlineLvl")
            if outline.isdigit():
                return min(int(outline) + 1, MAX_LEVEL) if int(outline) < 9 else 0
        return 0

    def _numbering(self, style_id: str) -> tuple[str, str]:
        """Return number id and level that a style gives its paragraphs."""
        for style in self._with_bases(style_id):
            number = value(style, "pPr", "numPr", "numId")
            if number:
                return number, value(style, "pPr", "numPr", "ilvl") or "0"
        return "", "0"

    def _with_bases(self, style_id: str) -> list[Any]:
        found: list[Any] = []
        while style_id in self._styles and len(found) < MAX_BASES:
            found.append(self._styles[style_id])
            style_id = value(found[-1], "basedOn")
        return found


class Numbering:
    """The lists: which levels have bullets, and which number comes next."""

    def __init__(self, root: Any) -> None:
        self._formats: dict[tuple[str, str], str] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        for element in root if root is not None else ():
            if element.tag == f"{_W}num":
                self._abstract[element.get(f"{_W}numId") or ""] = value(element, "abstractNumId")
            elif element.tag == f"{_W}abstractNum":
                name = element.get(f"{_W}abstractNumId") or ""
                for level in element.iterfind(f"{_W}lvl"):
                    self._formats[name, level.get(f"{_W}ilvl") or "0"] = value(level, "numFmt")

    def mark(self, number: str, level: str) -> str:
        """Return what stands before the next item of a list: `- `, or `3. ` with its indentation."""
        depth = min(int(level), 8) if level.isdigit() else 0
        indent = "    " * depth
        kind = self._formats.get((self._abstract.get(number, ""), level), "bullet")
        if kind in ("bullet", "none", ""):
            return f"{indent}- "
        counts = self._counts[number]
        counts[depth] = counts.get(depth, 0) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        return f"{indent}{counts[depth]}. "


def value(element: Any, *path: str) -> str:
    """Return the `val` of a descendant, `` if it is not there."""
    for name in path:
        element = element.find(f"{_W}{name}")
        if element is None:
            return ""
    return str(element.get(f"{_W}val") or "")
