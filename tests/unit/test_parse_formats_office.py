"""Word as Markdown, PowerPoint by slide, Excel by sheet: what a reader would quote, and where it stands."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, time
from typing import Any

import pytest
from docx.oxml import parse_xml

from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.formats.sheet_cells import shown
from tests.corpora import office
from tests.support.parts import chunks_of, flow, opened, parts_of, texts_of

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def test_word_document_becomes_markdown_as_a_reader_would_write_it() -> None:
    found = flow("docx", office.handbook())
    assert found.language == "markdown"
    assert found.text == (
        "# Keeping of bees\n\n# Hives\n\nA hive has one queen.\n\nComment by Ann: Are there never two?\n\n"
        "## Tools\n\n- smoker\n- veil\n1. open the lid\n2. look for eggs\n\n"
        "\\# no heading but a number sign\n\n"
        "| Tool | Price |\n| --- | --- |\n| Smoker | 12\\|50 |\n| Veil | 8 |\n\n"
        "A box around words.\n\nPage header: Internal use only\n"
    )
    assert found.title == "Keeping of bees"
    assert (found.metadata["author"], found.metadata["created"]) == ("Zoë Imker", "2024-05-01")
    assert "title" not in found.metadata


def body_with(xml: str) -> bytes:
    """A Word document whose first paragraph is followed by these elements."""

    def build(document: Any) -> None:
        document.add_paragraph("before")
        wrapper = parse_xml(f"<w:body {W} {MC}>{xml}</w:body>")
        for element in list(wrapper):
            document.element.body.insert(-1, element)

    return office.word(build)


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>", "in a control"),
        (
            "<w:p><w:ins><w:r><w:t>new </w:t></w:r></w:ins>"
            "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
            "<w:r><w:t>words</w:t></w:r></w:p>",
            "new words",
        ),
        (
            "<w:p><w:r><w:t>anchor</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>"
            f"{paragraph('in a box')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>"
            f"{paragraph('in a box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>",
            "anchor\n\nin a box",
        ),
        (
            f"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{paragraph('wide')}</w:tc></w:tr>"
            f"<w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>",
            "| wide |  |\n| --- | --- |\n| a | b |",
        ),
        (
            "<w:p><w:pPr><w:outlineLvl w:val='2'/></w:pPr><w:r><w:t>Own level</w:t></w:r></w:p>",
            "### Own level",
        ),
    ],
)
def test_what_word_wraps_is_read_once_and_in_its_place(xml: str, expected: str) -> None:
    assert flow("docx", body_with(xml)).text == f"before\n\n{expected}\n"


def test_footnote_stands_below_the_paragraph_that_refers_to_it() -> None:
    reference = "<w:p><w:r><w:t>claim</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
    content = body_with(reference)
    notes = f"<w:footnotes {W}><w:footnote w:id='2'>{paragraph('the proof')}</w:footnote></w:footnotes>"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    content = edited(
        content,
        ("word/_rels/document.xml.rels", "</Relationships>",
         f'<Relationship Id="rN" Type="{relation}" Target="footnotes.xml"/></Relationships>'),
        ("[Content_Types].xml", "</Types>",
         f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'),
    )  # fmt: skip
    content = office.rezipped(content, {"word/footnotes.xml": notes.encode()})
    assert flow("docx", content).text == "before\n\nclaim[^2]\n\n[^2]: the proof\n"


def edited(content: bytes, *changes: tuple[str, str, str]) -> bytes:
    """A package with texts of its members replaced."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        bodies = {name: archive.read(name).decode() for name, _, _ in changes}
    for name, old, new in changes:
        assert old in bodies[name], (name, old)
        bodies[name] = bodies[name].replace(old, new)
    return office.rezipped(content, {name: body.encode() for name, body in bodies.items()})


def test_word_template_and_document_with_macros_are_documents() -> None:
    macros = "application/vnd.ms-word.document.macroEnabled.main+xml"
    content = edited(office.handbook(), ("[Content_Types].xml", office.MAIN_TYPES["docx"], macros))
    assert "A hive has one queen." in flow("docx", content).text


def test_strict_open_xml_is_refused_with_what_to_do() -> None:
    content = edited(
        office.handbook(),
        ("_rels/.rels", "http://schemas.openxmlformats.org/officeDocument/", "http://purl.oclc.org/ooxml/officeDocument/"),
    )  # fmt: skip
    with pytest.raises(BrokenDocument, match=r"save it as an ordinary \.docx"):
        flow("docx", content)


def test_e6_tables_in_tables_are_read_without_recursion() -> None:
    deep = paragraph("needle")
    for _ in range(60):  # libxml2 refuses more than 256 levels, of which a table takes three
        deep = f"<w:tbl><w:tr><w:tc>{deep}</w:tc></w:tr></w:tbl>"
    assert flow("docx", body_with(deep)).text == "before\n\nneedle\n"


