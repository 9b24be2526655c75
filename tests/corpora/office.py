"""Generates office documents, sound and hostile, each by a few readable lines."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import docx
import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

MAIN_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
}


def word(build: Callable[[Any], None]) -> bytes:
    """A Word document that `build` fills."""
    document = docx.Document()
    document.core_properties.title = "Word Document"  # what the library writes when nobody chose a title
    build(document)
    return _saved(document.save)


def slides(build: Callable[[Any], None]) -> bytes:
    """A presentation that `build` fills."""
    presentation = pptx.Presentation()
    build(presentation)
    return _saved(presentation.save)


def workbook(
    sheets: Mapping[str, Sequence[Sequence[object]]], adjust: Callable[[Any], None] | None = None
) -> bytes:
    """A workbook with these rows; None leaves a cell empty, and an empty row is one."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for number, row in enumerate(rows, 1):
            for column, value in enumerate(row, 1):
                sheet.cell(number, column, value)
    if adjust is not None:
        adjust(book)
    return _saved(book.save)


def _saved(save: Callable[[io.BytesIO], None]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def handbook() -> bytes:
    """A Word document with everything a reader would miss."""

    def build(document: Any) -> None:
        document.core_properties.author = "Zoë Imker"
        document.core_properties.created = datetime(2024, 5, 1)
        document.sections[0].header.paragraphs[0].text = "Internal use only"
        document.add_heading("Keeping of bees", 0)
        document.add_heading("Hives", 1)
        paragraph = document.add_paragraph("A hive has ")
        paragraph.add_run("one").bold = True
        paragraph.add_run(" queen.")
        document.add_comment(paragraph.runs, text="Are there never two?", author="Ann", initials="A")
        document.add_heading("Tools", 2)
        for tool in ("smoker", "veil"):
            document.add_paragraph(tool, style="List Bullet")
        for step in ("open the lid", "look for eggs"):
            document.add_paragraph(step, style="List Number")
        document.add_paragraph("# no heading but a number sign")
        table = document.add_table(rows=3, cols=2)
        for row, cells in zip(
            table.rows, (("Tool", "Price"), ("Smoker", "12|50"), ("Veil", "8")), strict=True
        ):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
        frame = document.add_table(rows=1, cols=1).cell(0, 0)
        frame.text = "A box around words."

    return word(build)


def talk() -> bytes:
    """A presentation of four slides: text with notes and a table, a chart, a hidden one, an empty one."""

    def build(presentation: Any) -> None:
        first = presentation.slides.add_slide(presentation.slide_layouts[1])
        first.shapes.title.text = "Queens"
        body = first.placeholders[1].text_frame
        body.text = "They lay eggs"
        deeper = body.add_paragraph()
        deeper.text, deeper.level = "two thousand a day", 1
        first.notes_slide.notes_text_frame.text = "Mention the drones."
        table = first.shapes.add_table(2, 2, Inches(1), Inches(6), Inches(4), Inches(1)).table
        for place, text in (((0, 0), "Caste"), ((0, 1), "Days"), ((1, 0), "Queen"), ((1, 1), "16")):
            table.cell(*place).text = text

        second = presentation.slides.add_slide(presentation.slide_layouts[6])
        harvest = CategoryChartData()
        harvest.categories = ["May", "June"]
        harvest.add_series("Honey", (3, 4.5))
        second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(3), Inches(3), harvest)
        right = second.shapes.add_textbox(Inches(6), Inches(4), Inches(2), Inches(1))
        right.text_frame.text = "right of it"
        group = second.shapes.add_group_shape()
        group.shapes.add_textbox(0, Inches(4), Inches(2), Inches(1)).text_frame.text = "left, in a group"

        third = presentation.slides.add_slide(presentation.slide_layouts[5])
        third.shapes.title.text = "Spare slide"
        third._element.set("show", "0")
        presentation.slides.add_slide(presentation.slide_layouts[6])

    return slides(build)


def rezipped(content: bytes, change: Mapping[str, bytes | None] | None = None, **more: Any) -> bytes:
    """The same package with members replaced, added, or (None) left out."""
    changes = dict(change or {})
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            body = changes.pop(name, old.read(name))
            if body is not None:
                new.writestr(name, body)
        for name, body in changes.items():
            if body is not None:
                new.writestr(name, body)
    return buffer.getvalue()


def with_entities(content: bytes, member: str) -> bytes:
    """A package one member of which declares entities that grow to a thousand million laughs."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        body = archive.read(member)
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    declared = f'<!DOCTYPE bomb [<!ENTITY l0 "ha">{laughs}]>'.encode()
    head, mark, rest = body.partition(b"?>")
    return rezipped(content, {member: head + mark + declared + rest})


def bomb(content: bytes, member: str, unpacked_bytes: int) -> bytes:
    """A package one member of which unpacks to that many blanks."""
    return rezipped(content, {member: b" " * unpacked_bytes})


def lying_size(content: bytes, member: str, declared: int) -> bytes:
    """A package whose directory declares another size for one member."""
    raw = bytearray(content)
    name = member.encode()
    place = raw.find(b"PK\x01\x02")
    while place >= 0:
        length = struct.unpack_from("<H", raw, place + 28)[0]
        if raw[place + 46 : place + 46 + length] == name:
            struct.pack_into("<I", raw, place + 24, declared)
            return bytes(raw)
        place = raw.find(b"PK\x01\x02", place + 4)
    raise AssertionError(f"no member {member}")


def many_members(content: bytes, count: int) -> bytes:
    """A package with that many empty members more."""
    return rezipped(content, {f"x/{number}": b"" for number in range(count)})


def encrypted() -> bytes:
    """The head of a compound file with the stream that encrypted documents have."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    return head + "EncryptionInfo".encode("utf-16-le") + "EncryptedPackage".encode("utf-16-le") + bytes(512)


def old_office() -> bytes:
    """The head of a compound file as Word wrote them before 2007."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "WordDocument".encode("utf-16-le") + bytes(512)


def open_document() -> bytes:
    """The beginning of an OpenDocument text: its kind comes first, stored as it is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", "<office:document-content/>")
    return buffer.getvalue()
