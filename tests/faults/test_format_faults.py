"""Office documents, notebooks and mail that are broken or made to do harm; what was not read is said."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_dagster.connectors import open_connector
from brain_dagster.errors import BrainError
from brain_dagster.ingest.funnel import read_items
from brain_dagster.model import ParsedDocument, ReadItem, State
from brain_dagster.parse.errors import BrokenDocument, NeedsPassword
from brain_dagster.parse.worker import ParseRequest, ParserPool
from brain_dagster.settings import Settings
from tests.corpora import office
from tests.corpora.repositories import settings_at, source_of

BUDGET = 200
DOCX, PPTX, XLSX = office.handbook(), office.talk(), office.workbook({"A": [["x", 1]], "B": [["needle", 2]]})


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(Settings(parse_timeout_s=30)) as parsers:
        yield parsers


def request(language: str, content: bytes, text: str | None = None) -> ParseRequest:
    return ParseRequest(f"file.{language}", language, text, content, BUDGET)


def refusal(pool: ParserPool, language: str, content: bytes) -> str:
    with pytest.raises(BrokenDocument) as refused:
        pool.parse(request(language, content))
    return refused.value.message


BOMBS = {
    "docx entities": ("docx", office.with_entities(DOCX, "word/document.xml"),
                      "word/document.xml declares entities, as no Office program does"),
    "pptx entities": ("pptx", office.with_entities(PPTX, "ppt/slides/slide1.xml"),
                      "ppt/slides/slide1.xml declares entities, as no Office program does"),
    "xlsx entities": ("xlsx", office.with_entities(XLSX, "xl/worksheets/sheet1.xml"),
                      "xl/worksheets/sheet1.xml declares entities, as no Office program does"),
    "text that explodes": ("docx", office.bomb(DOCX, "word/document.xml", 150_000_000),
                           "The package unpacks to over "),
    "picture that explodes": ("pptx", office.bomb(PPTX, "ppt/media/x.png", 150_000_000),
                              "The package unpacks to over "),
    "declared too small": ("docx", office.lying_size(DOCX, "word/document.xml", 10),
                           "The package is damaged: "),
    "too many members": ("docx", office.many_members(DOCX, 10_000),
                         "It is a package of more than 10,000 members"),
    "leaves its folder": ("docx", office.rezipped(DOCX, {"../../etc/passwd": b"x"}),
                          "The package names a member outside itself: '../../etc/passwd'"),
    "absolute": ("docx", office.rezipped(DOCX, {"/etc/passwd": b"x"}),
                 "The package names a member outside itself: '/etc/passwd'"),
    "two of a name": ("docx", office.rezipped(DOCX, {"WORD/document.xml": b"x"}),
                      "The package holds two members called 'WORD/document.xml'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_h2_packages_made_to_do_harm_are_refused_before_a_library_opens_them(
    pool: ParserPool, name: str
) -> None:
    language, content, reason = BOMBS[name]
    assert len(content) < 3_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert refusal(pool, language, content).startswith(reason)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "the parent unpacked it"


BROKEN = {
    "half": ("docx", DOCX[: len(DOCX) // 2]),
    "no main part": ("docx", office.rezipped(DOCX, {"word/document.xml": None})),
    "no XML": ("docx", office.rezipped(DOCX, {"word/document.xml": b"<w:document"})),
    "slide missing": ("pptx", office.rezipped(PPTX, {"ppt/slides/slide1.xml": None})),
    "another's content": ("pptx", DOCX),
    "no workbook": ("xlsx", office.rezipped(XLSX, {"xl/workbook.xml": None})),
    "empty": ("xlsx", b""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_g2_broken_office_documents_are_refused_with_a_reason(pool: ParserPool, name: str) -> None:
    assert len(refusal(pool, *BROKEN[name])) > 20


def test_g2_broken_sheet_leaves_the_others(pool: ParserPool) -> None:
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    broken = (
        b"<worksheet %s><dimension ref='A1'/><sheetData><row r='1'><c r='A1'><v>1</v></c></row><ro" % main
    )
    document = pool.parse(request("xlsx", office.rezipped(XLSX, {"xl/worksheets/sheet1.xml": broken})))
    assert [chunk.text for chunk in document.chunks] == ["needle | 2"]
    assert document.pages_not_read == (1,)
    assert document.warnings[0].startswith("sheet 1 could not be read: ParseError")


def test_g1_member_that_is_encrypted_needs_a_password(pool: ParserPool) -> None:
    raw = bytearray(DOCX)
    place = raw.find(b"PK\x01\x02")
    raw[place + 8] |= 1
    with pytest.raises(NeedsPassword):
        pool.parse(request("docx", bytes(raw)))


TEXT_FORMATS = {
    "notebook cut short": ("notebook", '{"cells": [{"source": "needle"}'),
    "notebook nested for ever": ("notebook", '{"needle":' * 50_000),
    "mail nested for ever": (
        "mail",
        "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(5_000)) + "needle",
    ),
    "mailbox of nothing": ("mbox", "From nobody at all\nneedle\n"),
    "conversation cut short": ("slack", '[{"type": "message", "ts": "1714558920.000100", "text": "needle"'),
}


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_e6_format_that_is_text_is_cut_by_lines_where_its_reader_gives_up(
    pool: ParserPool, name: str
) -> None:
    language, text = TEXT_FORMATS[name]
    document = pool.parse(request(language, text.encode(), text))
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert document.warnings[0].startswith("parsed partially: ")
    assert document.warnings[0].endswith("; cut by lines")


def pool_with(patch: str, timeout_s: float) -> ParserPool:
    program = f"import sys\nfrom brain_dagster.parse import child\n{patch}\nchild.main(sys.argv[1:])\n"
    return ParserPool(Settings(parse_timeout_s=timeout_s), command=[sys.executable, "-c", program])


def test_g3_sheet_that_never_ends_keeps_the_rows_before_it() -> None:
    rows = [["Key", "Value"], *([f"k{n}", n] for n in range(3_000))]
    content = office.workbook({"First": [["a", 1]], "Long": rows, "Last": [["z", 1]]})
    spin = (
        "from brain_dagster.parse.formats import sheets\n"
        "real = sheets._piece\n"
        "def piece(*rest, has_more):\n"
        "    while not has_more and len(rest[1][-1].rows) == 1_001:\n"
        "        pass\n"
        "    return real(*rest, has_more=has_more)\n"
        "sheets._piece = piece\n"
    )
    with pool_with(spin, timeout_s=6) as parsers:
        document = parsers.parse(request("xlsx", content))
    labels = [chunk.page_label or "" for chunk in document.chunks]
    assert labels[0] == "sheet First, row 1"
    assert labels[-1].startswith("sheet Long, rows ") and labels[-1].endswith("-2,000")
    assert document.pages_not_read == (3,)
    assert document.warnings == (
        "partial: sheet 2 is not read to its end: not finished within 6 s",
        "partial: sheets 3-3 not read: not finished within 6 s",
    )


def test_g3_notebook_that_hangs_keeps_the_cells_before() -> None:
    cells = [{"cell_type": "markdown", "source": f"# Part {n}\n\nwords"} for n in range(1, 4)]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    spin = (
        "from brain_dagster.parse.formats import notebook\n"
        "real = notebook._part\n"
        "def part(group, *rest):\n"
        "    while group[0].number == 3:\n"
        "        pass\n"
        "    return real(group, *rest)\n"
        "notebook._part = part\n"
    )
    with pool_with(spin, timeout_s=3) as parsers:
        document = parsers.parse(request("notebook", text.encode(), text))
    assert [chunk.page_label for chunk in document.chunks] == ["cell 1", "cell 2"]
    assert document.warnings == ("partial: cells 3-3 not read: not finished within 3 s",)


def read_folder(root: Path, parser: ParserPool) -> dict[str, ReadItem]:
    settings = settings_at(root.parent / "home")
    connector = open_connector(source_of("folder", root), settings)
    return {
        item.path.decode(): became
        for item, became in read_items(connector, connector.list().items, parser, settings)
    }


def test_every_format_ends_in_the_outcome_it_deserves(tmp_path: Path, pool: ParserPool) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    files = {
        "handbook.docx": DOCX,
        "half.docx": DOCX[: len(DOCX) // 2],
        "locked.xlsx": office.encrypted(),
        "old.doc": office.old_office(),
        "blank.docx": office.word(lambda document: None),
        "blank.pptx": office.slides(lambda talk: talk.slides.add_slide(talk.slide_layouts[6])),
        "talk.pptx": PPTX,
        "empty.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4}',
        "broken.ipynb": b'{"cells": [ "needle"',
    }
    for name, content in files.items():
        (root / name).write_bytes(content)
    read = read_folder(root, pool)
    ends = {name: (became.state, became.reason_code) for name, became in read.items()}
    assert ends == {
        "handbook.docx": (State.READY, None),
        "half.docx": (State.FAILED, "broken"),
        "locked.xlsx": (State.FAILED, "needs-password"),
        "old.doc": (State.SKIPPED, "binary"),
        "blank.docx": (State.SKIPPED, "empty"),
        "blank.pptx": (State.SKIPPED, "empty"),
        "talk.pptx": (State.READY, None),
        "empty.ipynb": (State.SKIPPED, "empty"),
        "broken.ipynb": (State.READY, None),
    }
    # The talk has a slide with nothing on it, which is no failure and nothing to warn of.
    assert read["talk.pptx"].warnings == ()


def test_parallel_reading_keeps_every_outcome_in_its_place() -> None:
    wanted: list[ParseRequest] = [request("docx", DOCX), request("docx", b"x"), request("pptx", PPTX)]
    with ParserPool(Settings(parse_timeout_s=30), workers=2) as parsers:
        became: list[ParsedDocument | BrainError] = list(parsers.parse_many(wanted))
    assert [isinstance(each, ParsedDocument) for each in became] == [True, False, True]
