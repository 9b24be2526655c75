"""From a scanned page to an answer that names it: a sync with the reader of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain_dagster.model import Mode, Principal
from brain_dagster.query import search
from brain_dagster.settings import Settings
from brain_dagster.store import checks
from brain_dagster.store import sources as registry
from brain_dagster.store.pool import Database
from tests.corpora import pdf_pictures
from tests.support.pipeline import Sync, add_folder, sync

LEASE = (
    "Lease of the lower meadow, first page of two.",
    "scan The tenant mends the sluice\nbefore Michaelmas.",
)


def settings(home: Path, vision: str) -> Settings:
    return Settings(home=home, vision=vision, vision_timeout_s=120)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "leases"
    place.mkdir()
    (place / "meadow.pdf").write_bytes(pdf_pictures.text_and_scans(LEASE))
    return place


def found(db: Database, words: str) -> list[tuple[str, int | None, str]]:
    result = search(db, None, Principal("ann"), words, mode=Mode.LEXICAL, limit=5)
    return [(excerpt.path, excerpt.page, excerpt.kind) for excerpt in result.excerpts]


def test_g4_word_that_stands_only_in_a_picture_is_found_on_its_page(
    db: Database, tmp_path: Path, folder: Path
) -> None:
    """First without a reader, which the outcome says; then with one, which reads the file again by itself."""
    add_folder(db, "leases", folder)
    sync(db, "leases", settings(tmp_path, "none"), run_key="blind")
    assert found(db, "meadow") == [("meadow.pdf", 1, "page")]
    assert found(db, "sluice Michaelmas") == []
    state = "SELECT state, reason_code, reason, warnings FROM brain.document"
    assert db.one(state) == (
        "ready",
        "needs-ocr",
        "page 2 has no usable text layer; it needs OCR",
        [],
    )

    sync(db, "leases", settings(tmp_path, "rapidocr"), run_key="seeing")
    assert found(db, "sluice Michaelmas") == [("meadow.pdf", 2, "scan")]
    ready, code, how, warnings = db.one(state) or ("", "", "", [])
    assert (ready, code, warnings) == ("ready", None, [how])
    assert how.startswith("page 2 read from its picture by rapidocr (PP-OCRv6), confidence ")
    outcomes = "SELECT outcome, rule, reason FROM brain.outcome ORDER BY run_id"
    assert db.all(outcomes) == [
        ("indexed", "needs-ocr", "page 2 has no usable text layer; it needs OCR"),
        ("indexed", None, how),
    ]


def test_g4_check_counts_documents_of_which_some_pages_were_not_read(
    db: Database, tmp_path: Path, folder: Path
) -> None:
    from brain_dagster.embed import bind_embedder
    from brain_dagster.store.claims import claim, release_all
    from tests.support.pipeline import WordHashEmbedder

    (folder / "deed.pdf").write_bytes(pdf_pictures.scanned(["A deed."]))
    (folder / "typed.pdf").write_bytes(pdf_pictures.text_and_scans(["Typed."]))
    add_folder(db, "leases", folder)
    one = Sync(db, "leases", settings(tmp_path, "none"), bind_embedder(WordHashEmbedder(), db), "run")
    claim(db, one.source, "run")
    try:
        one.diff()
        one.chunks()
        unread = checks.unread_scans(db, registry.get_source(db, "leases")).rows()
    finally:
        release_all("run")
    assert unread == [
        ("deed.pdf", "page 1 has no usable text layer; it needs OCR"),
        ("meadow.pdf", "page 2 has no usable text layer; it needs OCR"),
    ]
