"""`brain search`: the contract that other programs read, what people see, and the explanation."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from brain_dagster.query.trace import Dropped
from brain_dagster.score import ScoreKind
from brain_dagster.store.pool import Database
from brain_dagster.surface.cli.explain import DROPPED_WORDS, SCORE_WORDS
from tests.support.seed import Passage, add_collection, add_document, add_source, add_unready_document

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def brain(brain: Run, db: Database) -> Run:
    """The command line against a small shop."""
    source = add_source(db, "shop-code", add_collection(db, "code", description="how we pay", places=("#x",)))
    passages = [
        Passage("def settlement():\n\treturn '\x1b[2J'\n\n" + "pass\n" * 20, symbol="settlement"),
        Passage("a printed page", page=3),
    ]
    add_document(db, source, "shop/pay.py", passages, revision="abc")
    add_unready_document(db, source, "scan.pdf", "failed")
    return brain


def test_search_prints_the_contract(brain: Run, db: Database) -> None:
    code, out, err = brain("search", "settlement", "--mode", "lexical", "--json")
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    assert list(answer) == ["query", "mode", "missing", "excerpts"]
    assert (answer["query"], answer["mode"], answer["missing"]) == ("settlement", "lexical", [])
    (excerpt,) = answer["excerpts"]
    assert list(excerpt) == [
        "collection", "source", "path", "start_line", "end_line", "page", "symbol", "score", "score_kind",
        "revision", "indexed_at", "text", "chunks", "twins", "page_label", "kind",
    ]  # fmt: skip
    assert isinstance(excerpt.pop("score"), float)
    assert datetime.fromisoformat(excerpt.pop("indexed_at")).tzinfo is not None
    assert excerpt.pop("text").startswith("def settlement():\n\treturn '\x1b[2J'")
    chunk = db.one("SELECT id FROM brain.chunk WHERE symbol = 'settlement'")
    assert chunk is not None and excerpt.pop("chunks") == [chunk[0]]
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
        "twins": [],
        "page_label": None,
        "kind": "lines",
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


def seed_copy(db: Database) -> None:
    """A second collection with a copy of one passage, and a file that says something else."""
    source = add_source(db, "shop-fork", add_collection(db, "fork"))
    add_document(db, source, "copied/pay.py", [Passage("a printed page", page=7)])
    add_document(db, source, "notes.md", ["printed by hand"])


def test_a_twin_is_named_and_takes_no_place(brain: Run, db: Database) -> None:
    seed_copy(db)
    code, out, _ = brain("search", "a printed page of the shop", "--mode", "lexical", "--json")
    first, *others = json.loads(out)["excerpts"]
    assert (code, first["path"], first["page"]) == (0, "shop/pay.py", 3)
    # The copy has no place of its own, and what merely shares a word with it has.
    assert "copied/pay.py" not in {other["path"] for other in others}
    assert "notes.md" in {other["path"] for other in others}
    assert first["twins"] == [
        {
            "collection": "fork",
            "source": "shop-fork",
            "path": "copied/pay.py",
            "start_line": None,
            "end_line": None,
            "page": 7,
            "page_label": None,
            "kind": "page",
        }
    ]
    _, out, _ = brain("search", "a printed page of the shop", "--mode", "lexical")
    assert "     also in fork/shop-fork: copied/pay.py, page 7" in out.splitlines()


def test_explain_adds_one_key_and_changes_nothing_else(brain: Run, db: Database) -> None:
    seed_copy(db)
    plain = json.loads(brain("search", "a printed page of the shop", "--json")[1])
    code, out, _ = brain("search", "a printed page of the shop", "--json", "--explain")
    answer = json.loads(out)
    trace = answer.pop("trace")
    assert (code, answer) == (0, plain)
    assert list(trace) == ["scope", "lists", "dropped", "ranked_by", "missing", "ms"]
    assert trace["scope"] == [
        {"collection": "code", "reason": "reader alice, in private"},
        {"collection": "fork", "reason": "reader alice, in private"},
    ]
    assert trace["missing"] == answer["missing"] != []
    (twin,) = [dropped for dropped in trace["dropped"] if dropped["by"] == "twin"]
    copy = db.one("SELECT c.id FROM brain.chunk c WHERE c.page = 7")
    assert copy is not None and twin["chunks"] == [copy[0]]


def test_people_read_the_explanation_below_the_answer(brain: Run, db: Database) -> None:
    seed_copy(db)
    arguments = ("search", "a printed page of the shop", "--mode", "lexical")
    _, plain, _ = brain(*arguments)
    code, out, _ = brain(*arguments, "--explain")
    assert (code, out[: len(plain)]) == (0, plain)
    lines = out[len(plain) :].splitlines()
    assert lines[0].startswith("ranked by bm25: BM25, the weight of the question's words")
    # Data on stdout, so that a pipe gets it: tables with a header line, fields separated by tabs.
    assert "searched" in lines
    assert "code\treader alice, in private" in lines
    assert "half\tcollection\thow\tcandidates\tms\tnote" in lines
    looked = [line.split("\t")[:2] for line in lines if line.startswith("lexical\t")]
    assert looked == [["lexical", "code"], ["lexical", "fork"]]
    copy = db.one("SELECT c.id FROM brain.chunk c WHERE c.page = 7")
    assert copy is not None
    assert f"twin\t1\tsame text as an excerpt, which names the place\t{copy[0]}" in lines
    took = lines[lines.index("took") + 2 :]
    assert [line.split("\t")[0] for line in took] == ["total", "embed", "gather"]


def test_an_inline_answer_explains_that_nothing_was_ranked(brain: Run, db: Database) -> None:
    db.run("UPDATE brain.collection SET inline_token_limit = 1000")
    _, out, _ = brain("search", "anything", "--explain")
    assert "ranked by nothing: the collection is small and was handed over whole, in reading order" in out
    trace = json.loads(brain("search", "anything", "--explain", "--json")[1])["trace"]
    assert (trace["ranked_by"], trace["lists"], trace["dropped"]) == (None, [], [])


def test_many_dropped_chunks_are_counted_and_a_few_are_named(brain: Run, db: Database) -> None:
    source = add_source(db, "many", add_collection(db, "many"))
    for number in range(20):
        add_document(db, source, f"{number}.md", [f"settlement {'word ' * number}of number {number}"])
    _, out, _ = brain("search", "settlement", "--mode", "lexical", "-k", "1", "--explain")
    (row,) = [line.split("\t") for line in out.splitlines() if line.startswith("limit\t")]
    assert row[1:3] == ["20", "below the excerpts asked for"]
    assert len(row[3].split(" and ")[0].split()) == 12
    assert row[3].endswith(" and 8 more")


def test_every_kind_of_score_and_of_drop_is_put_into_words() -> None:
    assert set(SCORE_WORDS) == set(ScoreKind)
    described = inspect.getdoc(Dropped) or ""
    kinds = re.search(r"by +(\w+(?: \| \w+)+)", described)
    assert kinds is not None
    assert set(kinds[1].split(" | ")) == set(DROPPED_WORDS)
