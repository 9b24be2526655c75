"""One small collection alone is handed over whole: as it reads, unranked, and only if it fits."""

from __future__ import annotations

import pytest

from brain_dagster.model import Mode, Principal
from brain_dagster.query import search
from brain_dagster.query.trace import SearchResult
from brain_dagster.score import ScoreKind
from brain_dagster.store.pool import Database
from tests.support.seed import (
    Passage,
    PointingEmbedder,
    add_collection,
    add_document,
    add_source,
    add_space,
    add_unready_document,
)
from tests.support.tiled import add_file

ALICE = Principal("alice")


def ask(db: Database, mode: Mode = Mode.AUTO, limit: int = 10, **arguments: object) -> SearchResult:
    return search(db, None, ALICE, "third", mode=mode, limit=limit, **arguments)  # type: ignore[arg-type]


def add_small(db: Database, name: str = "small", *, limit: int = 40) -> int:
    """A collection of two files, four chunks of ten tokens."""
    source = add_source(db, name, add_collection(db, name, inline_token_limit=limit))
    add_file(db, source, "b.md", ["fourth\n"])
    add_file(db, source, "a.md", [Passage("first\n", symbol="f"), "second ä\n", Passage("third", symbol="g")])
    return source


def test_each_file_comes_whole_in_reading_order_and_unranked(db: Database) -> None:
    add_small(db)
    result = ask(db)
    assert [(e.path, e.text) for e in result.excerpts] == [
        ("a.md", "first\nsecond ä\nthird"),
        ("b.md", "fourth\n"),
    ]
    first = result.excerpts[0]
    assert (first.start_line, first.end_line, first.symbol) == (1, 3, "f, g")
    assert len(first.chunk_ids) == 3
    assert {(e.score.kind, e.score.value) for e in result.excerpts} == {(ScoreKind.INLINE, None)}
    assert (result.mode, result.missing) == ("inline", ())


def test_files_come_by_source_and_then_by_the_bytes_of_their_path(db: Database) -> None:
    collection = add_collection(db, "small", inline_token_limit=100)
    for key in ("z", "a"):
        source = add_source(db, key, collection)
        for path in ("b.md", "B.md", "a/b.md"):
            add_file(db, source, path, [f"{key} {path}\n"])
    assert [(e.source, e.path) for e in ask(db).excerpts] == [
        (key, path) for key in ("a", "z") for path in ("B.md", "a/b.md", "b.md")
    ]


def test_a_page_can_still_be_cited(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "small", inline_token_limit=100))
    passages = [Passage("One. ", page=1), Passage("Still one.", page=1), Passage("Two.", page=2)]
    add_document(db, source, "report.pdf", passages)
    assert [(e.page, e.text) for e in ask(db).excerpts] == [(1, "One. Still one."), (2, "Two.")]


@pytest.mark.parametrize(("cap", "mode"), [(40, "inline"), (39, "hybrid")])
def test_one_token_above_the_cap_is_ranked(db: Database, cap: int, mode: str) -> None:
    add_small(db, limit=cap)
    space = add_space(db)
    result = search(db, PointingEmbedder(space), ALICE, "third")
    assert result.mode == mode
    assert (ScoreKind.INLINE in {e.score.kind for e in result.excerpts}) == (mode == "inline")
    assert result.excerpts[0].path == "a.md"


@pytest.mark.parametrize("state", ["pending", "failed", "skipped"])
def test_documents_that_are_not_ready_neither_appear_nor_count(db: Database, state: str) -> None:
    source = add_small(db)
    add_unready_document(db, source, "c.md", state)
    result = ask(db)
    assert (result.mode, [e.path for e in result.excerpts]) == ("inline", ["a.md", "b.md"])


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.LEXICAL, Mode.HYBRID])
def test_a_mode_that_was_asked_for_is_never_inline(db: Database, mode: Mode) -> None:
    add_small(db)
    result = search(db, PointingEmbedder(add_space(db)), ALICE, "third", mode=mode)
    assert result.mode == mode.value
    assert ScoreKind.INLINE not in {e.score.kind for e in result.excerpts}


def test_the_number_of_excerpts_does_not_cut_a_whole(db: Database) -> None:
    add_small(db)
    assert len(ask(db, limit=1).excerpts) == 2


def test_small_collections_together_are_ranked(db: Database) -> None:
    add_small(db, "one")
    other = add_source(db, "two", add_collection(db, "two", inline_token_limit=40))
    add_file(db, other, "two.md", ["a third of it\n"])
    together = ask(db)
    assert ScoreKind.INLINE not in {e.score.kind for e in together.excerpts}
    assert {(e.collection, e.path) for e in together.excerpts} == {("one", "a.md"), ("two", "two.md")}
    alone = ask(db, collections=["two"])
    assert (alone.mode, [e.path for e in alone.excerpts]) == ("inline", ["two.md"])


def test_i3_a_collection_that_may_not_be_read_does_not_make_two_of_one(db: Database) -> None:
    add_small(db)
    secret = add_collection(db, "secret", readers=("bob",), inline_token_limit=40)
    add_file(db, add_source(db, "secret", secret), "secret.md", ["third\n"])
    assert ask(db).mode == "inline"


def test_an_empty_collection_is_no_answer(db: Database) -> None:
    add_collection(db, "empty", inline_token_limit=40)
    result = ask(db)
    assert (result.excerpts, result.mode == "inline") == ((), False)
