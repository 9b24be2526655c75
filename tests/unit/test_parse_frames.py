"""What a child says is checked before it is believed: it has touched hostile files."""

from __future__ import annotations

import pytest

from brain_dagster.parse.collect import PartCollector, text_document
from brain_dagster.parse.frames import MAX_FRAME_BYTES, PREFIX, BrokenFrame, Frame, decode, lengths

TEXT = "één\ntwee\n".encode()


def row(start: int, end: int, kind: str = "lines", **changes: object) -> list[object]:
    values = {"symbol": "", "enclosing": [], "headings": [], "tokens": 1, **changes}
    return [
        kind, values["symbol"], values["enclosing"], values["headings"], [],
        start, end, 1, 1, values["tokens"],
    ]  # fmt: skip


def page(number: int, text: str = "words", **changes: object) -> Frame:
    fields = {
        "part": "page", "number": number, "label": str(number), "headings": [], "chars": len(text),
        "picture": "", "problem": "",
        "chunks": [[0, len(text), 1, "", "", [], []]] if text else [], **changes,
    }  # fmt: skip
    return Frame("part", fields, text.encode())


def test_frame_survives_the_pipe() -> None:
    sent = Frame("page", {"number": 3, "label": "é"}, b"body")
    encoded = sent.encode()
    header, body = lengths(encoded[: PREFIX.size])
    rest = encoded[PREFIX.size :]
    assert decode(rest[:header], rest[header : header + body]) == sent


def test_frame_that_claims_to_be_huge_is_refused_before_anything_is_read() -> None:
    with pytest.raises(BrokenFrame, match="larger than any result"):
        lengths(PREFIX.pack(10, MAX_FRAME_BYTES))


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"{}", b'{"kind": 3}', b"[" * 100_000, b"\xff"])
def test_header_that_is_no_header_is_refused(header: bytes) -> None:
    with pytest.raises(BrokenFrame):
        decode(header, b"")


def test_text_document_cuts_the_parents_own_text() -> None:
    document = text_document(Frame("text", {"chunks": [row(0, 6), row(6, 11)]}), TEXT, 9)
    assert [chunk.text for chunk in document.chunks] == ["één\n", "twee\n"]
    assert document.char_count == 9


@pytest.mark.parametrize(
    "rows",
    [
        [row(0, 6)],
        [row(6, 11)],
        [row(0, 6), row(7, 11)],
        [row(0, 7), row(6, 11)],
        [row(0, 1), row(1, 11)],
        [row(0, 12)],
        [row(0, 6), row(6, 6), row(6, 11)],
        [row(-1, 11)],
        [row(0, 11, kind="secret")],
        [row(0, 11, symbol=None)],
        [row(0, 11, enclosing="x")],
        [row(0, 11, headings=[1])],
        [row(0, 11, tokens=True)],
        [["lines"]],
        "rows",
    ],
)
def test_spans_that_do_not_tile_the_text_are_refused(rows: object) -> None:
    with pytest.raises(BrokenFrame):
        text_document(Frame("text", {"chunks": rows}), TEXT, 9)


def test_pages_arrive_in_order_or_not_at_all() -> None:
    collector = PartCollector()
    collector.opened(Frame("opened", {"parts": 3}))
    collector.part(page(1))
    with pytest.raises(BrokenFrame, match="missing or comes twice"):
        collector.part(page(3))


def test_g3_document_names_the_pages_after_the_last_finished_one() -> None:
    collector = PartCollector()
    collector.opened(Frame("opened", {"parts": 20}))
    for number in range(1, 17):
        collector.part(page(number))
    document = collector.document("not finished within 60 s")
    assert document.pages_not_read == (17, 18, 19, 20)
    assert document.warnings == ("partial: pages 17-20 not read: not finished within 60 s",)
    assert [chunk.page for chunk in document.chunks] == list(range(1, 17))
    assert [chunk.ordinal for chunk in document.chunks] == list(range(16))


def test_g4_each_page_is_judged_by_itself() -> None:
    collector = PartCollector()
    collector.opened(Frame("opened", {"parts": 5}))
    collector.part(page(1))
    collector.part(page(2, "", picture="no text"))
    collector.part(page(3, ""))
    collector.part(page(4, "fax 12", picture="line of text"))
    collector.part(page(5, "", problem="bad font"))
    document = collector.document("")
    assert document.pages_without_text == (2, 4)
    assert document.pages_not_read == (5,)
    assert document.warnings == (
        "page 4 is an image with a line of text; what the image shows was not read",
        "page 5 could not be read: bad font",
    )


def test_spans_of_a_page_outside_its_text_are_refused() -> None:
    collector = PartCollector()
    with pytest.raises(BrokenFrame):
        collector.part(page(1, chunks=[[3, 99, 1, "", "", [], []]]))
