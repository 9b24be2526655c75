"""Turns the XML of a Word document into blocks of Markdown; explicit stacks, counted elements (E6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from brain_dagster.parse.formats.office import one_line
from brain_dagster.parse.formats.word_styles import Numbering, Styles, value
from brain_dagster.store.clean import clean_text

MAX_ELEMENTS = 3_000_000
MAX_COLUMNS = 100
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_WRAPPERS = frozenset(("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "body"))
# A drawing is there twice: for today's programs and, in Fallback, for those of 2007.
_UNREAD = frozenset(("Fallback", "del", "moveFrom", "instrText", "delText", "pPr", "rPr", "sdtPr"))
_LITERAL = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_MARKUP = re.compile(
    r"^(?=[ \t]{0,3}(?:#{1,6}(?:\s|$)|`{3}|~{3}|\||<!--|-{3,}\s*$|={3,}\s*$|\+\+\+\s*$))", re.MULTILINE
)
_BREAKS = re.compile(r"[ \t]*\n[ \t\n]*")


class Blocks:
    """Walks over the body of a document and tells its blocks in order.

    footnotes, endnotes, comments  texts by id; each stands below the block that refers to it
    title   of the paragraph that is styled as one
    is_cut  whether there were more elements than are read
    """

    def __init__(self, styles: Styles, numbering: Numbering) -> None:
        self._styles = styles
        self._numbering = numbering
        self.footnotes: dict[str, str] = {}
        self.endnotes: dict[str, str] = {}
        self.comments: dict[str, str] = {}
        self.title = ""
        self.is_cut = False
        self._elements = 0

    def of(self, body: Any) -> Iterator[str]:
        """Yield the blocks; those of a text box follow the paragraph it is anchored in."""
        stack = [body]
        items: list[str] = []
        while stack:
            element = stack.pop()
            name = tag(element)
            if self._elements > MAX_ELEMENTS:
                self.is_cut = True
                break
            if name in _WRAPPERS or (name == "tbl" and _is_frame(element)):
                stack.extend(reversed(_framed(element) if name == "tbl" else list(element)))
                continue
            if name not in ("p", "tbl"):
                continue
            found = self._paragraph(element, stack) if name == "p" else self._table(element)
            if found.lstrip().startswith("- ") or re.match(r"\s*\d+\. ", found):
                items.append(found)
                continue
            yield "\n".join(items)
            items = []
            yield found
        yield "\n".join(items)

    def _paragraph(self, element: Any, stack: list[Any]) -> str:
        inline = _Inline(element)
        self._elements += inline.elements
        stack.extend(reversed([child for box in inline.boxes for child in box]))
        text = inline.text
        below = self._below(inline.references)
        style = value(element, "pPr", "pStyle")
        if self._styles.name(style).lower().startswith("toc "):
            return ""  # a table of contents repeats the headings
        level = self._level(element, style)
        if level and text.strip():
            line = one_line(text)
            if self._styles.name(style).lower() == "title" and not self.title:
                self.title = line
            return "\n\n".join([f"{'#' * level} {line}", *below])
        mark = self._mark(element, style) if text.strip() else ""
        if mark:
            indent = " " * len(mark)
            text = mark + _BREAKS.sub(f"\n{indent}", text.strip())
            return "\n".join([text, *(f"{indent}{line}" for line in below)])
        text = _MARKUP.sub(r"\\", _BREAKS.sub("\n", text).strip("\n"))
        return "\n\n".join(filter(None, [text.rstrip(), *below]))

    def _level(self, element: Any, style: str) -> int:
        own = value(element, "pPr", "outlineLvl")
        if own.isdigit() and int(own) < 9:
            return min(int(own) + 1, 6)
        return self._styles.level(style)

    def _mark(self, element: Any, style: str) -> str:
        number = value(element, "pPr", "numPr", "numId")
        level = value(element, "pPr", "numPr", "ilvl")
        if not number:
            number, inherited = self._styles.numbering(style)
            level = level or inherited
        return self._numbering.mark(number, level or "0") if number not in ("", "0") else ""

    def _below(self, references: list[tuple[str, str]]) -> list[str]:
        """Return the notes and comments that a block refers to."""
        found = []
        for kind, name in references:
            if kind == "commentReference":
                found.append(f"Comment by {self.comments[name]}" if name in self.comments else "")
            else:
                notes = self.footnotes if kind == "footnoteReference" else self.endnotes
                found.append(f"[^{name}]: {notes[name]}" if notes.get(name) else "")
        return [text for text in found if text]

    def _table(self, element: Any) -> str:
        """Return a table with pipes; its first row is the header, as Markdown has no other."""
        rows: list[list[str]] = []
        references: list[tuple[str, str]] = []
        for row in _rows(element):
            cells: list[str] = []
            for cell in _cells(row):
                inline = _Inline(cell)
                self._elements += inline.elements
                references += inline.references
                text = "" if _continues(cell) else " ".join([inline.text, *inline.box_texts()])
                span = value(cell, "tcPr", "gridSpan")
                cells.append(one_line(text).replace("|", "\\|"))
                cells += [""] * (min(int(span), MAX_COLUMNS) - 1 if span.isdigit() else 0)
            rows.append(cells[:MAX_COLUMNS])
        rows = [row for row in rows if any(row)]
        if not rows:
            return ""
        width = max(map(len, rows))
        lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        return "\n\n".join(["\n".join(lines), *self._below(references)])


class _Inline:
    """The text of an element, the text boxes anchored in it, and what it refers to, in reading order."""

    def __init__(self, element: Any) -> None:
        self.references: list[tuple[str, str]] = []
        self.boxes: list[Any] = []
        self.elements = 0
        words: list[str] = []
        stack = list(reversed(list(element)))
        while stack:
            node = stack.pop()
            self.elements += 1
            name = tag(node)
            if name in _UNREAD:
                continue
            if name == "t" or node.tag == f"{_M}t":
                words.append(node.text or "")
            elif name in _LITERAL and node.tag.startswith(_W):
                words.append(_LITERAL[name])
            elif name in ("footnoteReference", "endnoteReference", "commentReference"):
                reference = node.get(f"{_W}id") or ""
                self.references.append((name, reference))
                words.append("" if name == "commentReference" else f"[^{reference}]")
            elif name == "txbxContent":
                self.boxes.append(node)
            elif name == "docPr" and node.get("descr"):
                words.append(f"[image: {one_line(node.get('descr'))[:300]}]")
            else:
                words.append("\n" if name == "p" and words else "")
                stack.extend(reversed(list(node)))
        self.text = clean_text("".join(words))

    def box_texts(self) -> list[str]:
        """Return the texts of the text boxes, those inside others left out."""
        return [_Inline(box).text for box in self.boxes]


def inline_text(element: Any) -> str:
    """Return all text of an element as one line."""
    inline = _Inline(element)
    return one_line(" ".join([inline.text, *inline.box_texts()]))


def tag(element: Any) -> str:
    """Return the name of an element without its namespace; `` for comments and the like."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _rows(table: Any) -> Iterator[Any]:
    for child in _unwrapped(table):
        if tag(child) == "tr":
            yield child


def _cells(row: Any) -> Iterator[Any]:
    for child in _unwrapped(row):
        if tag(child) == "tc":
            yield child


def _unwrapped(element: Any) -> Iterator[Any]:
    """Yield the children, those of content controls in their place."""
    stack = list(reversed(list(element)))
    while stack:
        child = stack.pop()
        if tag(child) in _WRAPPERS:
            stack.extend(reversed(list(child)))
        else:
            yield child


def _is_frame(table: Any) -> bool:
    """Say whether a table is one cell that only lays out what is in it."""
    rows = list(_rows(table))
    return len(rows) == 1 and len(list(_cells(rows[0]))) == 1


def _framed(table: Any) -> list[Any]:
    return [child for row in _rows(table) for cell in _cells(row) for child in cell]


def _continues(cell: Any) -> bool:
    """Say whether a cell only continues the one above it."""
    merge = cell.find(f"{_W}tcPr/{_W}vMerge")
    return merge is not None and merge.get(f"{_W}val") in (None, "continue")
