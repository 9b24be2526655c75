"""PDFs whose order, direction or script is the difficulty, not damage."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from io import BytesIO

from fpdf import FPDF
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from tests.corpora.pdfs import text_pdf

LEFT = (
    "The surveyor walked along the northern boundary and found the old marker stone below the hedge, where the "
    "map of 1790 has it. He noted the distance to the well and to the corner of the barn, and went home."
)
RIGHT = (
    "Meanwhile the treasurer counted what the autumn market had brought in, and compared each column with the "
    "ledger that the miller keeps in town. Nothing was missing but a receipt for nails and a pound of butter."
)
ACROSS = "Both reports were read aloud in the hall on the first Sunday of the month and approved."


def two_columns(written: str) -> bytes:
    """A page with a heading, two columns and a line below both; written `down` each column or `across` both."""
    left, right = textwrap.wrap(LEFT, 40), textwrap.wrap(RIGHT, 40)
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", "B", size=16)
    pdf.text(20, 20, "Proceedings of the estate")
    pdf.set_font("helvetica", size=10)
    places = [(20, 40 + 6 * row, line) for row, line in enumerate(left)]
    places += [(110, 40 + 6 * row, line) for row, line in enumerate(right)]
    for x, y, line in places if written == "down" else sorted(places, key=lambda place: (place[1], place[0])):
        pdf.text(x, y, line)
    pdf.text(20, 120, ACROSS)
    return bytes(pdf.output())


def price_table() -> bytes:
    """A table of short cells: it has columns, and is read by rows."""
    pdf = FPDF()
    pdf.set_font("helvetica", size=10)
    pdf.add_page()
    for row in range(8):
        for column, cell in enumerate((f"Part {row}", f"{row + 3} pieces", f"{row}.50 EUR")):
            pdf.text(20 + 60 * column, 40 + 7 * row, cell)
    return bytes(pdf.output())


def turned_page(degrees: int) -> bytes:
    """Two lines on a page that a viewer turns by so many degrees."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(["First of two lines.\nSecond of two lines."]))))
    writer.pages[0].rotate(degrees)
    return written(writer)


def turned_lines(degrees: int) -> bytes:
    """Three lines that are written at an angle to the page."""
    pdf = FPDF()
    pdf.set_font("helvetica", size=10)
    pdf.add_page()
    with pdf.rotation(degrees, 105, 148):
        for row, words in enumerate(("One line aslant.", "Two lines aslant.", "Three lines aslant.")):
            pdf.text(60, 60 + 6 * row, words)
    return bytes(pdf.output())


def headed_report() -> bytes:
    """Three pages without bookmarks: a title, chapters and sections in larger or bolder type, running heads."""
    pdf = FPDF()
    pdf.set_auto_page_break(False)
    body = " ".join([LEFT, RIGHT] * 3)
    pages = (("Annual report", "1 Water", "1.1 The gauge"), ("1.2 The weir",), ("2 Markets",))
    types = {"Annual report": ("", 24), "1 Water": ("", 16), "2 Markets": ("", 16)}
    for number, names in enumerate(pages, 1):
        pdf.add_page()
        pdf.set_font("times", "B", size=12)
        pdf.text(20, 12, f"Parish of Marsh   {number}")
        pdf.set_y(25)
        for name in names:
            style, size = types.get(name, ("B", 12))
            pdf.set_font("times", style, size=size)
            pdf.set_x(20)
            pdf.multi_cell(170, 9, name, new_x="LMARGIN", new_y="NEXT")
            pdf.set_font("times", size=11)
            pdf.set_x(20)
            pdf.multi_cell(170, 5, body, new_x="LMARGIN", new_y="NEXT")
        pdf.text(20, 290, f"page {number} of 3")
    return bytes(pdf.output())


def raised_number() -> bytes:
    """A formula whose exponent stands higher and smaller than its line."""
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("times", size=12)
    pdf.text(20, 40, "The area is r")
    end = 20 + pdf.get_string_width("The area is r")
    pdf.set_font("times", size=8)
    pdf.text(end, 38.2, "2")
    pdf.set_font("times", size=12)
    pdf.text(end + 2.5, 40, "times pi.")
    return bytes(pdf.output())


# Scripts ------------------------------------------------------------------------------------------------

HEBREW = "הגשר נבנה בשנת 1912 מעל הנחל, ולידו עומדים שלושה עצים"
ARABIC = "الجسر القديم يقع في المدينة وبجانبه حديقة 25"


def glyph_pdf(lines: Sequence[str], *, has_unicode: bool = True) -> bytes:
    """Lines set glyph by glyph from the left, in a font that is not there: codes, and what they stand for.

    Without the map to Unicode, nothing but the shapes would tell what the codes mean.
    """
    codes = {character: code for code, character in enumerate(sorted(set("".join(lines))), 1)}
    shown = ["".join(f"{codes[character]:04x}" for character in line) for line in lines]
    content = "\n".join(
        f"BT /F1 12 Tf 1 0 0 1 60 {760 - 20 * row} Tm <{line}> Tj ET" for row, line in enumerate(shown)
    )
    return _composite_pdf(content, "Identity-H", "Identity", codes if has_unicode else {})


def as_printed(line: str) -> str:
    """Return a Hebrew or Arabic line as its glyphs stand on paper, from the left; numbers keep their order."""
    return " ".join(word[::-1] if word.isdigit() else word for word in line[::-1].split(" "))


def predefined_cjk(line: str, encoding: str, ordering: str) -> bytes:
    """A line in a font that is neither embedded nor mapped: the name of its encoding is all there is."""
    shown = line.encode("utf-16-be").hex()
    return _composite_pdf(f"BT /F1 12 Tf 1 0 0 1 60 700 Tm <{shown}> Tj ET", encoding, ordering, {})


def _composite_pdf(content: str, encoding: str, ordering: str, codes: dict[str, int]) -> bytes:
    writer = PdfWriter()
    page = writer.add_blank_page(595, 842)
    system = {"/Registry": TextStringObject("Adobe"), "/Ordering": TextStringObject(ordering)}
    descendant = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/CIDFontType2"),
        "/BaseFont": NameObject("/Nowhere"),
        "/CIDSystemInfo": _dictionary({**system, "/Supplement": NumberObject(0)}),
        "/DW": NumberObject(600),
    }
    font = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type0"),
        "/BaseFont": NameObject("/Nowhere"),
        "/Encoding": NameObject(f"/{encoding}"),
        "/DescendantFonts": ArrayObject([writer._add_object(_dictionary(descendant))]),
    }
    if codes:
        font["/ToUnicode"] = writer._add_object(stream(_to_unicode(codes)))
    fonts = _dictionary({"/F1": writer._add_object(_dictionary(font))})
    page[NameObject("/Resources")] = _dictionary({"/Font": fonts})
    page[NameObject("/Contents")] = writer._add_object(stream(content.encode()))
    return written(writer)


def _to_unicode(codes: dict[str, int]) -> bytes:
    rows = "\n".join(f"<{code:04x}> <{letter.encode('utf-16-be').hex()}>" for letter, code in codes.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{rows}\nendbfchar\nendcmap end end"
    ).encode()


def _dictionary(entries: dict[str, object]) -> DictionaryObject:
    return DictionaryObject({NameObject(name): value for name, value in entries.items()})


def stream(content: bytes) -> DecodedStreamObject:
    """A stream object that is not packed."""
    made = DecodedStreamObject()
    made.set_data(content)
    return made


def written(writer: PdfWriter) -> bytes:
    """The file that a writer holds."""
    target = BytesIO()
    writer.write(target)
    return target.getvalue()
