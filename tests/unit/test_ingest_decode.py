"""Bytes to text: every encoding gives the same text, and what is not text is told from what is."""

from __future__ import annotations

import random
import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.ingest.decode import BinaryContent, decode

ENGLISH_AND_MORE = (
    "# Größe und Café\n"
    "Überall sprechen Menschen verschiedene Sprachen, und dafür gibt es Übersetzungen.\n"
    "Le café était fermé à cause de la grève; où êtes-vous allés déjeuner ?\n"
    "def größe(x):\n    return x * 2  # naïve, façade, año\n"
)


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (ENGLISH_AND_MORE.encode("utf-8"), "utf-8"),
        (b"\xef\xbb\xbf" + ENGLISH_AND_MORE.encode("utf-8"), "utf-8"),
        (b"\xff\xfe" + ENGLISH_AND_MORE.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + ENGLISH_AND_MORE.encode("utf-16-be"), "utf-16-be"),
        (b"\xff\xfe\x00\x00" + ENGLISH_AND_MORE.encode("utf-32-le"), "utf-32-le"),
        (b"\x00\x00\xfe\xff" + ENGLISH_AND_MORE.encode("utf-32-be"), "utf-32-be"),
        (ENGLISH_AND_MORE.encode("latin-1"), "cp1252"),
        (ENGLISH_AND_MORE.encode("utf-16-le"), "utf-16-le"),
        (ENGLISH_AND_MORE.encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_e3_one_text_in_every_encoding_gives_the_same_text(raw: bytes, encoding: str) -> None:
    decoded = decode(raw)
    assert (decoded.text, decoded.encoding, decoded.warnings) == (ENGLISH_AND_MORE, encoding, ())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, мир. Это проверка кодировки текста на русском языке.", "cp1251"),
        ("Привет, мир. Это проверка кодировки текста на русском языке.", "koi8_r"),
        ("これは日本語のテキストです。文字コードの判定を確認します。", "cp932"),
        ("これは日本語のテキストです。文字コードの判定を確認します。", "euc_jp"),
        ("这是一个中文文本，用于检测字符编码。我们希望结果正确。", "gb18030"),
        ("이것은 한국어 텍스트입니다. 문자 인코딩을 확인합니다.", "cp949"),
        ("Zażółć gęślą jaźń. To jest test kodowania znaków w języku polskim.", "cp1250"),
        ("Αυτό είναι ένα κείμενο στα ελληνικά για δοκιμή της κωδικοποίησης.", "cp1253"),
        ("caf\u00e9", "cp1252"),
        ("/* \u00b5-law, \u00b15 \u00b0C, \u00a7 3 */", "cp1252"),
        ("Schöne Grüße, äöü ÄÖÜ ß", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Toto je test kódování znaků.", "cp1250"),
        ("Türkçe karakterler: ışık, şeker, çığ, ğ harfi ve İstanbul şehri güzeldir.", "cp1254"),
        ("It\u2019s \u201cquoted\u201d \u2014 with dashes and nothing else beyond ASCII.", "cp1252"),
    ],
)
def test_e3_a_legacy_encoding_is_detected(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("frame", "stored", "meant", "encoding"),
    [
        (b"# -*- coding: iso-8859-5 -*-\n%s\n", b"\xb6", "Ж", "iso8859-5"),
        (b"#!/bin/sh\n# vim: set fileencoding=cp437 :\n%s\n", b"\x81", "ü", "cp437"),
        (b"<?xml version='1.0' encoding='iso-8859-7'?><a>%s</a>", b"\xe1", "α", "iso8859-7"),
        (b'<html><meta charset="shift_jis">%s', b"\x82\xa0", "あ", "shift_jis"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>%s", b"\xc1", "а", "koi8-r"),
        (b"# coding: latin-1\n%s", b"\x93x\x94", "\u201cx\u201d", "cp1252"),
        (b"<meta charset=iso-2022-jp>%s", b'\x1b$B$"\x1b(B', "あ", "iso2022_jp"),
    ],
)
def test_e3_what_a_file_declares_is_believed_if_it_fits(
    frame: bytes, stored: bytes, meant: str, encoding: str
) -> None:
    decoded = decode(frame % stored)
    assert (decoded.text, decoded.encoding) == (frame.decode() % meant, encoding)


@pytest.mark.parametrize(
    "name", ["rot13", "zip", "unicode_escape", "utf-7", "idna", "punycode", "no-such", "hex"]
)
def test_e3_a_declared_codec_that_is_no_encoding_of_text_is_not_used(name: str) -> None:
    decoded = decode(f"# coding: {name}\ncaf\u00e9 na\u00efve\n".encode("latin-1"))
    assert decoded.text == f"# coding: {name}\ncaf\u00e9 na\u00efve\n"


def test_e3_utf8_is_recognised_before_a_wrong_declaration() -> None:
    assert decode("# coding: latin-1\ncafé\n".encode()).text == "# coding: latin-1\ncafé\n"


def test_e3_damaged_utf8_stays_utf8_with_a_warning_and_is_not_taken_for_latin_1() -> None:
    decoded = decode("Größe über müßig ".encode() * 5 + b"\xff end")
    assert decoded.text == "Größe über müßig " * 5 + "\ufffd end"
    assert decoded.warnings == ("1 places are not valid utf-8 and were replaced",)


def test_e3_half_a_character_at_the_end_of_utf16_is_replaced_with_a_warning() -> None:
    decoded = decode(b"\xff\xfe" + ("text " * 20).encode("utf-16-le") + b"\x00")
    assert decoded.text == "text " * 20 + "\ufffd"
    assert len(decoded.warnings) == 1


def test_e3_the_mark_is_not_part_of_the_text_so_front_matter_stays_first() -> None:
    assert decode(b"\xef\xbb\xbf---\ntitle: x\n---\n").text.startswith("---\n")


def test_e2_the_sample_for_detection_does_not_divide_a_character() -> None:
    """A sample that ends inside a character once made whole files unreadable."""
    for padding in range(4):
        text = "x" * padding + "これは日本語のテキストです。" * 8_000
        assert decode(text.encode("cp932")).text == text


def test_e2_bytes_beyond_the_sample_decide_as_well() -> None:
    text = "plain ASCII line\n" * 20_000 + "Привет, мир. Это проверка кодировки на русском языке.\n"
    assert decode(text.encode("cp1251")).text == text


@pytest.mark.parametrize(
    "text",
    [
        "BMW announced a new model.\n",
        "MZ is how the header of a DOS program begins.\n",
        "PK fields are primary keys.\n",
        "GIF89a is a file format.\n",
        "\x1b[31mcolours\x1b[0m of a log\n",
        "page one\x0cpage two\n",
        "Rar! is a word, too. ID3 and RIFF are as well, %PDF- is not at the beginning.\n",
    ],
)
def test_e2_text_that_begins_like_a_format_is_text(text: str) -> None:
    assert decode(text.encode()).text == text


@pytest.mark.parametrize(
    ("raw", "test_that_fired"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(57), "ELF program"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00data", "zip archive"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG image"),
        (b"SQLite format 3\x00\x10\x00\x01\x01", "SQLite database"),
        (b"text with one\x00 NUL", "NUL"),
        (b"BM" + struct.pack("<IHHI", 100, 0, 0, 54) + bytes(86), "NUL"),
        (b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff", "NUL"),
        (b"\x01\x02\x03\x04 ten of these bytes \x05\x06\x07\x08\x0e\x0f", "control"),
        (bytes(1_000), "NUL"),
        (b"\xff\xfe" + bytes(random.Random(4).randbytes(4_000)), ""),
        (random.Random(1).randbytes(5_000).replace(b"\x00", b"\x01"), ""),
    ],
)  # fmt: skip
def test_e2_binary_content_is_refused_and_the_test_that_fired_is_named(
    raw: bytes, test_that_fired: str
) -> None:
    with pytest.raises(BinaryContent) as raised:
        decode(raw)
    assert test_that_fired in raised.value.message


@pytest.mark.parametrize("seed", range(30))
def test_e2_random_bytes_are_never_a_document(seed: int) -> None:
    """Latin-1 never fails, which is how executables became documents elsewhere."""
    raw = random.Random(seed).randbytes(3_000)
    with pytest.raises(BinaryContent):
        decode(raw)
    with pytest.raises(BinaryContent):
        decode(raw.replace(b"\x00", b"\x7f"))


def test_a_few_control_characters_do_not_make_text_binary() -> None:
    text = "a line of ordinary text\n" * 10 + "\x01\x02"
    assert decode(text.encode()).text == text


def test_e4_line_ends_stay_as_they_are_stored() -> None:
    assert decode(b"a\r\nb\rc\nd").text == "a\r\nb\rc\nd"


def test_nothing_decodes_to_nothing() -> None:
    assert decode(b"").text == ""
    assert decode(b"\xef\xbb\xbf").text == ""


def test_decoding_a_file_at_the_size_limit_takes_seconds_at_most() -> None:
    raw = ("Das ist größer als sonst. " * 40 + "\n").encode("latin-1") * 10_000
    started = time.monotonic()
    assert decode(raw).text.endswith("sonst. \n")
    assert time.monotonic() - started < 5


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_text_survives_utf8(text: str) -> None:
    assert decode(text.encode()).text == text.removeprefix("\ufeff")


@given(st.binary(max_size=300))
def test_any_bytes_become_storable_text_or_are_refused(raw: bytes) -> None:
    try:
        decoded = decode(raw)
    except BinaryContent:
        return
    assert "\x00" not in decoded.text
    decoded.text.encode("utf-8")
