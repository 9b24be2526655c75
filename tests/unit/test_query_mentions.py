"""What a question quotes letter by letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.query.mentions import Mentions, read_mentions


@pytest.mark.parametrize(
    ("text", "names", "paths"),
    [
        ("make_pass_decorator", ("make_pass_decorator",), ()),
        ("`Client.fetch()`", ("Client.fetch",), ()),
        ("std::vector", ("std.vector",), ()),
        ("prompt", ("prompt",), ()),
        ("src/click/termui.py", (), ("src/click/termui.py",)),
        (".\\src\\termui.py", (), ("src/termui.py",)),
        ("termui.py", ("termui.py",), ("termui.py",)),
        ("Gr\u00f6\u00dfe", ("Gr\u00f6\u00dfe",), ()),
    ],
)
def test_a_question_that_is_one_name_or_path_is_read_whole(
    text: str, names: tuple[str, ...], paths: tuple[str, ...]
) -> None:
    assert read_mentions(text) == Mentions(names, paths, (), is_whole=True)


@pytest.mark.parametrize(
    ("text", "names", "paths"),
    [
        ("where is make_pass_decorator defined?", ("make_pass_decorator",), ()),
        ("What does `prompt` do", ("prompt",), ()),
        ("who calls Client.fetch() and HTTPServer?", ("Client.fetch", "HTTPServer"), ()),
        ("what is in src/click/termui.py?", (), ("src/click/termui.py",)),
        ("does e.g. the queue end. Or not", (), ()),
        ("How do I pay a supplier in Berlin", (), ()),
        ("is it and/or", (), ()),
    ],
)
def test_names_in_a_short_sentence_are_those_that_no_sentence_spells(
    text: str, names: tuple[str, ...], paths: tuple[str, ...]
) -> None:
    found = read_mentions(text)
    assert (found.names, found.paths, found.is_whole) == (names, paths, False)


def test_a_sentence_is_a_phrase_that_may_stand_in_a_text() -> None:
    assert read_mentions("connection pool is exhausted").phrases == ("connection pool is exhausted",)
    assert read_mentions('who says "pool is exhausted" and why').phrases[1:] == ("pool is exhausted",)
    assert read_mentions("pool exhausted").phrases == ()


@pytest.mark.parametrize("text", ["", " \n ", "?!", "a_b fails\nwith a traceback", "x_y " * 200])
def test_long_and_empty_texts_quote_nothing(text: str) -> None:
    assert not read_mentions(text)


@given(st.text(max_size=400))
def test_d5_any_text_is_read(text: str) -> None:
    found = read_mentions(text)
    assert all(name and "\n" not in name for name in (*found.names, *found.paths, *found.phrases))
