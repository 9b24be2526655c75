"""Context sentences: exact words for hand-made places, bounded, clean, with their provenance."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.contextualize.base import ChunkPlace, Contextualizer
from brain_dagster.contextualize.structure import CONTEXT_RECIPE, StructureContextualizer, structure_sentence

METHOD = ChunkPlace(
    path="psycopg/rows.py",
    title="",
    language="python",
    outline=("Row", "dict_row"),
    imports=("collections.abc", "typing"),
    symbol="Row.make",
    enclosing=("class Row(BaseRow):",),
    headings=(),
    page=None,
    page_label=None,
    kind="declaration",
    ordinal=1,
    chunk_count=5,
)
SECTION = replace(
    METHOD,
    path="handbook/deploys.md",
    title="Deploys",
    language="markdown",
    imports=(),
    symbol="",
    enclosing=(),
    headings=("Deploys", "Rollback"),
    kind="section",
)
PAGE = replace(
    SECTION,
    path="travel.pdf",
    title="Travel policy",
    language="pdf",
    headings=(),
    page=3,
    page_label="iii",
    kind="page",
)
PLAIN = replace(SECTION, path="notes.txt", title="", language="", headings=(), kind="lines")

SENTENCES = {
    "a method names its class": (
        METHOD,
        "In psycopg/rows.py, Python: make in class Row(BaseRow); imports collections.abc, typing.",
    ),
    "a piece of a long method names the method once": (
        replace(METHOD, enclosing=("class Row(BaseRow):", "def make(self,\n        values):")),
        "In psycopg/rows.py, Python: def make(self, values) in class Row(BaseRow);"
        " imports collections.abc, typing.",
    ),
    "packed neighbours are all named": (
        replace(METHOD, symbol="Row.make, Row.copy", imports=()),
        "In psycopg/rows.py, Python: make, copy in class Row(BaseRow).",
    ),
    "a constructor keeps its own name": (
        replace(METHOD, language="java", symbol="Row.Row", enclosing=("public class Row {",), imports=()),
        "In psycopg/rows.py, Java: Row in public class Row.",
    ),
    "a function at the top has no place inside": (
        replace(METHOD, symbol="dict_row", enclosing=(), imports=()),
        "In psycopg/rows.py, Python: dict_row.",
    ),
    "the imports of a file": (
        replace(METHOD, symbol="", enclosing=(), kind="imports"),
        "In psycopg/rows.py, Python: its imports, part 2 of 5; imports collections.abc, typing.",
    ),
    "four imports are enough": (
        replace(METHOD, symbol="f", enclosing=(), language="csharp", imports=("a", "b", "c", "d", "e")),
        "In psycopg/rows.py, C#: f; imports a, b, c, d.",
    ),
    "a section names its trail, and a title that heads it only once": (
        SECTION,
        "In handbook/deploys.md, Markdown: under Deploys > Rollback.",
    ),
    "a title that is not in the trail is quoted": (
        replace(SECTION, title="Shipping"),
        "In handbook/deploys.md, Markdown, “Shipping”: under Deploys > Rollback.",
    ),
    "a page says how it is printed": (
        PAGE,
        "In travel.pdf, PDF, “Travel policy”: page 3 (printed iii).",
    ),
    "a page printed as it is counted says so once": (
        replace(PAGE, page_label="3"),
        "In travel.pdf, PDF, “Travel policy”: page 3.",
    ),
    "plain text has only its position": (PLAIN, "In notes.txt: part 2 of 5."),
    "a file of one chunk has only its path": (
        replace(PLAIN, ordinal=0, chunk_count=1),
        "In notes.txt.",
    ),
}


@pytest.mark.parametrize("place, sentence", SENTENCES.values(), ids=SENTENCES.keys())
def test_sentence_says_where_the_chunk_stands(place: ChunkPlace, sentence: str) -> None:
    assert structure_sentence(place) == sentence


def test_control_characters_never_reach_a_sentence() -> None:
    place = replace(
        METHOD,
        path="a\x00b/\x1b[31mc\u202e.py",
        symbol="f\ud800\ng",
        enclosing=("class\tX\x07:",),
        imports=("os\x85sys",),
    )
    assert (
        structure_sentence(place) == "In a\ufffdb/ [31mc .py, Python: f\ufffd g in class X; imports os sys."
    )


def test_long_parts_are_shortened_and_the_end_of_a_path_is_kept() -> None:
    sentence = structure_sentence(
        replace(METHOD, path="d/" * 200 + "end.py", symbol="s" * 500, title="t " * 200, imports=("i" * 400,))
    )
    assert len(sentence) <= 300
    assert sentence.startswith("In …")
    assert "/end.py, Python, “t t" in sentence


TEXT = st.text(max_size=400)
NAMES = st.lists(TEXT, max_size=8).map(tuple)
PLACES = st.builds(
    ChunkPlace,
    path=TEXT,
    title=TEXT,
    language=st.sampled_from(["", "python", "markdown", "pdf", "\x00"]),
    outline=NAMES,
    imports=NAMES,
    symbol=TEXT,
    enclosing=NAMES,
    headings=NAMES,
    page=st.none() | st.integers(1, 10_000),
    page_label=st.none() | TEXT,
    kind=st.sampled_from(["declaration", "imports", "module", "section", "page", "lines"]),
    ordinal=st.integers(0, 10),
    chunk_count=st.integers(1, 20),
)


@given(PLACES)
def test_every_sentence_is_one_clean_line_of_at_most_300_characters(place: ChunkPlace) -> None:
    sentence = structure_sentence(place)
    assert sentence.endswith(".")
    assert 0 < len(sentence) <= 300
    assert len(sentence.splitlines()) == 1
    assert not [c for c in sentence if unicodedata.category(c) in ("Cc", "Cs")]


def test_there_is_one_sentence_per_place_in_order_with_its_provenance() -> None:
    writer: Contextualizer = StructureContextualizer()
    sentences = writer.describe([METHOD, PAGE], ["def make(): ...", "Flights are booked by the desk."])
    assert [one.sentence for one in sentences] == [SENTENCES[key][1] for key in (
        "a method names its class", "a page says how it is printed")]  # fmt: skip
    assert {(one.kind, one.model, one.state) for one in sentences} == {("structure", "structure/2", "ok")}
    assert writer.identity == CONTEXT_RECIPE == "structure/2"


def test_prompt_hash_tells_places_apart_and_nothing_else() -> None:
    writer = StructureContextualizer()
    first, again, moved = writer.describe([METHOD, METHOD, replace(METHOD, path="x.py")], ["a", "b", "a"])
    assert len(first.prompt_hash) == 32
    assert first.prompt_hash == again.prompt_hash
    assert first.prompt_hash != moved.prompt_hash


def test_a_missing_text_is_an_error_and_not_a_shifted_sentence() -> None:
    with pytest.raises(ValueError, match="zip"):
        StructureContextualizer().describe([METHOD, PAGE], ["only one"])
