"""What is taken from the pages of a PDF: text in reading order, in any script, under its headings."""

from __future__ import annotations

import textwrap

import pytest

from brain_dagster.parse.bidi import as_typed
from brain_dagster.parse.pdf import PdfFile, is_garbage
from brain_dagster.parse.pdf_headings import Section, bookmarked_sections
from brain_dagster.parse.pdf_lines import LineReader, PageLines
from brain_dagster.parse.reading_order import Box, column_gaps, rows_in_reading_order
from tests.corpora import pdf_layouts as layouts
from tests.corpora import pdf_pictures, pdfs


def text_of(content: bytes, page: int = 1) -> str:
    return PdfFile(content).page(page).text


# Order -----------------------------------------------------------------------------------------------------

COLUMNS = ["Proceedings of the estate", *textwrap.wrap(layouts.LEFT, 40), *textwrap.wrap(layouts.RIGHT, 40)]


@pytest.mark.parametrize("written", ["down", "across"])
def test_two_columns_are_read_one_after_the_other_however_the_file_writes_them(written: str) -> None:
    assert text_of(layouts.two_columns(written)).splitlines() == [*COLUMNS, layouts.ACROSS]


def test_table_is_read_by_its_rows() -> None:
    rows = [f"Part {row} {row + 3} pieces {row}.50 EUR" for row in range(8)]
    assert text_of(layouts.price_table()).splitlines() == rows


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_turned_pages_and_turned_lines_keep_their_order(degrees: int) -> None:
    assert text_of(layouts.turned_page(degrees)).splitlines() == [
        "First of two lines.",
        "Second of two lines.",
    ]
    lines = ["One line aslant.", "Two lines aslant.", "Three lines aslant."]
    assert text_of(layouts.turned_lines(degrees)).splitlines() == lines


def test_raised_number_stays_in_its_line() -> None:
    assert text_of(layouts.raised_number()) == "The area is r2 times pi."


def test_hyphen_at_a_line_end_stays_and_the_line_ends_there() -> None:
    lines = ["These shells are vis-", "itors that nobody asked", "to see in camp."]
    assert text_of(pdfs.text_pdf(["\n".join(lines)])).splitlines() == lines


def column(left: float, words: str, count: int, top: float = 0) -> list[Box]:
    return [Box(left, top + 12 * n, left + 200, top + 12 * n + 10, f"{words} {n}") for n in range(count)]


def test_columns_of_three_are_read_between_the_headings_that_stand_across() -> None:
    head, middle = Box(0, 0, 680, 20, "A heading"), Box(0, 80, 680, 95, "Another heading")
    above = [*column(0, "left above the", 4, 25), *column(230, "in the middle of", 4, 25)]
    above += column(460, "right above the", 4, 25)
    below = [*column(0, "left below the", 4, 100), *column(230, "in the middle below", 4, 100)]
    below += column(460, "right below the", 4, 100)
    shuffled = [*below[::-1], middle, *above[::2], head, *above[1::2]]
    rows = [" ".join(box.text for box in row) for row in rows_in_reading_order(shuffled)]
    expected = [head.text, *(b.text for b in above), middle.text, *(b.text for b in below)]
    assert rows == expected


def test_columns_of_a_right_to_left_page_begin_at_the_right() -> None:
    boxes = [*column(0, "שורה בעמודה השמאלית", 4), *column(230, "שורה בעמודה הימנית", 4)]
    rows = [row[0].text for row in rows_in_reading_order(boxes)]
    assert rows == [box.text for box in [*boxes[4:], *boxes[:4]]]


def test_any_number_of_boxes_is_ordered_without_losing_one() -> None:
    boxes = [Box(n % 97, n % 89, n % 97 + 5, n % 89 + 3, f"box {n}") for n in range(6_000)]
    assert sorted(b.text for row in rows_in_reading_order(boxes) for b in row) == sorted(
        b.text for b in boxes
    )
    assert column_gaps([]) == []
    assert column_gaps([Box(1, 1, 1, 1, "x")] * 10) == []


# Scripts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [layouts.HEBREW, layouts.ARABIC])
def test_right_to_left_lines_come_out_as_they_are_spoken(line: str) -> None:
    """Printed properly, and printed from the left by a program that knows nothing of the script."""
    assert text_of(layouts.glyph_pdf([layouts.as_printed(line)])) == line
    assert text_of(layouts.glyph_pdf([line])) == line


def test_shapes_of_letters_become_letters() -> None:
    assert as_typed("ﬁnal oﬃce ﬂoor") == "final office floor"
    assert as_typed("ﻻ") == "لا"
    assert as_typed("Ⅷ ½ … ﷼"[:5]) == "Ⅷ ½ …", "signs that people do type stay as they are"


