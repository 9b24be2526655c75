"""The funnel: every item comes out once, in order, with the end that its content deserves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import cast

import pytest

from brain_dagster.connectors.base import TooLarge, VanishedItem
from brain_dagster.errors import BrainError, Defect, SourceUnavailable
from brain_dagster.ingest import funnel
from brain_dagster.ingest.funnel import read_items
from brain_dagster.ingest.outcomes import page_ranges
from brain_dagster.model import ChunkDraft, ItemKind, ListedItem, Listing, ParsedDocument, ReadItem, State
from brain_dagster.parse.errors import (
    BrokenDocument,
    NeedsPassword,
    ParserDied,
    ParserUnavailable,
    ParseTimedOut,
)
from brain_dagster.parse.worker import ParseRequest, ParserPool
from brain_dagster.settings import Settings

SETTINGS = Settings(max_file_bytes=50_000)


class Shelf:
    """A connector over a dictionary."""

    def __init__(self, contents: dict[bytes, bytes | BrainError], *, hashes: bool = False) -> None:
        self.contents = contents
        self.hashes = hashes
        self.asked: list[bytes] = []

    @property
    def items(self) -> list[ListedItem]:
        known = {path: len(raw) if isinstance(raw, bytes) else None for path, raw in self.contents.items()}
        return [
            ListedItem(path, ItemKind.FILE, f"t-{path!r}", f"git:{path!r}" if self.hashes else None, size)
            for path, size in known.items()
        ]

    def peek(self) -> str | None:
        return None

    def list(self) -> Listing:
        return Listing("r", "t", True, tuple(self.items))

    def read(self, item: ListedItem, limit: int) -> bytes:
        raise AssertionError("the funnel reads in streams")

    def read_many(
        self, items: Sequence[ListedItem], limit: int
    ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
        for item in items:
            self.asked.append(item.path)
            yield item, self.contents[item.path]

    def close(self) -> None:
        pass


class Parser:
    """Stands in for the pool: makes one chunk of a text, or answers what it is told to."""

    def __init__(
        self, answer: Callable[[ParseRequest], ParsedDocument | BrainError] | None = None, ahead: int = 1
    ) -> None:
        self.answer = answer or (lambda request: document(request.text or ""))
        self.ahead = ahead
        self.requests: list[ParseRequest] = []

    def parse_many(self, requests: Iterable[ParseRequest]) -> Iterator[ParsedDocument | BrainError]:
        waiting: list[ParseRequest] = []
        for request in requests:
            self.requests.append(request)
            waiting.append(request)
            if len(waiting) >= self.ahead:
                yield self.answer(waiting.pop(0))
        for request in waiting:
            yield self.answer(request)


def document(text: str, **facts: object) -> ParsedDocument:
    chunk = ChunkDraft(0, "lines", "", (), (), text, 0, len(text), 1, 1, None, None, 1)
    return ParsedDocument((chunk,) if text else (), "", len(text), **facts)  # type: ignore[arg-type]


def run(shelf: Shelf, parser: Parser | None = None) -> list[tuple[ListedItem, ReadItem]]:
    return list(read_items(shelf, shelf.items, cast(ParserPool, parser or Parser()), SETTINGS))


def one(content: bytes | BrainError, path: bytes = b"a.txt", parser: Parser | None = None) -> ReadItem:
    return run(Shelf({path: content}), parser)[0][1]


@pytest.mark.parametrize("ahead", [1, 3, 100])
def test_every_item_comes_out_once_and_in_order(monkeypatch: pytest.MonkeyPatch, ahead: int) -> None:
    monkeypatch.setattr(funnel, "_BATCH_ITEMS", 7)
    contents: dict[bytes, bytes | BrainError] = {}
    for number in range(40):
        kinds: list[bytes | BrainError] = [b"text", b"", b"\x7fELF\0", VanishedItem(), b"more text"]
        contents[b"%02d.txt" % number] = kinds[number % 5]
    shelf = Shelf(contents)
    read = run(shelf, Parser(ahead=ahead))
    assert [item for item, _ in read] == shelf.items
    states = [State.READY, State.SKIPPED, State.SKIPPED, State.FAILED, State.READY]
    assert [became.state for _, became in read] == states * 8


def test_a_ready_item_says_everything_about_its_file() -> None:
    parser = Parser()
    raw = "größe = 1\n".encode("latin-1")
    became = one(raw, b"src/a.py", parser)
    assert became == ReadItem(
        state=State.READY,
        content_hash=f"sha256:{sha256(raw).hexdigest()}",
        media_type="text/x-python",
        language="python",
        encoding="cp1252",
        size_bytes=10,
        document=document("größe = 1\n"),
    )
    request = ParseRequest("src/a.py", "python", "größe = 1\n", None, SETTINGS.chunk_tokens)
    assert parser.requests == [request]


def test_e4_the_identity_is_gits_where_git_has_one() -> None:
    assert run(Shelf({b"a.txt": b"x"}, hashes=True))[0][1].content_hash == "git:b'a.txt'"


def test_what_the_listing_condemns_is_not_read() -> None:
    shelf = Shelf({b"a.min.js": b"x" * 5_000, b"big.txt": b"x" * 60_000, b"none": b"", b"ok.txt": b"ok"})
    read = run(shelf)
    assert [became.reason_code for _, became in read] == ["generated", "too-large", "empty", None]
    assert shelf.asked == [b"ok.txt"]


def test_a_skipped_item_that_was_not_read_is_identified_by_its_token() -> None:
    assert run(Shelf({b"none": b""}))[0][1].content_hash == "t-b'none'"
    assert run(Shelf({b"none": b""}, hashes=True))[0][1].content_hash == "git:b'none'"


def test_a_file_that_turns_out_too_large_while_reading_is_skipped_by_the_same_rule() -> None:
    became = one(TooLarge())
    assert (became.state, became.reason_code) == (State.SKIPPED, "too-large")


def test_a_transient_failure_has_a_time_for_the_next_attempt_and_a_refusal_has_none() -> None:
    before = datetime.now(UTC)
    later = one(VanishedItem(retry_after_s=60))
    assert (later.state, later.reason_code) == (State.FAILED, "vanished-item")
    assert later.retry_at is not None
    assert 59 < (later.retry_at - before).total_seconds() < 70
    refused = one(b"text", parser=Parser(lambda _: BrokenDocument()))
    assert (refused.state, refused.retry_at) == (State.FAILED, None)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NeedsPassword(), "needs-password"),
        (BrokenDocument("no pages"), "broken"),
        (ParseTimedOut(), "timeout"),
        (ParserDied(), "parser-died"),
        (Defect("x"), "unexpected"),
    ],
)
def test_what_the_parser_refuses_fails_with_its_reason_and_is_not_retried(
    error: BrainError, code: str
) -> None:
    became = one(b"%PDF-1.7 ...", b"a.pdf", Parser(lambda _: error))
    assert (became.state, became.reason_code, became.reason) == (State.FAILED, code, error.message)
    assert (became.retry_at, became.document) == (None, None)
    assert (became.media_type, became.language) == ("application/pdf", "pdf")


def test_without_any_parser_the_run_stops_instead_of_failing_every_document() -> None:
    with pytest.raises(ParserUnavailable):
        one(b"text", parser=Parser(lambda _: ParserUnavailable()))


# Pages -----------------------------------------------------------------------------------------------------


def paged(text: str, **facts: object) -> ReadItem:
    return one(b"%PDF-1.7", b"a.pdf", Parser(lambda _: document(text, page_count=20, **facts)))


def test_g4_document_of_which_only_pictures_are_there_fails_and_its_pages_are_named() -> None:
    became = paged("", pages_without_text=(3, 5, 6, 7))
    assert (became.state, became.reason_code) == (State.FAILED, "needs-ocr")
    assert became.reason == "pages 3, 5-7 have no usable text layer; they need OCR"
    assert became.document is None
    assert paged("", pages_without_text=(1,)).reason == "page 1 has no usable text layer; it needs OCR"


def test_g4_pages_that_nothing_read_are_named_beside_those_that_are_searchable() -> None:
    became = paged("some text", pages_without_text=(3, 5, 6, 7))
    assert (became.state, became.reason_code) == (State.READY, "needs-ocr")
    assert became.reason == "pages 3, 5-7 have no usable text layer; they need OCR"
    assert became.retry_at is None


def test_outcome_says_how_pages_were_read_from_their_picture() -> None:
    how = "pages 2-3 read from their picture by rapidocr (PP-OCRv6), confidence 0.97"
    became = paged("some text", read_from_pictures=how)
    assert (became.state, became.reason_code, became.reason) == (State.READY, None, how)
    partly = paged("some text", read_from_pictures=how, pages_without_text=(4,))
    assert partly.reason == f"page 4 has no usable text layer; it needs OCR; {how}"


def test_g4_pages_whose_reader_was_busy_are_tried_again_and_the_others_are_searchable() -> None:
    before = datetime.now(UTC)
    became = paged("some text", pages_without_text=(2,), retry_after_s=60.0)
    assert became.state is State.READY
    assert became.retry_at is not None
    assert 59 < (became.retry_at - before).total_seconds() < 70
    assert paged("", pages_without_text=(1,), retry_after_s=60.0).retry_at is not None


def test_g3_pages_that_were_not_read_are_a_warning_if_others_were() -> None:
    became = paged("some text", pages_not_read=(17, 18, 19, 20))
    assert became.state is State.READY
    assert became.warnings == ("partial: pages 17-20 not read",)


def test_g3_a_document_of_which_no_page_was_read_failed() -> None:
    became = paged("", pages_not_read=tuple(range(1, 21)))
    assert (became.state, became.reason_code) == (State.FAILED, "timeout")


def test_a_document_without_any_text_is_never_ready() -> None:
    became = paged("")
    assert (became.state, became.reason_code) == (State.SKIPPED, "empty")


@pytest.mark.parametrize(
    ("pages", "words"),
    [((3,), "3"), ((1, 2, 3), "1-3"), ((7, 5, 6, 3), "3, 5-7"), ((1, 1, 2), "1-2"), ((), "")],
)
def test_page_numbers_are_written_as_people_write_them(pages: tuple[int, ...], words: str) -> None:
    assert page_ranges(pages) == words


def test_a_hopeless_number_of_ranges_is_cut_short() -> None:
    assert page_ranges(range(1, 101, 2)).endswith("37, 39 and 30 more ranges")


def test_content_decides_what_a_pdf_is_and_a_pdfs_name_never_makes_a_web_page_text() -> None:
    parser = Parser(lambda request: document(request.language))
    assert one(b"%PDF-1.4\n...", b"report.txt", parser).language == "pdf"
    assert one(b"<html>not found</html>", b"report.PDF", parser).language == "pdf"
    assert one(b"The mark %PDF- begins a PDF.", b"notes.md", parser).language == "markdown"
    assert [request.content is not None for request in parser.requests] == [True, True, False]


def test_the_parsers_warnings_and_the_decoders_are_kept() -> None:
    damaged = "Größe über müßig ".encode() * 5 + b"\xff"
    became = one(damaged, parser=Parser(lambda _: document("x", warnings=("parsed partially",))))
    assert became.warnings == ("1 places are not valid utf-8 and were replaced", "parsed partially")


# The boundary ----------------------------------------------------------------------------------------------


def test_i12_an_unexpected_error_fails_one_document_and_quotes_none_of_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = funnel.open_content

    def open_content(path: bytes, raw: bytes) -> object:
        if path == b"bad":
            raise ValueError(f"cannot digest {raw!r}")
        return real(path, raw)

    monkeypatch.setattr(funnel, "open_content", open_content)
    with caplog.at_level(logging.DEBUG):
        read = run(Shelf({b"bad": b"a secret", b"good": b"text"}))
    bad, good = (became for _, became in read)
    assert (bad.state, bad.reason_code, bad.retry_at) == (State.FAILED, "unexpected", None)
    assert good.state is State.READY
    assert "secret" not in (bad.reason or "")
    assert "secret" not in caplog.text
    assert "ValueError" in caplog.text
    assert Path(__file__).name in caplog.text


def test_a_source_that_fails_as_a_whole_stops_the_run() -> None:
    class Broken(Shelf):
        def read_many(
            self, items: Sequence[ListedItem], limit: int
        ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
            yield items[0], b"text"
            raise SourceUnavailable()

    shelf = Broken({b"a": b"1", b"b": b"2"})
    with pytest.raises(SourceUnavailable):
        run(shelf)


def test_a_connector_that_confuses_its_items_is_found_out() -> None:
    class Confused(Shelf):
        def read_many(
            self, items: Sequence[ListedItem], limit: int
        ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
            return iter([(item, b"text") for item in reversed(items)])

    with pytest.raises(Defect, match="another order"):
        run(Confused({b"a": b"1", b"b": b"2"}))


def test_contents_are_not_held_beyond_the_parsers_own_look_ahead() -> None:
    """A million items must cost what a handful in flight costs."""
    shelf = Shelf({b"%04d" % number: b"text" for number in range(2_000)})
    parser = Parser(ahead=4)
    read = read_items(shelf, shelf.items, cast(ParserPool, parser), SETTINGS)
    for taken, _ in enumerate(read, 1):
        assert len(shelf.asked) <= taken + 4