def test_presentation_is_read_by_slide_in_reading_order() -> None:
    found = opened("pptx", office.talk())
    parts = list(found.parts)
    assert [part.page.label for part in parts] == ["slide 1", "slide 2", "slide 3 (hidden)", "slide 4"]
    assert [part.page.headings for part in parts] == [("Queens",), (), ("Spare slide",), ()]
    assert [part.text for part in parts] == [
        "Queens\n\nThey lay eggs\n- two thousand a day\n\nCaste | Days\nQueen | 16\n\n"
        "Notes:\nMention the drones.",
        "Chart:\n | May | June\nHoney | 3 | 4.5\n\nleft, in a group\n\nright of it",
        "Spare slide",
        "",
    ]
    assert (found.title, found.outline) == ("Queens", ("Queens", "Spare slide"))


def test_g2_one_broken_shape_leaves_the_rest_of_its_slide() -> None:
    content = edited(office.talk(), ("ppt/slides/slide2.xml", 'r:id="rId2"', 'r:id="rId99"'))
    second = parts_of("pptx", content)[1]
    assert "left, in a group" in second.text
    assert second.warnings == ("slide 2: a shape could not be read: KeyError",)


BUDGET_ROWS: list[list[object]] = [
    ["Budget of the apiary"],
    ["Item", "Price", "Bought"],
    *([f"hive {n}", 1000.5 * n, datetime(2024, 5, n)] for n in range(1, 31)),
    [],
    ["Contact"],
    [],
    ["Name", "Phone"],
    ["Zoë", "555"],
]


def priced(book: Any) -> None:
    for row in range(3, 33):
        book["Budget"].cell(row, 2).number_format = '#,##0.00 "€"'


def test_sheet_is_cut_between_rows_and_every_chunk_knows_header_and_rows() -> None:
    (part,) = parts_of("xlsx", office.workbook({"Budget": BUDGET_ROWS}, priced), budget=120)
    chunks = chunks_of(part)
    assert chunks[0].label == "sheet Budget, rows 1-8"
    assert texts_of(part)[0].splitlines()[:3] == [
        "Budget of the apiary",
        "Item | Price | Bought",
        "hive 1 | 1,000.50 € | 2024-05-01",
    ]
    assert {chunk.enclosing for chunk in chunks[:-1]} == {("Item | Price | Bought",)}
    assert part.page.headings == ("Budget",)
    # A caption above an empty row belongs to the table below it, whose own header it has.
    assert texts_of(part)[-1] == "Contact\nName | Phone\nZoë | 555"
    assert (chunks[-1].label, chunks[-1].enclosing) == ("sheet Budget, rows 34-37", ("Name | Phone",))


def test_small_tables_share_a_chunk_that_claims_no_single_header() -> None:
    rows: list[list[object]] = [["A", "B"], ["x", 1], [], ["C", "D"], ["y", 2]]
    (part,) = parts_of("xlsx", office.workbook({"Two": rows}))
    assert texts_of(part) == ["A | B\nx | 1\n\nC | D\ny | 2"]
    assert [chunk.enclosing for chunk in chunks_of(part)] == [()]


def test_long_sheet_comes_in_pieces_and_keeps_its_header() -> None:
    rows = [["Key", "Value"], *([f"k{n}", n] for n in range(4_500))]
    pieces = parts_of("xlsx", office.workbook({"Long": rows}))
    assert [piece.has_more for piece in pieces] == [True, True, False]
    assert {chunk.enclosing for piece in pieces for chunk in chunks_of(piece)} == {("Key | Value",)}
    assert chunks_of(pieces[2])[-1].label.endswith("-4,501")


def test_hidden_sheet_is_named_as_such_and_an_empty_one_has_no_chunk() -> None:
    def hide(book: Any) -> None:
        book["Salaries"].sheet_state = "hidden"

    parts = parts_of("xlsx", office.workbook({"Salaries": [["a", 1]], "Nothing": []}, hide))
    assert [part.page.label for part in parts] == ["sheet Salaries (hidden)", "sheet Nothing"]
    assert chunks_of(parts[1]) == []


def test_formula_without_a_stored_result_stands_as_written_and_is_told() -> None:
    (part,) = parts_of("xlsx", office.workbook({"Sums": [["total", "=SUM(B2:B3)"], ["a", 1]]}))
    assert part.text == "total | =SUM(B2:B3)\na | 1"
    assert part.warnings == (
        "sheet Sums: 1 formula has no stored result and stands as written; "
        "open and save it in a spreadsheet program",
    )


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (0.125, "0.0%", "12.5%"),
        (1234567.5, "#,##0.00", "1,234,567.50"),
        (1234.5, "$#,##0.00", "$1,234.50"),
        (3, '0 "kg"', "3 kg"),
        (7.25, "[$€-407] 0.00", "€7.25"),
        (0.1, "General", "0.1"),
        (2024, "0", "2024"),
        (5, None, "5"),
        (10**400, "0", "1" + "0" * 400),
        (True, "General", "TRUE"),
        (datetime(2024, 5, 1, 10, 22), "yyyy-mm-dd", "2024-05-01 10:22"),
        (time(9, 5), "h:mm", "09:05"),
        ("two\nlines", "@", "two lines"),
    ],
)
def test_cell_is_shown_as_the_spreadsheet_shows_it(value: object, form: str | None, expected: str) -> None:
    assert shown(value, form) == expected


def test_column_beyond_the_limit_is_told() -> None:
    (part,) = parts_of("xlsx", office.workbook({"Wide": [list(range(301))]}))
    assert part.warnings == ("sheet Wide: columns after the first 300 are not read",)
