"""PDFs whose pages are pictures, and PDFs that unpack to more than they may (faults G4, G5)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO

from fpdf import FPDF
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject

from tests.corpora.pdf_layouts import stream, written
from tests.corpora.pdfs import text_pdf

PAPER_MM = (120, 90)  # small pages are read in a quarter of the time, and are as hard to read


def scanned(pages: Sequence[str], *, turned: int = 0, degrees: float = 0.0) -> bytes:
    """Pages that are pictures of text in Pillow's own typeface, each line as given.

    turned   how far the page lay turned on the glass, in quarter turns of 90
    degrees  how far it lay askew
    """
    pdf = FPDF(format=PAPER_MM)
    for text in pages:
        pdf.add_page()
        picture = page_picture(text).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
        _place(pdf, picture.rotate(turned, expand=True))
    return bytes(pdf.output())


def stamped_scan(text: str, stamp: str) -> bytes:
    """A scanned page on which a program has printed a line."""
    pdf = FPDF(format=PAPER_MM)
    pdf.set_font("helvetica", size=11)
    pdf.add_page()
    _place(pdf, page_picture(text))
    pdf.text(25, 8, stamp)
    return bytes(pdf.output())


def text_and_scans(kinds: Sequence[str]) -> bytes:
    """One page per text: those that begin with `scan ` are pictures of the rest, the others are typed."""
    pdf = FPDF(format=PAPER_MM)
    pdf.set_font("helvetica", size=11)
    for text in kinds:
        pdf.add_page()
        if text.startswith("scan "):
            _place(pdf, page_picture(text.removeprefix("scan ")))
        else:
            pdf.multi_cell(0, 6, text)
    return bytes(pdf.output())


def page_picture(text: str, dpi: int = 150) -> Image.Image:
    """A page as a scanner sees it."""
    width, height = (round(side / 25.4 * dpi) for side in PAPER_MM)
    image = Image.new("L", (width, height), color=255)
    font = ImageFont.load_default(round(11 * dpi / 72))
    ImageDraw.Draw(image).multiline_text((dpi // 3, dpi // 2), text, fill=25, font=font, spacing=dpi // 15)
    return image


def _place(pdf: FPDF, picture: Image.Image) -> None:
    target = BytesIO()
    picture.save(target, format="PNG")
    pdf.image(target, x=0, y=0, w=pdf.w, h=pdf.h)


def flate_bomb(size: int = 300_000_000) -> bytes:
    """Its second page is a few hundred kilobytes that unpack to 300 MB of spaces."""
    return _with_content(_squeezed(size, 1), 1)


def nested_bomb(size: int = 300_000_000) -> bytes:
    """The same in about a thousand bytes: what is unpacked is packed itself, three times over."""
    return _with_content(_squeezed(size, 3), 3)


def picture_bomb(side: int = 18_000) -> bytes:
    """A page that is one picture of 324 million pixels, in less than 2 MB."""
    writer = PdfWriter()
    page = writer.add_blank_page(595, 842)
    picture = StreamObject()
    picture._data = _squeezed(side * side, 1, level=1)
    entries = {
        "/Type": NameObject("/XObject"),
        "/Subtype": NameObject("/Image"),
        "/Width": NumberObject(side),
        "/Height": NumberObject(side),
        "/ColorSpace": NameObject("/DeviceGray"),
        "/BitsPerComponent": NumberObject(8),
        "/Filter": NameObject("/FlateDecode"),
    }
    picture.update({NameObject(name): value for name, value in entries.items()})
    objects = DictionaryObject({NameObject("/P"): writer._add_object(picture)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): objects})
    page[NameObject("/Contents")] = writer._add_object(stream(b"595 0 0 842 0 0 cm /P Do"))
    return written(writer)


@lru_cache
def _squeezed(size: int, times: int, level: int = 9) -> bytes:
    """Pack spaces without ever holding them all."""
    if times > 1:
        return zlib.compress(_squeezed(size, times - 1), 9)
    pack = zlib.compressobj(level)
    block = b" " * 1_000_000
    return b"".join([*(pack.compress(block) for _ in range(size // len(block))), pack.flush()])


def _with_content(packed: bytes, times: int) -> bytes:
    pages = ["A page before.", "Replaced.", "A page after."]
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(pages))))
    content = StreamObject()
    content._data = packed
    content[NameObject("/Filter")] = ArrayObject([NameObject("/FlateDecode")] * times)
    writer.pages[1][NameObject("/Contents")] = writer._add_object(content)
    return written(writer)


def many_pages(count: int) -> bytes:
    """A tree that refers to one page again and again."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(["One page of many."]))))
    tree = writer._root_object["/Pages"]
    tree[NameObject("/Kids")] = ArrayObject([tree["/Kids"].get_object()[0]] * count)
    tree[NameObject("/Count")] = NumberObject(count)
    return written(writer)
