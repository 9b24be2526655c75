"""What counts as the same text, and what is only alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brain_dagster.query.twins import TextsSeen, fingerprint
from tests.support.shelf import Shelf, words


def same(one: str, two: str, symbols: tuple[str, str] = ("", "")) -> bool:
    """Whether the second text is recognised as the first; the other way round must give the same."""
    shelf = Shelf()
    prints = [fingerprint(shelf.chunks[c]) for c in shelf.add("a", [one, two], symbols=symbols)]
    ways = []
    for known, new in (prints, reversed(prints)):
        seen = TextsSeen()
        seen.add(known, 7)
        ways.append(seen.find(new) == 7)
    assert ways[0] == ways[1]
    return ways[0]


PROSE = " ".join(words(150))


def test_white_space_does_not_make_a_text_another() -> None:
    assert same("def f():\n    return x\n", "def f():\r\n\treturn  x")


def test_a_short_text_is_only_equal_to_itself() -> None:
    assert not same(" ".join(words(20)), " ".join(words(21)))


@pytest.mark.parametrize(("size", "is_copy"), [(98, False), (99, True)])
def test_one_word_changed_costs_five_shingles_of_each(size: int, is_copy: bool) -> None:
    # 99 words have 95 shingles, of which 90 are in both: 90 / 100. 98 words: 89 / 99, just under 0.9.
    text = list(words(size))
    changed = [*text[:50], "zzz", *text[51:]]
    assert same(" ".join(text), " ".join(changed)) is is_copy


@pytest.mark.parametrize(("more", "is_copy"), [(10, True), (12, False)])
def test_words_at_the_end_cost_one_shingle_each(more: int, is_copy: bool) -> None:
    # 100 words have 96 shingles: 96 / 106 with ten more, 96 / 108 with twelve.
    assert same(" ".join(words(100)), " ".join(words(100 + more))) is is_copy


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("leave it for 30 days", "leave it for 60 days"),
        ("it is allowed", "it is not allowed"),
        ("flag = True", "flag = False"),
        ("release v2", "release v3"),
    ],
)
def test_a_number_or_a_negation_is_not_a_trivial_edit(one: str, two: str) -> None:
    assert not same(f"{PROSE} {one} {PROSE}", f"{PROSE} {two} {PROSE}")


def test_the_year_in_a_licence_header_is() -> None:
    body = f"# Licensed under terms.\n{PROSE}\n"
    assert same(f"# Copyright 2019 Ada\n{body}", f"# Copyright (c) 2023 Ada and others\n{body}")
    assert same(f"# SPDX-License-Identifier: MIT\n{body}", body)


def test_another_symbol_is_another_text_unless_they_are_equal() -> None:
    typo = PROSE.replace(" daa ", " dab ")
    assert same(PROSE, typo, ("f", "f"))
    assert not same(PROSE, typo, ("f", "g"))
    assert same(PROSE, PROSE, ("f", "g"))


def test_the_same_line_again_and_again_is_not_a_copy_of_it() -> None:
    assert not same("all work makes a dull day\n" * 10, "all work makes a dull day\n" * 20)


def test_unlike_texts_are_not_copies() -> None:
    assert not same(" ".join(words(100)), " ".join(words(100, start=300)))


def test_the_first_text_added_is_the_one_found() -> None:
    shelf = Shelf()
    (only,) = shelf.add("a", [PROSE])
    chunk, seen = shelf.chunks[only], TextsSeen()
    seen.add(fingerprint(chunk), 7)
    seen.add(fingerprint(replace(chunk, text=f"{PROSE} end")), 8)
    assert seen.find(fingerprint(replace(chunk, text=f"{PROSE} fin"))) == 7
