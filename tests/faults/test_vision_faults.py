"""Pages that are pictures are read, or named; nothing in them stops the document, the worker or the run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from brain_dagster.model import ParsedDocument
from brain_dagster.parse.worker import ParseRequest, ParserPool
from brain_dagster.settings import Settings
from brain_dagster.vision.base import PageImage, PageText, ReaderBusy
from brain_dagster.vision.step import VisionStep
from tests.corpora import pdf_layouts, pdf_pictures, pdfs

BUDGET = 200
# A reader that says how many dark pixels a page has: more than white paper, and more of them for more words.
DOUBLE = """
import os, signal, sys, time
from brain_dagster.vision import child
from brain_dagster.vision.base import PageNotRead, PageText
class Reader:
    identity = "double/1"
    pages = 0
    def read(self, image):
        Reader.pages += 1
        dark = sum(image.pixels.count(bytes([shade])) for shade in range(100))
        {action}
        return PageText(f"A page with {{dark}} dark spots.", 0.875)
child.open_reader = lambda *_: Reader()
child.main(sys.argv[1:])
"""


def settings(**changes: object) -> Settings:
    return Settings(**{"vision": "rapidocr", "vision_timeout_s": 20, **changes})  # type: ignore[arg-type]


def step(action: str = "pass", **changes: object) -> VisionStep:
    """A step whose child runs `action` for every page before it answers."""
    return VisionStep(
        settings(**changes), "double/1", command=[sys.executable, "-c", DOUBLE.format(action=action)]
    )


Parsed = Callable[[bytes, VisionStep | None], ParsedDocument]


@pytest.fixture(scope="module")
def parsed() -> Iterator[Parsed]:
    """Parses in one process for the whole module; what looks at pictures is each test's own."""
    with ParserPool(settings(vision="none")) as pool:

        def parse(content: bytes, vision: VisionStep | None) -> ParsedDocument:
            pool._vision = vision
            try:
                return pool.parse(ParseRequest("file.pdf", "pdf", None, content, BUDGET))
            finally:
                if vision is not None:
                    vision.close()
                pool._vision = None

        yield parse


def pages(document: ParsedDocument) -> list[tuple[int | None, str]]:
    return [(chunk.page, chunk.kind) for chunk in document.chunks]


def scans(count: int) -> bytes:
    return pdf_pictures.scanned([f"Scanned page {number}" for number in range(1, count + 1)])


# G4: which pages are looked at ---------------------------------------------------------------------------


def test_g4_only_pages_without_usable_text_are_read_from_their_picture(parsed: Parsed) -> None:
    document = parsed(pdfs.page_mix(["text", "scan", "blank", "text", "drawing", "scan"]), step())
    assert pages(document) == [(1, "page"), (2, "scan"), (4, "page"), (5, "scan"), (6, "scan")]
    assert [chunk.ordinal for chunk in document.chunks] == [0, 1, 2, 3, 4]
    assert (document.pages_without_text, document.pages_not_read) == ((), ())
    how = "pages 2, 5-6 read from their picture by double (1), confidence 0.88"
    assert document.warnings == (how,)
    assert document.read_from_pictures == how


def test_g4_stamped_scan_keeps_stamp_and_scan_and_says_each_line_once(parsed: Parsed) -> None:
    content = pdf_pictures.stamped_scan(
        "The lease ends in May.\nThe rent is due on Mondays.", "received 4 May 1912"
    )

    class Reader:
        identity = "double/1"

        def read(self, image: PageImage) -> PageText:
            return PageText("recelved 4 Mav 1912\nThe lease ends in May.\nThe rent is due on Mondays.", 0.9)

    (chunk,) = parsed(content, VisionStep(settings(), "double/1", Reader())).chunks
    assert chunk.text == "received 4 May 1912\nThe lease ends in May.\nThe rent is due on Mondays."
    assert chunk.kind == "scan"


def test_g4_text_layer_of_signs_without_meaning_is_left_out_and_the_page_is_looked_at(parsed: Parsed) -> None:
    garbage = pdf_layouts.glyph_pdf(["Words that nobody can read any more"], has_unicode=False)
    document = parsed(garbage, step())
    assert pages(document) == [(1, "scan")]
    unread = parsed(garbage, None)
    assert unread.chunks == ()
    assert unread.pages_without_text == (1,)
    assert unread.warnings == ("page 1 has a text layer of signs without meaning, which was left out",)


def test_g4_picture_without_a_word_is_said_to_have_none(parsed: Parsed) -> None:
    class Blind:
        identity = "double/1"

        def read(self, image: PageImage) -> PageText:
            return PageText("")

    document = parsed(
        pdfs.page_mix(["text", "drawing", "stamped"]), VisionStep(settings(), "double/1", Blind())
    )
    assert pages(document) == [(1, "page"), (3, "page")]
    assert document.pages_without_text == ()
    assert document.warnings == ("double (1) found no text in the picture of pages 2-3",)


