"""The header in front of the embedded text: path-free, bounded, and composed by a recipe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.contextualize.base import ChunkPlace
from brain_dagster.contextualize.header import (
    HeaderRecipe,
    Part,
    embedding_header,
    embedding_text,
    identifier_words,
)
from tests.unit.test_contextualize_structure import METHOD, PAGE, PLACES, PLAIN, SECTION

EVERYTHING = HeaderRecipe(
    parts=("language", "title", "headings", "enclosing", "symbol", "outline", "imports")
)


@pytest.mark.parametrize(
    ("place", "header"),
    [
        (METHOD, "class Row(BaseRow); Row.make"),
        (SECTION, "Deploys > Rollback"),
        (PAGE, "Travel policy"),
    ],
)
def test_default_header_says_where_and_nothing_more(place: ChunkPlace, header: str) -> None:
    assert embedding_header(place) == header


HEADERS = {
    "code": (
        METHOD,
        "Python; class Row(BaseRow); Row.make; declares Row, dict_row; imports collections.abc, typing",
    ),
    "prose": (SECTION, "Markdown; Deploys > Rollback"),
    "prose with a title of its own": (
        replace(SECTION, title="Shipping"),
        "Markdown; Shipping; Deploys > Rollback",
    ),
    "page": (PAGE, "PDF; Travel policy"),
    "plain": (replace(PLAIN, outline=()), ""),
}


@pytest.mark.parametrize("place, header", HEADERS.values(), ids=HEADERS.keys())
def test_header_says_what_surrounds_the_chunk(place: ChunkPlace, header: str) -> None:
    assert embedding_header(place, recipe=EVERYTHING) == header


def test_a_chunk_does_not_name_itself_twice() -> None:
    place = replace(METHOD, symbol="dict_row", enclosing=(), imports=())
    assert embedding_header(place, recipe=EVERYTHING) == "Python; dict_row; declares Row"


def test_text_follows_its_header_and_stands_alone_without_one() -> None:
    assert embedding_text(SECTION, "Roll back first.\n") == "Deploys > Rollback\nRoll back first.\n"
    assert embedding_text(replace(PLAIN, outline=()), "just text") == "just text"


@given(PLACES, st.text(max_size=400))
def test_a_move_never_changes_what_is_embedded(place: ChunkPlace, path: str) -> None:
    moved = replace(place, path=path)
    assert embedding_text(moved, "text") == embedding_text(place, "text")


@given(PLACES, st.integers(0, 300))
def test_header_is_one_line_within_its_limit(place: ChunkPlace, max_chars: int) -> None:
    header = embedding_header(place, max_chars, EVERYTHING)
    assert len(header) <= max_chars
    assert len(header.splitlines()) <= 1
    assert "\x00" not in header


def test_what_does_not_fit_loses_whole_names_first() -> None:
    place = replace(METHOD, enclosing=(), symbol="", outline=("alpha", "beta", "gamma"), imports=())
    assert embedding_header(place, 30, EVERYTHING) == "Python; declares alpha, beta"


def test_of_a_long_trail_the_innermost_headings_stay() -> None:
    place = replace(SECTION, headings=("A" * 40, "B" * 40, "C" * 30))
    assert embedding_header(place, recipe=EVERYTHING) == "Markdown; Deploys; " + "B" * 40 + " > " + "C" * 30


@pytest.mark.parametrize(
    "parts, header",
    [
        (("symbol",), "Row.make"),
        (("symbol_words", "language"), "row make; Python"),
        (("imports", "outline"), "imports collections.abc, typing; declares Row, dict_row"),
        ((), ""),
    ],
)
def test_recipe_chooses_parts_and_their_order(parts: tuple[Part, ...], header: str) -> None:
    assert embedding_header(METHOD, recipe=HeaderRecipe(parts=parts)) == header


@pytest.mark.parametrize(
    "symbol, words",
    [
        ("Client.fetch_many", "client fetch many"),
        ("HTTPServer", "http server"),
        ("parseURLTo2", "parse url to2"),
        ("a_b, A_B", "a b"),
        ("", ""),
    ],
)
def test_identifiers_come_apart_into_words(symbol: str, words: str) -> None:
    assert identifier_words(symbol) == words
