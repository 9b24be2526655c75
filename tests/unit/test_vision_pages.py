"""How what was seen on a page joins what its text layer says, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from brain_dagster.chunk.pages import PageChunk
from brain_dagster.parse.collect import PartCollector
from brain_dagster.parse.frames import Frame
from brain_dagster.parse.pictures import read_pictures, with_layer
from brain_dagster.settings import Settings
from brain_dagster.vision import tesseract
from brain_dagster.vision.base import PageImage, PageSeen, ReaderBusy, ReaderUnavailable
from brain_dagster.vision.configured import open_vision, vision_identity
from brain_dagster.vision.tesseract import TesseractReader


def page(number: int, text: str = "", **changes: object) -> Frame:
    fields = {
        "part": "page", "number": number, "label": f"A-{number}", "headings": [], "chars": len(text),
        "picture": "", "problem": "",
        "chunks": [[0, len(text), 1, "", "", [], []]] if text else [], **changes,
    }  # fmt: skip
    return Frame("part", fields, text.encode())


def collected(*parts: Frame) -> PartCollector:
    collector = PartCollector()
    collector.opened(Frame("opened", {"parts": len(parts)}))
    for part in parts:
        collector.part(part)
    return collector


class Eyes:
    """Sees what it is told to."""

    identity = "eyes/7"

    def __init__(self, *seen: PageSeen) -> None:
        self.seen = {page.number: page for page in seen}
        self.asked: list[int] = []

    def read(self, content: bytes, page_count: int, numbers: Sequence[int]) -> list[PageSeen]:
        self.asked += numbers
        return [self.seen[number] for number in numbers]


def whole(text: str) -> list[PageChunk]:
    return [PageChunk(0, len(text.encode()), 1)]


@pytest.mark.parametrize(
    ("layer", "seen", "together"),
    [
        ("received 4 May", "The lease\nends in May.", "received 4 May\nThe lease\nends in May."),
        ("received 4 May", "recelved 4 Mav\nThe lease", "received 4 May\nThe lease"),
        ("Page 3\nSecret", "SECRET\nThe lease\npage 3 of 9", "SECRET\nThe lease\npage 3 of 9"),
        ("May", "The lease ends in May.", "The lease ends in May."),
        ("•", "The lease", "•\nThe lease"),
        ("", "The lease", "The lease"),
    ],
)
def test_few_lines_of_a_layer_and_the_picture_are_joined_without_doubling(
    layer: str, seen: str, together: str
) -> None:
    assert with_layer(layer, seen) == together


def test_page_read_from_its_picture_keeps_its_place_and_label() -> None:
    collector = collected(page(1, "typed"), page(2, picture="no text"), page(3, "typed too"))
    eyes = Eyes(PageSeen(2, "seen", 0.966))
    read_pictures(collector, eyes, b"%PDF", whole)
    document = collector.document("")
    assert eyes.asked == [2]
    assert [(c.ordinal, c.page, c.page_label, c.kind, c.text) for c in document.chunks] == [
        (0, 1, "A-1", "page", "typed"),
        (1, 2, "A-2", "scan", "seen"),
        (2, 3, "A-3", "page", "typed too"),
    ]
    assert document.warnings == ("page 2 read from its picture by eyes (7), confidence 0.97",)
    assert document.char_count == len("typed" + "seen" + "typed too")


def test_each_fate_of_a_page_is_told() -> None:
    wanted = [page(number, picture="no text") for number in range(1, 6)]
    collector = collected(*wanted, page(6, problem="bad font"), page(7, problem="worse font"))
    busy = ReaderBusy("busy", retry_after_s=40)
    eyes = Eyes(
        PageSeen(1, "sure", 0.98),
        PageSeen(2, "less so", 0.95),
        PageSeen(3, "hardly", 0.3),
        PageSeen(4),
        PageSeen(5, problem="busy", error=busy),
        PageSeen(6, "drawn well", 0.97),
        PageSeen(7, problem="it cannot be drawn"),
    )
    read_pictures(collector, eyes, b"%PDF", whole)
    document = collector.document("")
    assert document.warnings == (
        "pages 1-3, 6 read from their picture by eyes (7), confidence 0.30 to 0.98",
        "page 3: confidence 0.30 is low, its text may be wrong",
        "eyes (7) found no text in the picture of page 4",
        "page 5 not read from the picture: busy",
        "page 7 not read from the picture: it cannot be drawn",
        "page 7 could not be read: worse font",
    )
    assert (document.pages_without_text, document.pages_not_read) == ((5,), (7,))
    assert document.retry_after_s == 40


def test_model_that_says_nothing_of_its_confidence_is_quoted_so() -> None:
    collector = collected(page(1, picture="no text"))
    read_pictures(collector, Eyes(PageSeen(1, "seen")), b"%PDF", whole)
    (how,) = collector.document("").warnings
    assert how == "page 1 read from its picture by eyes (7), which states no confidence"


def test_nobody_is_asked_about_pages_that_speak_for_themselves() -> None:
    eyes = Eyes()
    read_pictures(collected(page(1, "typed"), page(2)), eyes, b"%PDF", whole)
    assert eyes.asked == []


# Tesseract -------------------------------------------------------------------------------------------------

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
# A table that lies one degree askew, as tesseract finds it: block by block, a column each.
WORDS = [
    (1, 1, 100, 100, 96, "The"), (1, 1, 170, 101, 90, "lease"), (1, 2, 100, 140, 60, "ends."),
    (2, 1, 900, 114, 95, "Yes"), (2, 2, 900, 154, 80, "42"), (2, 2, 980, 155, -1, " "),
]  # fmt: skip


def table() -> str:
    rows = ["1\t1\t0\t0\t0\t0\t0\t0\t99\t99\t-1\t"]
    rows += [
        f"5\t1\t{block}\t1\t{line}\t1\t{left}\t{top}\t60\t20\t{confidence}\t{word}"
        for block, line, left, top, confidence, word in WORDS
    ]
    return "\n".join([HEAD, *rows])


def test_words_of_tesseract_become_rows_with_a_mean_confidence() -> None:
    read = tesseract._page_text(list(tesseract._words(table())))
    assert read.text == "The lease   Yes\nends.   42"
    # By hand: (3 * 96 + 5 * 90 + 5 * 60 + 3 * 95 + 2 * 80) / 18 characters.
    assert read.confidence == pytest.approx(14.83 / 18, abs=1e-6)
    assert tesseract._page_text([]).text == ""


def test_tesseract_that_is_not_installed_is_named_and_has_a_recipe_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tesseract, "installed_tesseract", lambda: ("", ()))
    monkeypatch.setattr("brain_dagster.vision.configured.installed_tesseract", lambda: ("", ()))
    settings = Settings(vision="tesseract")
    assert vision_identity(settings) == "tesseract/absent"
    with pytest.raises(ReaderUnavailable, match="not installed"):
        TesseractReader("", 1)
    step = open_vision(settings)
    assert step is not None
    (seen,) = step.read(b"%PDF", 1, [1])
    assert seen.problem == "BRAIN_VISION=tesseract, but the command tesseract is not installed"
    monkeypatch.setattr(tesseract, "installed_tesseract", lambda: ("5.3.0", ("deu", "eng")))
    assert vision_identity(settings) == "tesseract/5.3.0:deu+eng"
    assert vision_identity(Settings(vision="tesseract", vision_languages="eng")) == "tesseract/5.3.0:eng"


@pytest.mark.skipif(not tesseract.installed_tesseract()[0], reason="tesseract is not installed")
def test_tesseract_reads_a_page() -> None:
    from tests.corpora.pdf_pictures import page_picture

    picture = page_picture("The mill at Harrow burned down.")
    read = TesseractReader("eng", 30).read(PageImage(picture.width, picture.height, picture.tobytes()))
    assert read.text == "The mill at Harrow burned down."
    assert read.confidence is not None and read.confidence > 0.8