@pytest.mark.parametrize(
    ("line", "encoding", "ordering"),
    [
        ("東京の橋は完成した", "UniJIS-UCS2-H", "Japan1"),
        ("北京的桥梁", "UniGB-UCS2-H", "GB1"),
        ("臺北的橋", "UniCNS-UCS2-H", "CNS1"),
        ("서울 다리", "UniKS-UCS2-H", "Korea1"),
    ],
)
def test_cjk_is_read_by_the_name_of_its_encoding_and_by_a_map(
    line: str, encoding: str, ordering: str
) -> None:
    assert text_of(layouts.predefined_cjk(line, encoding, ordering)) == line
    assert text_of(layouts.glyph_pdf([line])) == line


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("(cid:12)(cid:7)(cid:93)(cid:4) (cid:55)(cid:2)", True),
        ("\ue001\ue002\ue003 \ue004\ue005\ue006\ue007\ue008", True),
        ("\ufffd\ufffd\ufffda\ufffd\ufffdb\ufffd\ufffd", True),
        ("/g12/g3/g77/g4/g9", True),
        ("\uf0b7 A list has bullets of a private kind\n\uf0b7 and words between them", False),
        ("A path /usr/g12/file and words around it", False),
        ("\ufffd\ufffd", False),
        ("Ordinary words, größer und älter, 東京", False),
        ("", False),
    ],
)
def test_text_layer_of_signs_is_told_from_one_with_a_few_of_them(text: str, verdict: bool) -> None:
    assert is_garbage(text) is verdict


# Headings --------------------------------------------------------------------------------------------------


def trails(content: bytes) -> list[list[tuple[str, tuple[str, ...]]]]:
    """Per page: the line each section begins with, and its trail."""
    document = PdfFile(content)
    pages = [document.page(number) for number in range(1, document.page_count + 1)]
    return [
        [(page.text.encode()[start:].decode().split("\n")[0], trail) for start, trail in page.sections]
        for page in pages
    ]


def test_headings_are_found_by_their_type_and_carried_over_pages_and_running_heads_are_none() -> None:
    report = "Annual report"
    assert trails(layouts.headed_report()) == [
        [
            ("Parish of Marsh 1", ()),
            ("Annual report", (report,)),
            ("1 Water", (report, "1 Water")),
            ("1.1 The gauge", (report, "1 Water", "1.1 The gauge")),
        ],
        [
            ("Parish of Marsh 2", (report, "1 Water", "1.1 The gauge")),
            ("1.2 The weir", (report, "1 Water", "1.2 The weir")),
        ],
        [("Parish of Marsh 3", (report, "1 Water", "1.2 The weir")), ("2 Markets", (report, "2 Markets"))],
    ]


def test_bookmarks_begin_at_the_line_that_bears_their_title() -> None:
    lines = ["...end of it.", "2.1 Sowing", "In March.", "2.2 Harvest of the", "winter rye", "In August."]
    fields, sowing = ("Fields",), ("Fields", "Sowing")
    harvest, lost = ("Fields", "Harvest of the winter rye"), ("Fields", "Nowhere on the page")
    assert bookmarked_sections(lines, fields, [sowing, harvest]) == [
        Section(0, fields),
        Section(1, sowing),
        Section(3, harvest),
    ]
    assert bookmarked_sections(lines, fields, [sowing, lost]) == [Section(0, fields), Section(1, sowing)]
    assert bookmarked_sections(lines, fields, [lost]) == [Section(0, lost)]
    assert bookmarked_sections(lines, fields, []) == [Section(0, fields)]


# Labels, counts and damage ---------------------------------------------------------------------------------


def test_labels_are_those_printed_and_positions_where_none_are_given() -> None:
    prefixed = PdfFile(pdfs.labelled_with_prefix())
    assert [prefixed.page(number).label for number in (1, 2, 3)] == ["A-7", "A-8", "c"]
    plain = PdfFile(pdfs.text_pdf(["One.", "Two."]))
    assert [plain.page(number).label for number in (1, 2)] == ["1", "2"]


def test_g6_five_thousand_references_to_one_page_are_five_thousand_pages() -> None:
    document = PdfFile(pdf_pictures.many_pages(5_000))
    assert document.page_count == 5_000
    assert document.page(4_999).text == "One page of many."


def test_g5_what_pypdf_refuses_to_unpack_is_never_shown_to_pdfium(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    real = LineReader.lines

    def lines(self: LineReader, number: int) -> PageLines | None:
        shown.append(number)
        return real(self, number)

    monkeypatch.setattr(LineReader, "lines", lines)
    document = PdfFile(pdf_pictures.flate_bomb(200_000_000))
    pages = [document.page(number) for number in (1, 2, 3)]
    assert shown == [1, 3]
    assert [page.text for page in pages] == ["A page before.", "", "A page after."]
    assert "limit" in pages[1].problem.lower()


def test_page_taken_out_alone_is_that_page() -> None:
    content = pdfs.declaring(pdfs.text_pdf(["First page.", "Second page."]), 1)
    assert text_of(PdfFile(content).alone(2)) == "Second page."
