"""`brain search` and `brain manifest`: the contracts that other programs read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from brain_dagster.settings import settings
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database
from brain_dagster.surface.cli import main
from tests.support.seed import Passage, add_collection, add_document, add_source, add_unready_document

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def brain(
    db: Database, db_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Run the command line in this process against a small shop; returns exit code, stdout, stderr."""
    source = add_source(db, "shop-code", add_collection(db, "code", description="how we pay", places=("#x",)))
    passages = [
        Passage("def settlement():\n\treturn '\x1b[2J'\n\n" + "pass\n" * 20, symbol="settlement"),
        Passage("a printed page", page=3),
    ]
    add_document(db, source, "shop/pay.py", passages, revision="abc")
    add_unready_document(db, source, "scan.pdf", "failed")
    monkeypatch.setenv("BRAIN_DATABASE_URL", db_url)
    monkeypatch.setenv("BRAIN_USER", "alice")
    settings.cache_clear()
    migrate(db_url)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    yield run
    settings.cache_clear()


def test_search_prints_the_contract(brain: Run) -> None:
    code, out, err = brain("search", "settlement", "--mode", "lexical", "--json")
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    assert list(answer) == ["query", "mode", "missing", "excerpts"]
    assert (answer["query"], answer["mode"], answer["missing"]) == ("settlement", "lexical", [])
    (excerpt,) = answer["excerpts"]
    assert list(excerpt) == [
        "collection", "source", "path", "start_line", "end_line", "page", "symbol", "score", "score_kind",
        "revision", "indexed_at", "text",
    ]  # fmt: skip
    assert isinstance(excerpt.pop("score"), float)
    assert datetime.fromisoformat(excerpt.pop("indexed_at")).tzinfo is not None
    assert excerpt.pop("text").startswith("def settlement():\n\treturn '\x1b[2J'")
    assert excerpt == {
        "collection": "code",
        "source": "shop-code",
        "path": "shop/pay.py",
        "start_line": 1,
        "end_line": 1,
        "page": None,
        "symbol": "settlement",
        "score_kind": "bm25",
        "revision": "abc",
    }


def test_an_inline_answer_has_no_score(brain: Run, db: Database) -> None:
    db.run("UPDATE brain.collection SET inline_token_limit = 1000")
    code, out, _ = brain("search", "anything", "--json", "-k", "1")
    answer = json.loads(out)
    assert (code, answer["mode"]) == (0, "inline")
    assert [(e["score"], e["score_kind"]) for e in answer["excerpts"]] == [(None, "inline")] * 2
    assert [(e["page"], e["start_line"]) for e in answer["excerpts"]] == [(None, 1), (3, None)]


def test_people_see_the_place_the_kind_of_score_and_the_first_lines(brain: Run) -> None:
    code, out, err = brain("search", "settlement", "--mode", "lexical")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].startswith("  1  code/shop-code: shop/pay.py:1  settlement  bm25 ")
    assert lines[1] == "     | def settlement():"
    # A file's text must not steer the terminal it is shown on.
    assert lines[2] == "     |     return '\ufffd[2J'"
    assert lines[7] == "     | … 16 more lines"
    assert "\x1b" not in out


def test_a_page_is_shown_as_a_page(brain: Run) -> None:
    _, out, _ = brain("search", "printed", "--mode", "lexical")
    assert "shop/pay.py, page 3" in out.splitlines()[0]


def test_a_missing_half_is_told_to_people_and_programs(brain: Run) -> None:
    code, out, err = brain("search", "?!", "--mode", "lexical", "--json")
    answer = json.loads(out)
    assert (code, answer["excerpts"]) == (0, [])
    assert answer["missing"] == ["lexical: there is no word in the question"]
    assert "missing: lexical" in err


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["search", ""], 2, "empty_question"),
        (["search", "x" * 40_000], 2, "question_too_long"),
        (["search", "word", "--collection", "secret"], 2, "unknown_collection"),
        (["search", "word", "--as", "bob", "--collection", "code"], 2, "unknown_collection"),
        (["search", "word", "--place", "#y", "--collection", "code"], 2, "unknown_collection"),
        (["search", "word", "-k", "0"], 2, "bad_usage"),
        (["search", "word", "--mode", "best"], 2, "bad_usage"),
        (["search"], 2, "bad_usage"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_its_reason(
    brain: Run, arguments: list[str], code: int, error: str
) -> None:
    got, out, err = brain(*arguments, "--json")
    assert got == code
    assert json.loads(out)["error"]["code"] == error
    assert err.startswith("brain: ")


def test_i3_another_user_finds_nothing(brain: Run) -> None:
    code, out, err = brain("search", "settlement", "--mode", "lexical", "--as", "bob")
    assert (code, out) == (0, "")
    assert "brain manifest" in err


def test_the_manifest_names_subject_counts_and_files(brain: Run) -> None:
    code, out, _ = brain("manifest", "--place", "#x", "--json")
    answer = json.loads(out)
    assert (code, answer["user"], answer["place"]) == (0, "alice", "#x")
    assert "not what the file holds" in answer["caveat"]
    assert answer["collections"] == [
        {
            "collection": "code",
            "description": "how we pay",
            "reason": "reader alice, spoken in #x",
            "documents": {"ready": 1, "processing": 0, "failed": 1, "skipped": 0},
            "chunks": 2,
            "files": [{"source": "shop-code", "path": "shop/pay.py"}],
            "more_files": 0,
        }
    ]


def test_people_read_the_manifest_with_the_subject_first(brain: Run) -> None:
    _, out, err = brain("manifest")
    assert out.splitlines()[:3] == [
        "code: how we pay",
        "  1 documents ready in 2 chunks, 1 failed; reader alice, in private",
        "    shop-code: shop/pay.py",
    ]
    assert "not what the file holds" in err
    assert brain("manifest", "--as", "bob")[1:] == ("", "bob may search nothing\n")
