"""Prints public-domain texts as PDFs that know on which page each sentence stands.

A page is recorded while it is set, not read back: what the product extracts is never the measure of itself.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from fpdf import FPDF
from pypdf import PdfReader, PdfWriter

from bench.scans import Condition, installed_faces, scan

TEXTS = Path(__file__).parent / "documents"
_TOP_MM, _BOTTOM_MM, _LEFT_MM, _COLUMN_MM, _GAP_MM, _LINE_MM = 22, 277, 18, 82, 10, 5.6
_LINES_OF_A_SCAN = 28


@dataclass
class Printed:
    """A PDF and the text of each of its pages; page 1 is `pages[0]`."""

    content: bytes
    pages: list[str]

    def page_of(self, phrase: str) -> int:
        """Return the one page on which a phrase stands."""
        found = [number for number, text in enumerate(self.pages, 1) if _plain(phrase) in _plain(text)]
        if len(found) != 1:
            raise SystemExit(f"{phrase!r} stands on {len(found)} pages: a case needs exactly one")
        return found[0]


@dataclass
class _Setter:
    """Sets lines into two columns, page after page, with a running head."""

    pdf: FPDF = field(default_factory=FPDF)
    pages: list[str] = field(default_factory=list)
    column: int = 2
    y: float = _BOTTOM_MM

    def new_page(self) -> None:
        self.pdf.set_auto_page_break(False)
        self.pdf.add_page()
        self.pages.append("")
        self.column, self.y = 0, _TOP_MM

    def line(self, text: str, style: str, size: float, height: float) -> None:
        if self.y + height > _BOTTOM_MM:
            self.column, self.y = self.column + 1, _TOP_MM
            if self.column > 1:
                self.new_page()
                self.head()
        self.pdf.set_font("times", style, size=size)
        self.pdf.text(_LEFT_MM + self.column * (_COLUMN_MM + _GAP_MM), self.y, text)
        self.pages[-1] += f"{text}\n"
        self.y += height

    def head(self) -> None:
        self.pdf.set_font("times", "I", size=9)
        self.pdf.text(_LEFT_MM, 12, f"Constitution of the United States     {len(self.pages)}")

    def paragraph(self, text: str, style: str = "", size: float = 12.5, height: float = _LINE_MM) -> None:
        self.pdf.set_font("times", style, size=size)
        for line in _wrapped(self.pdf, text):
            self.line(line, style, size, height)
        self.y += 1.5


def constitution() -> Printed:
    """Two columns, headings in larger type and no bookmarks, two pages of front matter numbered i and ii."""
    text = (TEXTS / "constitution.txt").read_text(encoding="utf-8")
    setter = _Setter()
    _front_matter(setter, text)
    setter.new_page()
    setter.head()
    for block in text.split("\n\n"):
        for part in block.split("\n"):
            if part.startswith("## "):
                setter.paragraph(part[3:], "B", 13, 7)
            elif part.startswith("# "):
                setter.paragraph(part[2:], "", 18, 10)
            else:
                setter.paragraph(part)
    writer = PdfWriter(clone_from=PdfReader(BytesIO(bytes(setter.pdf.output()))))
    writer.set_page_label(0, 1, style="/r")
    writer.set_page_label(2, len(setter.pages) - 1, style="/D", start=1)
    target = BytesIO()
    writer.write(target)
    return Printed(target.getvalue(), setter.pages)


def addresses() -> Printed:
    """Three texts, printed in one column and scanned at 150 dpi, a little askew."""
    text = (TEXTS / "addresses.txt").read_text(encoding="utf-8")
    lines: list[str] = []
    for block in text.split("\n\n"):
        lines += [*_folded(block.removeprefix("# ").replace("\n", "\n\n"), 78), ""]
    pages = [lines[at : at + _LINES_OF_A_SCAN] for at in range(0, len(lines), _LINES_OF_A_SCAN)]
    writer = PdfWriter()
    for number, page in enumerate(pages):
        condition = Condition("150 dpi", dpi=150, skew_degrees=0.7 - 0.5 * (number % 3), noise=12.0)
        for one in PdfReader(
            BytesIO(scan(page, installed_faces()[2 % len(installed_faces())], condition))
        ).pages:
            writer.add_page(one)
    target = BytesIO()
    writer.write(target)
    return Printed(target.getvalue(), ["\n".join(page) for page in pages])


def _front_matter(setter: _Setter, text: str) -> None:
    setter.new_page()
    for title in ("The Constitution", "of the United States"):
        setter.paragraph(title, "B", 22, 12)
    setter.paragraph("as signed in convention at Philadelphia on 17 September 1787", "I", 12, 7)
    setter.new_page()
    setter.paragraph("Contents", "B", 16, 9)
    for heading in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE):
        setter.paragraph(heading, "", 10, 4)


def _wrapped(pdf: FPDF, text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pdf.get_string_width(longer) > _COLUMN_MM:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def _folded(text: str, width: int) -> list[str]:
    return [line for part in text.split("\n\n") for line in [*textwrap.wrap(part, width), ""]][:-1]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())
