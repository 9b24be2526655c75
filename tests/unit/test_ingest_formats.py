"""Formats with a reader of their own are known by their content; a name decides only where content cannot."""

from __future__ import annotations

import json

import pytest

from brain_dagster.ingest.content import Content, Skipped, open_content
from brain_dagster.parse.errors import NeedsPassword
from tests.corpora import office
from tests.corpora.hostile_files import zip_archive

NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": "x"}], "metadata": {}, "nbformat": 4}
).encode()
SLACK = json.dumps([{"type": "message", "user": "U1", "ts": "1714558920.000100", "text": "hi"}]).encode()
MAIL = b"Received: by x\nFrom: a@x.org\nDate: Wed, 01 May 2024 10:22:00 +0200\nSubject: Hives\n\nTwo.\n"
MBOX = b"From a@x.org Wed May  1 10:22:00 2024\n" + MAIL
PATCH = b"From " + b"0123456789" * 4 + b" Mon Sep 17 00:00:00 2001\nFrom: a\nDate: b\nSubject: c\n\n"
SAVE_IT = "save it as .docx, .xlsx or .pptx to have it indexed"
DOCX, PPTX, XLSX = office.handbook(), office.talk(), office.workbook({"A": [["x", 1]]})


@pytest.mark.parametrize(
    ("path", "raw", "language", "media_type"),
    [
        (b"a.docx", DOCX, "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (
            b"a.zip.txt",
            PPTX,
            "pptx",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        (b"a.docx", XLSX, "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (b"a.ipynb", NOTEBOOK, "notebook", "application/x-ipynb+json"),
        (b"a.json", NOTEBOOK, "notebook", "application/x-ipynb+json"),
        (b"a.ipynb", b'{"cells": [ cut', "notebook", "application/x-ipynb+json"),
        (b"a.ipynb", b"not even JSON", "json", "application/json"),
        (b"2024-05-01.json", SLACK, "slack", "application/json"),
        (b"a.json", b'[{"type": "message", "text": "no time"}]', "json", "application/json"),
        (b"a.eml", b"Subject: a\nTo: b\n\nx", "mail", "message/rfc822"),
        (b"a.txt", b"Subject: a\nTo: b\n\nx", "text", "text/plain"),
        (b"a.txt", MAIL, "mail", "message/rfc822"),
        (b"cur/1714558920.M1:2,S", MAIL.replace(b"\n", b"\r\n"), "mail", "message/rfc822"),
        (b"notes.md", b"From: me\nDate: today\n\n# Notes", "markdown", "text/markdown"),
        (b"archive", MBOX, "mbox", "application/mbox"),
        (b"a.txt", b"From here on 2024 it is\nonly: prose\n", "text", "text/plain"),
        (b"fix.patch", PATCH, "diff", "text/x-diff"),
        (b"fix.txt", PATCH, "text", "text/plain"),
    ],
)
def test_format_is_known_by_content(path: bytes, raw: bytes, language: str, media_type: str) -> None:
    opened = open_content(path, raw)
    assert isinstance(opened, Content), opened
    assert (opened.language, opened.media_type) == (language, media_type)


@pytest.mark.parametrize(("path", "raw"), [(b"a.ipynb", NOTEBOOK), (b"a.eml", MAIL), (b"a.json", SLACK)])
def test_format_that_is_text_is_handed_over_as_both(path: bytes, raw: bytes) -> None:
    opened = open_content(path, raw)
    assert isinstance(opened, Content)
    assert (opened.text, opened.raw) == (raw.decode(), raw)


def test_plain_text_has_no_bytes_to_read_again() -> None:
    opened = open_content(b"a.md", b"# Hives")
    assert isinstance(opened, Content) and opened.raw is None


@pytest.mark.parametrize(
    ("path", "raw", "reason"),
    [
        (b"report.doc", office.old_office(), f"an old Office document; {SAVE_IT}"),
        (b"a.docx", zip_archive(), "the content begins like a zip archive"),
        (b"a.odt", office.open_document(), f"an OpenDocument text; {SAVE_IT}"),
        (b"a.txt", DOCX[: len(DOCX) // 2], "the content begins like a zip archive"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_skipped_with_what_to_do(path: bytes, raw: bytes, reason: str) -> None:
    opened = open_content(path, raw)
    assert isinstance(opened, Skipped)
    assert (opened.skip.rule, opened.skip.reason) == ("binary", reason)


def test_half_a_document_goes_to_the_reader_its_name_says() -> None:
    opened = open_content(b"half.docx", DOCX[: len(DOCX) // 2])
    assert isinstance(opened, Content) and opened.language == "docx"


def test_g1_encrypted_office_document_needs_a_password() -> None:
    with pytest.raises(NeedsPassword, match="opens only with a password"):
        open_content(b"plan.xlsx", office.encrypted())


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        (b"plot.ipynb", NOTEBOOK.replace(b'"x"', b'"' + b"iVBORw0KGgo" * 10_000 + b'"')),
        (b"a.eml", MAIL + b"@generated do not edit\n" + b"QUJD" * 20_000),
    ],
)
def test_e1_pictures_inside_do_not_make_a_file_generated(path: bytes, raw: bytes) -> None:
    assert isinstance(open_content(path, raw), Content)


def test_h2_a_hundred_thousand_members_are_not_listed_to_find_out_what_a_file_is() -> None:
    opened = open_content(b"a.docx", DOCX + b"PK\x01\x02" * 20_000)
    assert isinstance(opened, Skipped)