def test_low_confidence_is_said_page_by_page(parsed: Parsed) -> None:
    class Unsure:
        identity = "double/1"

        def read(self, image: PageImage) -> PageText:
            return PageText("Perhaps words.", 0.41)

    document = parsed(scans(2), VisionStep(settings(), "double/1", Unsure()))
    assert document.warnings == (
        "pages 1-2 read from their picture by double (1), confidence 0.41",
        "page 1: confidence 0.41 is low, its text may be wrong",
        "page 2: confidence 0.41 is low, its text may be wrong",
    )


def test_g4_pages_beyond_the_cap_are_named(parsed: Parsed) -> None:
    document = parsed(scans(4), step(vision_pages=2))
    assert pages(document) == [(1, "scan"), (2, "scan")]
    assert document.pages_without_text == (3, 4)
    assert (
        document.warnings[-1] == "pages 3-4 not read from the picture: only 2 pages of a document are read so"
    )


def test_text_alone_starts_no_second_process() -> None:
    vision = step()
    with ParserPool(settings(vision="none"), vision=vision) as pool:
        pool.parse(ParseRequest("file.pdf", "pdf", None, pdfs.text_pdf(["Typed words. " * 20]), BUDGET))
        assert vision._child._process is None


# G3: pages that do not come back -------------------------------------------------------------------------

LOST = {
    "hangs": ("time.sleep(60)", "not finished within 2 s"),
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "its reader ended with signal 11"),
    "exits": ("os._exit(3)", "its reader ended with exit code 3"),
    "runs out of memory": ("bytearray(2**44)", "it needs more memory than the vision step may use"),
    "raises": ("1 // 0", "ZeroDivisionError"),
    "gives up": ("(_ for _ in ()).throw(PageNotRead('a reason'))", "a reason"),
}


@pytest.mark.parametrize("name", LOST)
def test_g3_page_whose_reader_fails_is_named_and_the_others_survive(parsed: Parsed, name: str) -> None:
    action, reason = LOST[name]
    # Page 2 has the most dark spots, whichever process reads it.
    content = pdf_pictures.scanned(["One.", "Two, and very many more words than on the others.", "Three."])
    document = parsed(content, step(f"dark > 2_000 and {action}", vision_timeout_s=2))
    assert pages(document) == [(1, "scan"), (3, "scan")]
    assert document.pages_without_text == (2,)
    assert document.warnings == (
        "pages 1, 3 read from their picture by double (1), confidence 0.88",
        f"page 2 not read from the picture: {reason}",
    )


def test_g3_document_that_costs_one_process_after_the_other_is_given_up(parsed: Parsed) -> None:
    begun = time.monotonic()
    document = parsed(scans(8), step("os._exit(1)"))
    assert document.chunks == ()
    assert document.pages_without_text == tuple(range(1, 9))
    assert document.warnings == (
        "pages 6-8 not read from the picture: given up after 5 pages that could not be read",
        "pages 1-5 not read from the picture: its reader ended with exit code 1",
    )
    assert time.monotonic() - begun < 60


def test_reader_that_dies_of_old_age_is_replaced_and_the_page_read_again(parsed: Parsed) -> None:
    document = parsed(scans(3), step("Reader.pages == 2 and os._exit(1)"))
    assert pages(document) == [(1, "scan"), (2, "scan"), (3, "scan")]
    assert document.warnings == ("pages 1-3 read from their picture by double (1), confidence 0.88",)


def test_reader_that_does_not_start_leaves_text_searchable_and_is_tried_later(parsed: Parsed) -> None:
    vision = VisionStep(settings(), "double/1", command=[sys.executable, "-c", "import sys; sys.exit(4)"])
    document = parsed(pdfs.page_mix(["text", "scan"]), vision)
    assert pages(document) == [(1, "page")]
    assert document.pages_without_text == (2,)
    assert document.warnings == (
        "page 2 not read from the picture: the process that reads pages does not start; "
        "see BRAIN_VISION and BRAIN_VISION_MEMORY_BYTES",
    )
    assert document.retry_after_s == 60


def test_busy_endpoint_is_asked_again_later_and_not_for_every_page(parsed: Parsed) -> None:
    class Busy:
        identity = "double/1"
        asked = 0

        def read(self, image: PageImage) -> PageText:
            Busy.asked += 1
            raise ReaderBusy("error status 503", retry_after_s=900)

    document = parsed(scans(9), VisionStep(settings(), "double/1", Busy()))
    assert Busy.asked == 5
    assert document.retry_after_s == 900
    assert document.pages_without_text == tuple(range(1, 10))


