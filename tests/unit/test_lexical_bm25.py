"""What a chunk's words weigh."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from brain_dagster.lexical.bm25 import (
    DIMENSIONS,
    MOST_TERMS,
    WEIGHTS,
    Fields,
    Weights,
    document_vector,
    lexical_columns,
    term,
)

PLAIN = Weights(text=1, symbol=2, path=4, context=1, k1=1.2, b=0.75, reference_length=10)


def weight(fields: Fields, lexeme: str, weights: Weights = PLAIN) -> float:
    vector = document_vector(fields, weights).bm25
    return dict(zip(vector.indices(), vector.values(), strict=True)).get(term(lexeme), 0.0)


def test_a_word_weighs_what_the_formula_says() -> None:
    # f = 2, L = 5 of 10: norm = 1.2 * (0.25 + 0.75 * 0.5) = 0.75; 2 * 2.2 / 2.75 = 1.6
    assert weight(Fields(text="alpha alpha beta gamma delta"), "alpha") == pytest.approx(1.6)


def test_field_weights_are_added_before_the_saturation() -> None:
    # f = 1 + 2 + 4 = 7, L = 7: norm = 1.2 * (0.25 + 0.75 * 0.7) = 0.93; 7 * 2.2 / 7.93
    fields = Fields(text="alpha", symbol="alpha", path="alpha")
    assert weight(fields, "alpha") == pytest.approx(15.4 / 7.93)


def test_a_word_in_the_path_counts_for_more_than_one_in_the_text() -> None:
    in_path = Fields(text="beta", path="alpha")
    in_text = Fields(text="alpha", path="beta")
    assert weight(in_path, "alpha") > weight(in_text, "alpha")


def test_terms_and_vector_name_the_same_indices_in_ascending_order() -> None:
    columns = lexical_columns(
        text="def fetch(url): ...",
        symbol="Client.fetch",
        path="net/client.py",
        headings=(),
        enclosing=("class Client:",),
    )
    assert columns.terms == sorted(set(columns.terms)) == columns.bm25.indices()
    assert columns.bm25.dimensions() == DIMENSIONS
    for lexeme in ("client.fetch", "fetch", "url", "client.py", "class"):
        assert term(lexeme) in columns.terms


def test_a_text_without_words_has_no_terms() -> None:
    columns = lexical_columns(text="{}\n);\n", symbol="", path="", headings=(), enclosing=())
    assert columns.terms == []
    assert columns.bm25.indices() == []


@pytest.mark.slow
def test_d3_five_megabytes_of_distinct_words_keep_the_most_frequent_and_say_so() -> None:
    words = " ".join(f"w{number:x}q" for number in range(400_000))
    columns = lexical_columns(text=f"needle needle {words}", symbol="", path="", headings=(), enclosing=())
    assert columns.is_capped
    assert len(columns.terms) == MOST_TERMS
    assert term("needl") in columns.terms


def test_one_word_repeated_is_one_term() -> None:
    columns = lexical_columns(text="again " * 100_000, symbol="", path="", headings=(), enclosing=())
    assert columns.terms == [term("again")]
    assert columns.bm25.values()[0] < WEIGHTS.k1 + 1
    assert not columns.is_capped


def test_terms_do_not_change_between_processes_and_releases() -> None:
    # `printf transact | b2sum -l 64` prints 396946f2829919a6; modulo 10^9.
    assert term("transact") == 0x396946F2829919A6 % 1_000_000_000
    code = "from brain_dagster.lexical.bm25 import term; print(term('transact'))"
    other = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, check=True, cwd="."
    )
    assert int(other.stdout) == term("transact")


def test_every_term_fits_the_column_and_the_vector() -> None:
    assert all(0 <= term(f"word{number}") < DIMENSIONS < 2**31 for number in range(1_000))


def test_length_only_matters_through_b() -> None:
    short, long = Fields(text="alpha"), Fields(text="alpha" + " beta" * 50)
    assert weight(short, "alpha") > weight(long, "alpha")
    flat = replace(PLAIN, b=0.0)
    assert weight(short, "alpha", flat) == weight(long, "alpha", flat) == pytest.approx(1.0)
