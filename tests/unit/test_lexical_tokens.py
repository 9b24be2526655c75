"""What counts as a word."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.lexical.tokens import lexemes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("models/transaction.js", ["models.transaction.js", "transaction.js", "model", "transact", "js"]),
        ("os.path.join", ["os.path.join", "path.join", "os", "path", "join"]),
        ("std::vector", ["std.vector", "std", "vector"]),
        ("node->next", ["node.next", "node", "next"]),
        ("settlementStatusEnum", ["settlementstatusenum", "settlement", "status", "enum"]),
        ("settlement_status_enum", ["settlementstatusenum", "settlement", "status", "enum"]),
        ("settlement-status-enum", ["settlementstatusenum", "settlement", "status", "enum"]),
        ("SETTLEMENT_STATUS", ["settlementstatus", "settlement", "status"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("URLs", ["url"]),
        ("sha256", ["sha256", "sha", "256"]),
        ("x86_64", ["x8664", "x86", "x", "86", "64"]),
        ("__init__", ["__init__", "init"]),
        ("_private", ["privat"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("running dogs", ["run", "dog"]),
        ("Café naïve", ["cafe", "naiv"]),
        ("größeBerechnen", ["grosseberechnen", "gross", "berechnen"]),
        ("\uff12\uff15\uff16 \ufb01le", ["256", "file"]),
        ("\u6771\u4eac\u90fd", ["\u6771", "\u4eac", "\u90fd", "\u6771\u4eac", "\u4eac\u90fd"]),
        ("iPhone\u306e", ["iphon", "\u306e"]),
        ("\u041f\u0440\u0438\u0432\u0435\u0442", ["\u043f\u0440\u0438\u0432\u0435\u0442"]),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", ["\u0939\u093f\u0928\u094d\u0926\u0940"]),
        ("!!! ... --- ___ \U0001f600", []),
        ("", []),
    ],
)
def test_text_gives_exactly_these_lexemes(text: str, expected: list[str]) -> None:
    assert lexemes(text) == expected


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("src/models/transaction.js", "src/models/transaction.js"),
        ("src/models/transaction.js", "models/transaction.js"),
        ("src/models/transaction.js", "transaction.js"),
        ("src/models/transaction.js", "Transaction"),
        ("self.settlementStatusEnum", "settlement_status_enum"),
        ("settlement_status_enum", "settlementStatusEnum"),
        ("settlement_status_enum", "status"),
        ("django.db.models.Q", "models.Q"),
        ("parseHTTPHeaders", "headers"),
        ("RFC2047_encode", "rfc2047"),
        ("e-mail", "email"),
        ("cafe\u0301", "caf\u00e9"),
        ("RESUME\u0301S", "resumes"),
    ],
)
def test_d4_whole_and_part_are_each_found_in_every_form(written: str, asked: str) -> None:
    assert lexemes(asked)[0] in lexemes(written)


@pytest.mark.parametrize("length", [2046, 2047, 100_000])
def test_d4_a_lexeme_of_any_length_is_kept_whole(length: int) -> None:
    assert lexemes("x" * length + " end") == ["x" * length, "end"]


def test_d4_an_identifier_at_the_end_of_the_largest_text_is_found_whole_and_by_its_parts() -> None:
    found = lexemes("word " * 100_000 + "settlementStatusEnum")
    assert found[-4:] == ["settlementstatusenum", "settlement", "status", "enum"]


def test_a_digest_is_one_word_and_not_forty_fragments() -> None:
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4"
    assert lexemes(digest) == [digest]


def test_d3_a_base64_wall_is_read_in_linear_time_and_stays_whole() -> None:
    wall = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo3" * 30_000
    started = time.process_time()
    assert lexemes(wall) == [wall.lower()]
    assert time.process_time() - started < 5


def test_d3_a_long_chain_of_segments_is_read_in_linear_time() -> None:
    started = time.process_time()
    found = lexemes("a." * 200_000)
    assert found.count("a") == 200_000
    assert len(found) == 200_005
    assert time.process_time() - started < 10


@given(st.text())
def test_any_text_is_read_without_error_and_into_words_only(text: str) -> None:
    for lexeme in lexemes(text):
        assert lexeme
        assert not lexeme.isspace()


@given(st.text(alphabet="abcXYZ019_.-/ "))
def test_reading_ascii_does_not_depend_on_a_neighbour_beyond_ascii(text: str) -> None:
    assert lexemes(f"{text} \u00e9") == [*lexemes(text), "e"]


@given(st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd", "Mn"])))
def test_composed_and_decomposed_spellings_are_the_same_words(text: str) -> None:
    assert lexemes(unicodedata.normalize("NFC", text)) == lexemes(unicodedata.normalize("NFD", text))
