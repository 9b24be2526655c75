"""A folder with one of each format is synced; every question finds its document and the part of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from brain_dagster.settings import Settings
from brain_dagster.store.pool import Database
from tests.corpora import office
from tests.support.pipeline import add_folder, sync

Run = Callable[..., tuple[int, str, str]]


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": "# Weighing\n\nScales under every hive."},
        {"cell_type": "code", "source": "load = read_scales()", "execution_count": 7, "outputs": []},
        {"cell_type": "markdown", "source": "# Varroa\n\nMites are counted on the varroaboard."},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


def mail(subject: str, body: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Zoë <zoe@bees.org>", "bob@bees.org", subject
    message["Date"] = "Wed, 01 May 2024 10:22:00 +0000"
    message.set_content(body)
    return message.as_bytes()


def mailbox() -> bytes:
    letters = [mail("Feeding", "Sugarwater in autumn."), mail("Swarm", "A swarm hangs in the lindentree.")]
    return b"".join(b"From zoe@bees.org Wed May  1 10:22:00 2024\n" + each + b"\n" for each in letters)


def conversation() -> bytes:
    said = [
        {"type": "message", "user": "U1", "ts": "1714558920.000100", "text": "the smoker is in the greenshed"}
    ]
    return json.dumps(said).encode()


FILES = {
    "handbook.docx": office.handbook(),
    "talk.pptx": office.talk(),
    "budget.xlsx": office.workbook(
        {"Tools": [["Tool", "Price"], ["veil", 8]], "Jars": [["Jar", "Count"], ["honeyjar", 40]]}
    ),
    "scales.ipynb": notebook(),
    "letter.eml": mail("Order", "Please order thirty frames of foundationwax."),
    "letters.mbox": mailbox(),
    "2024-05-01.json": conversation(),
}  # fmt: skip

# Question, document that must come back, its kind, its page and label (None: lines of a text).
QUESTIONS: list[tuple[str, str, str, int | None, str | None]] = [
    ("smoker price", "handbook.docx", "section", None, None),
    ("mention the drones", "talk.pptx", "slide", 1, "slide 1"),
    ("honey june", "talk.pptx", "slide", 2, "slide 2"),
    ("honeyjar", "budget.xlsx", "sheet", 2, "sheet Jars, rows 1-2"),
    ("read_scales", "scales.ipynb", "cell", 1, "cells 1-2"),
    ("varroaboard", "scales.ipynb", "cell", 3, "cell 3"),
    ("foundationwax", "letter.eml", "message", 1, "message 1, 2024-05-01, Order"),
    ("lindentree", "letters.mbox", "message", 2, "message 2, 2024-05-01, Swarm"),
    ("greenshed", "2024-05-01.json", "", None, None),
]


@pytest.fixture
def search(brain: Run, db: Database, tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Sync the folder and return the best excerpt of a question."""
    folder = tmp_path / "apiary"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    add_folder(db, "apiary", folder)
    sync(db, "apiary", Settings(home=tmp_path / "home"))
    db.run("UPDATE brain.collection SET inline_token_limit = 0")

    def ask(question: str) -> dict[str, Any]:
        code, out, err = brain("search", question, "--as", "ann", "--mode", "lexical", "--json")
        assert (code, err) == (0, "")
        best: dict[str, Any] = json.loads(out)["excerpts"][0]
        return best

    return ask


def test_every_format_is_found_by_its_words_and_cited_by_its_part(
    search: Callable[[str], dict[str, Any]], db: Database
) -> None:
    for question, path, kind, page, label in QUESTIONS:
        best = search(question)
        assert (best["path"], best["page"], best["page_label"]) == (path, page, label), question
        if kind:
            assert best["kind"] == kind, question
        assert (best["start_line"] is None) == (page is not None), question
    state = db.all("SELECT path, state, reason FROM brain.document WHERE state <> 'ready'")
    assert state == []
    titles = dict(db.all("SELECT path, title FROM brain.document"))
    assert titles["handbook.docx"] == "Keeping of bees"
    assert titles["letter.eml"] == "Order"
    assert titles["scales.ipynb"] == "Weighing"
