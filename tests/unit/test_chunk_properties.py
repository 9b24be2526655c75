"""Whatever the text, the chunks tile it: nothing is lost, nothing is said twice (faults E4, E7, E8)."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.blocks import READERS
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.records import RECORDED
from brain_dagster.chunk.structured.components import COMPONENTS
from brain_dagster.chunk.structured.structure import STRUCTURED
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.chunk.turns import SPOKEN
from brain_dagster.model import ParsedDocument

CORPORA = Path(__file__).resolve().parent.parent / "corpora"
TEXTS = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in ("code", "prose", "structure")
    for path in sorted((CORPORA / folder).iterdir())
    if path.is_file()
}
EVERY_LANGUAGE = sorted({*LANGUAGES, *STRUCTURED, *COMPONENTS, "html", *READERS, *RECORDED, *SPOKEN, ""})


def assert_tiles(document: ParsedDocument, text: str, budget: int) -> None:
    """Spans are contiguous, hold their text, stay in the budget, and lines count every kind of line end."""
    content = text.encode()
    if not text.strip():
        assert document.chunks == ()
        return
    chunks = document.chunks
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert chunks[0].start_byte == 0
    assert chunks[-1].end_byte == len(content)
    assert all(left.end_byte == right.start_byte for left, right in pairwise(chunks))
    assert "".join(chunk.text for chunk in chunks) == text
    for chunk in chunks:
        before = content[: chunk.start_byte].decode()
        assert chunk.start_line == 1 + line_ends(before)
        assert chunk.end_line == chunk.start_line + line_ends(re.sub(r"(?:\r\n|\n|\r)\Z", "", chunk.text))
        assert chunk.tokens <= budget or len(chunk.text) == 1
        assert chunk.text


def line_ends(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(TEXTS)),
    share=st.floats(0, 1),
    budget=st.sampled_from([20, 100, 200]),
)
def test_e7_any_prefix_of_any_file_is_covered(name: str, share: float, budget: int) -> None:
    text = TEXTS[name][: int(share * len(TEXTS[name]))]
    assert_tiles(chunk_text(text, name, budget), text, budget)


@settings(max_examples=80, deadline=None)
@given(name=st.sampled_from(sorted(TEXTS)), language=st.sampled_from(EVERY_LANGUAGE))
def test_e7_a_wrong_extension_loses_nothing(name: str, language: str) -> None:
    assert_tiles(chunk_text(TEXTS[name], language, 100), TEXTS[name], 100)


@settings(max_examples=100, deadline=None)
@given(
    content=st.binary(max_size=400),
    language=st.sampled_from(EVERY_LANGUAGE),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
)
def test_random_bytes_are_covered_whatever_they_claim_to_be(
    content: bytes, language: str, encoding: str
) -> None:
    text = content.decode(encoding, "replace").replace("\0", "\ufffd")
    assert_tiles(chunk_text(text, language, 20), text, 20)


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(TEXTS)),
    cuts=st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from(["{", ")", '"', "\r", "\n\n\n", "é日"]))),
)
def test_e7_damaged_files_are_covered(name: str, cuts: list[tuple[int, str]]) -> None:
    text = TEXTS[name]
    for position, junk in cuts:
        text = text[:position] + junk + text[position + 3 :]
    assert_tiles(chunk_text(text, name, 60), text, 60)


@settings(max_examples=80, deadline=None)
@given(
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=40),
    language=st.sampled_from(["python", "markdown", "", "c"]),
)
def test_e4_mixed_line_ends_count_one_line_each(ends: list[str], language: str) -> None:
    text = "".join(f"x{number} = {number}{end}" for number, end in enumerate(ends))
    document = chunk_text(text, language, 20)
    assert_tiles(document, text, 20)
    assert document.chunks[-1].end_line == len(ends)


@pytest.mark.parametrize("name", sorted(TEXTS))
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_e4_crlf_twins_have_the_same_spans(name: str, end: str) -> None:
    text = TEXTS[name]
    twins = chunk_text(text, name, 100), chunk_text(text.replace("\n", end), name, 100)
    spans = [[(c.symbol, c.start_line, c.end_line, c.headings) for c in twin.chunks] for twin in twins]
    assert spans[0] == spans[1]
    assert twins[0].outline == twins[1].outline
    assert twins[0].imports == twins[1].imports
    assert twins[0].title == twins[1].title


def test_e8_string_literal_of_50_kb_is_split_and_found_at_its_end() -> None:
    words = " ".join(f"word{number}" for number in range(6_000))
    text = f'def f():\n    return "{words} needle"\n'
    assert len(text) > 50_000
    document = chunk_text(text, "python", 200)
    assert_tiles(document, text, 200)
    (last,) = [chunk for chunk in document.chunks if "needle" in chunk.text]
    assert last.symbol == "f"
    assert last.text.endswith('needle"\n')


@pytest.mark.parametrize("unit", ["x", "é", "日", "🙂", "a1_"])
def test_e8_one_word_of_50_kb_is_split_between_characters(unit: str) -> None:
    """The tokenizer calls such a word one unknown token: size must bound the chunk."""
    text = "blob = '" + unit * (50_000 // len(unit)) + "'"
    document = chunk_text(text, "python", 200)
    assert_tiles(document, text, 200)
    assert max(len(chunk.text.encode()) for chunk in document.chunks) <= 200 * 20


def test_long_line_is_cut_after_a_sentence_and_not_inside_a_word() -> None:
    sentences = "".join(f"Sentence number {number} says little. " for number in range(80))
    document = chunk_text(sentences, "text", 60)
    assert_tiles(document, sentences, 60)
    assert all(chunk.text.endswith("little. ") for chunk in document.chunks)


def test_d2_what_the_database_cannot_store_is_replaced_one_for_one() -> None:
    text = "a = 'x\0y'\nb = '\udc80'\n"
    (chunk,) = chunk_text(text, "python", 100).chunks
    assert chunk.text == "a = 'x\ufffdy'\nb = '\ufffd'\n"
    assert chunk_text(text, "python", 100).char_count == len(text)


def test_e7_merge_markers_leave_both_sides_findable() -> None:
    text = (
        "def total(items):\n    return sum(items)\n\n\n<<<<<<< ours\ndef price(item):\n    return item.net\n"
        "=======\ndef price(item):\n    return item.gross\n>>>>>>> theirs\n\n\ndef last(items):\n"
        "    return items[-1]\n"
    )
    document = chunk_text(text, "python", 100)
    assert_tiles(document, text, 100)
    assert document.warnings == ("parsed partially: syntax not understood at line 5",)
    assert {"total", "price", "last"} <= {
        name for chunk in document.chunks for name in chunk.symbol.split(", ")
    }


def test_e7_truncated_file_keeps_what_parsed_and_says_so() -> None:
    text = TEXTS["java"].replace("    public List<Loan> overdue", "    public List<Loan> overdue((((")[:1300]
    document = chunk_text(text, "java", 100)
    assert_tiles(document, text, 100)
    assert "LendingDesk.lend" in {chunk.symbol for chunk in document.chunks}
    assert document.warnings[0].startswith("parsed partially: syntax not understood at line ")


def test_e7_prose_named_py_is_cut_by_lines_with_a_warning() -> None:
    text = "Dear all,\n\nplease find attached; the minutes (draft!) of our meeting... Best & thanks?\n" * 20
    document = chunk_text(text, "python", 60)
    assert_tiles(document, text, 60)
    assert {chunk.kind for chunk in document.chunks} == {"lines"}
    assert document.warnings == ("parsed partially: hardly anything is valid python; cut by lines",)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\r\n\t\r", "\ufeff\n"])
@pytest.mark.parametrize("language", EVERY_LANGUAGE)
def test_text_without_content(text: str, language: str) -> None:
    assert_tiles(chunk_text(text, language, 100), text, 100)


def test_lines_are_counted_by_the_counter_that_was_given() -> None:
    class OnePerCall:
        """Wraps the real counter to show that it is the one in use."""

        def __init__(self) -> None:
            self.calls = 0

        def __getattr__(self, name: str) -> object:
            self.calls += 1
            return getattr(default_counter(), name)

    counter = OnePerCall()
    chunk_text("x = 1\n", "python", 100, counter=counter)  # type: ignore[arg-type]
    assert counter.calls > 0