def test_i12_reader_knows_no_secret_of_its_parent(parsed: Parsed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_VISION_API_KEY", "sk-secret")
    monkeypatch.setenv("BRAIN_DATABASE_URL", "postgresql://user:secret@host/db")
    document = parsed(scans(1), step("return PageText(str(dict(os.environ)), 1.0)"))
    assert "PATH" in document.chunks[0].text
    assert "secret" not in "".join(chunk.text for chunk in document.chunks)


def test_closed_pool_leaves_no_reader() -> None:
    vision = step()
    with ParserPool(settings(vision="none"), vision=vision) as pool:
        pool.parse(ParseRequest("file.pdf", "pdf", None, scans(1), BUDGET))
        process = vision._child._process
        assert process is not None
        reader = psutil.Process(process.pid)
    assert not reader.is_running()


# G5: bombs -----------------------------------------------------------------------------------------------


def peak_growth(parsed: Parsed, content: bytes, vision: VisionStep) -> tuple[ParsedDocument, int]:
    """Parse, and return how much this process grew meanwhile."""
    me = psutil.Process(os.getpid())
    before = me.memory_info().rss
    document = parsed(content, vision)
    return document, me.memory_info().rss - before


@pytest.mark.parametrize("bomb", ["flate", "nested"])
def test_g5_page_that_unpacks_to_300_mb_is_named_and_its_neighbours_are_read(
    parsed: Parsed, bomb: str
) -> None:
    content = {"flate": pdf_pictures.flate_bomb, "nested": pdf_pictures.nested_bomb}[bomb]()
    assert len(content) < 400_000
    document, growth = peak_growth(parsed, content, step("raise PageNotRead('a bomb')"))
    assert [(chunk.page, chunk.text) for chunk in document.chunks] == [
        (1, "A page before."),
        (3, "A page after."),
    ]
    assert document.pages_not_read == (2,)
    assert any("page 2 could not be read: " in warning for warning in document.warnings)
    assert growth < 60_000_000


def test_g5_picture_that_does_not_fit_is_named_and_not_taken_for_white_paper(parsed: Parsed) -> None:
    content = pdf_pictures.picture_bomb()
    assert len(content) < 2_000_000
    document, growth = peak_growth(parsed, content, step(vision_memory_bytes=450_000_000))
    assert document.pages_without_text == (1,)
    assert document.warnings == ("page 1 not read from the picture: its picture cannot be unpacked",)
    assert growth < 60_000_000
    assert pages(parsed(content, step(vision_memory_bytes=1_500_000_000))) == [(1, "scan")]


# G6: pages that are counted differently ------------------------------------------------------------------


@pytest.mark.parametrize("declared", [0, 1, 1_000])
def test_g6_each_page_shows_its_own_picture_whatever_the_file_declares(parsed: Parsed, declared: int) -> None:
    content = pdf_pictures.scanned(["One.", "Two, and very many more words than on the first of them."])
    document = parsed(pdfs.declaring(content, declared), step())
    few, many = (int(chunk.text.split()[3]) for chunk in document.chunks)
    assert 0 < few < many / 3
    assert [chunk.page for chunk in document.chunks] == [1, 2]


# What the reader of this machine makes of real pictures --------------------------------------------------

LETTER = (
    "Dear Mr. Whitlock,",
    "the pump at Elmbridge was repaired on 14 March.",
    "Please send 375 bricks and the invoice No. 4471-B.",
)


@pytest.fixture(scope="module")
def real() -> Iterator[ParserPool]:
    with ParserPool(settings(vision_timeout_s=120)) as pool:
        yield pool


def read(pool: ParserPool, content: bytes) -> tuple[str, ParsedDocument]:
    document = pool.parse(ParseRequest("file.pdf", "pdf", None, content, BUDGET))
    return "".join(chunk.text for chunk in document.chunks), document


def test_scan_is_read_word_for_word(real: ParserPool) -> None:
    text, document = read(real, pdf_pictures.scanned(["\n".join(LETTER)]))
    assert text.splitlines() == list(LETTER)
    assert pages(document) == [(1, "scan")]
    (how,) = document.warnings
    assert how.startswith("page 1 read from its picture by rapidocr (PP-OCRv6), confidence ")


@pytest.mark.slow
@pytest.mark.parametrize(("turned", "askew"), [(90, 0.0), (180, 0.0), (0, 2.0)])
def test_page_that_lay_turned_or_askew_on_the_glass_is_read(
    real: ParserPool, turned: int, askew: float
) -> None:
    text, _ = read(real, pdf_pictures.scanned(["\n".join(LETTER)], turned=turned, degrees=askew))
    assert text.splitlines() == list(LETTER)


def test_typed_and_scanned_pages_of_one_file_stand_in_their_order(real: ParserPool) -> None:
    text, _ = read(
        real, pdf_pictures.text_and_scans(["scan The mill at Harrow burned down.", "Typed words."])
    )
    assert text == "The mill at Harrow burned down." + "Typed words."
