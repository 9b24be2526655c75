"""PDFs for tests, written by fpdf2 and then damaged, encrypted or rewired on purpose (faults G1-G6)."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from fpdf import FPDF
from fpdf.encryption import AccessPermission
from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject


def text_pdf(pages: Sequence[str], *, title: str = "", bookmarks: bool = False) -> bytes:
    """One page per text; with bookmarks, each page is a section named after its first line."""
    pdf = FPDF()
    if title:
        pdf.set_title(title)
    pdf.set_font("helvetica", size=11)
    for text in pages:
        pdf.add_page()
        if bookmarks:
            pdf.start_section(text.partition("\n")[0])
        pdf.multi_cell(0, 6, text)
    return bytes(pdf.output())


def page_mix(kinds: Sequence[str]) -> bytes:
    """One page per kind: `text`, `scan` (an image only), `stamped` (an image and a line), `drawing`, `blank`."""
    pdf = FPDF()
    pdf.set_font("helvetica", size=11)
    for number, kind in enumerate(kinds, 1):
        pdf.add_page()
        if kind in ("scan", "stamped"):
            pdf.image(_photographed_page(number), x=0, y=0, w=210, h=297)
        if kind == "stamped":
            pdf.text(10, 10, "received 4 May")
        if kind == "text":
            pdf.multi_cell(0, 6, f"This is what page {number} says about the harvest.")
        if kind == "drawing":
            pdf.ellipse(40, 40, 100, 60)
    return bytes(pdf.output())


def _photographed_page(number: int) -> BytesIO:
    """A picture of writing: a person can read it, a text extractor cannot."""
    image = Image.new("L", (420, 594), color=250)
    ImageDraw.Draw(image).text((40, 60), f"Handwritten page {number}", fill=20)
    target = BytesIO()
    image.save(target, format="PNG")
    target.seek(0)
    return target


def protected_pdf(text: str, *, user_password: str) -> bytes:
    """An encrypted PDF; with an empty user password anyone may read it, only printing is forbidden."""
    pdf = FPDF()
    pdf.set_font("helvetica", size=11)
    pdf.set_encryption(
        owner_password="owner", user_password=user_password, permissions=AccessPermission.none()
    )
    pdf.add_page()
    pdf.multi_cell(0, 6, text)
    return bytes(pdf.output())


def wrong_xref(content: bytes) -> bytes:
    """The same PDF with an offset of its cross-reference table that points nowhere."""
    head, _, _ = content.rpartition(b"startxref")
    return head + b"startxref\n7\n%%EOF\n"


def cyclic_page_tree() -> bytes:
    """A page tree whose only branch contains the tree itself."""
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    tree = writer._root_object["/Pages"]
    branch = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Pages"),
            NameObject("/Count"): NumberObject(1),
            NameObject("/Kids"): ArrayObject([tree.indirect_reference]),
        }
    )
    tree[NameObject("/Kids")].append(writer._add_object(branch))
    return _written(writer)


def lying_page_count(declared: int) -> bytes:
    """Two pages in a file that declares another number."""
    return declaring(text_pdf(["First page.", "Second page."]), declared)


def declaring(content: bytes, count: int) -> bytes:
    """The same PDF with another number of pages in its tree."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer._root_object["/Pages"][NameObject("/Count")] = NumberObject(count)
    return _written(writer)


def labelled_pages() -> bytes:
    """Three pages whose printed numbers are i, ii and 1."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(["Preface.", "Thanks.", "Chapter one."]))))
    writer.set_page_label(0, 1, style="/r")
    writer.set_page_label(2, 2, style="/D", start=1)
    return _written(writer)


def labelled_with_prefix() -> bytes:
    """Three pages whose printed numbers are A-7, A-8 and c."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(["Seven.", "Eight.", "Third letter."]))))
    writer.set_page_label(0, 1, style="/D", prefix="A-", start=7)
    writer.set_page_label(2, 2, style="/a", start=3)
    return _written(writer)


def text_with_nul() -> bytes:
    """A page whose font maps one of its characters to NUL."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(text_pdf(["A Q B and more words"]))))
    page = writer.pages[0]
    font = next(iter(page["/Resources"]["/Font"].values())).get_object()
    mapping = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"1 beginbfchar <51> <0000> endbfchar\n"
        b"endcmap end end"
    )
    from pypdf.generic import DecodedStreamObject

    stream = DecodedStreamObject()
    stream.set_data(mapping)
    font[NameObject("/ToUnicode")] = writer._add_object(stream)
    return _written(writer)


def _written(writer: PdfWriter) -> bytes:
    target = BytesIO()
    writer.write(target)
    return target.getvalue()
