"""`brain eval`: data on stdout, words on stderr, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brain_dagster.errors import Transient
from brain_dagster.settings import settings
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database
from brain_dagster.surface.cli import main
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space

Brain = Callable[..., int]


@pytest.fixture
def brain(db: Database, db_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Brain]:
    """The command line on a store with two notes that alice may read."""
    migrate(db_url)
    space = add_space(db)
    source = add_source(db, "notes", add_collection(db, "notes"))
    for name in ("wasp", "bee"):
        passage = Passage(f"what the {name} does all day", (1.0, 0, 0, 0))
        add_document(db, source, f"{name}.md", [passage], space=space)
    monkeypatch.setenv("BRAIN_DATABASE_URL", db_url)
    monkeypatch.setenv("BRAIN_USER", "alice")
    settings.cache_clear()

    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as left:
            main(["eval", *arguments])
        assert isinstance(left.value.code, int)
        return left.value.code

    yield run
    settings.cache_clear()


@pytest.fixture
def goldset(tmp_path: Path) -> str:
    path = tmp_path / "notes.jsonl"
    names = ("wasp", "bee")
    cases = [{"id": n, "query": f"the {n}", "expect": f"{n}.md", "source": "notes"} for n in names]
    path.write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    return str(path)


def test_json_is_one_document_on_stdout_and_the_words_are_on_stderr(
    brain: Brain, goldset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brain(goldset, "--mode", "lexical", "--json") == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["goldset"], report["cases"], report["measurable"]) == ("notes", 2, 2)
    assert [case["rank"] for case in report["per_case"]] == [{"lexical": 1}, {"lexical": 1}]
    assert "notes: evaluate: 2 questions in lexical" in err
    assert "notes: no-baseline" in err


def test_the_model_is_opened_only_for_a_mode_that_needs_it(
    brain: Brain, goldset: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise Transient("the model was opened")

    monkeypatch.setattr("brain_dagster.embed.open_embedder", refuse)
    assert brain(goldset, "--mode", "lexical") == 0
    assert brain(goldset, "--mode", "dense") == 3
    assert "the model was opened" in capsys.readouterr().err


def test_a_table_for_people_names_the_modes_and_the_metrics(
    brain: Brain, goldset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brain(goldset, "--mode", "lexical") == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split("\t")[:3] == ["mode", "recall@1", "recall@3"]
    assert row.split("\t")[:3] == ["lexical", "100.0", "100.0"]


def test_a_drop_after_acceptance_exits_1_until_it_is_accepted(
    brain: Brain, goldset: str, db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brain(goldset, "--mode", "lexical", "--accept") == 0
    assert "is the baseline of notes now" in capsys.readouterr().err
    db.run("UPDATE brain.chunk SET terms = '{}', bm25 = '{}/1000000000'::sparsevec")
    assert brain(goldset, "--mode", "lexical") == 1
    assert "lexical recall@10 fell from 100.0 % to 0.0 %" in capsys.readouterr().err
    assert brain(goldset, "--mode", "lexical", "--accept") == 0
    assert brain(goldset, "--mode", "lexical") == 0


def test_on_behalf_of_somebody_who_may_read_nothing_nothing_is_measurable(
    brain: Brain, goldset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert brain(goldset, "--mode", "lexical", "--as", "mallory", "--accept", "--json") == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["unmeasurable"] == {"wasp": "not listed", "bee": "not listed"}
    assert "none of the 2 cases is measurable" in err
    assert "is the baseline" not in err


def test_a_goldset_that_is_not_one_exits_2_with_the_line_numbers(
    brain: Brain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"id": "a", "query": "q", "expect": "x"}\n{"id": "b"}\n[]\n', encoding="utf-8")
    assert brain(str(path)) == 2
    err = capsys.readouterr().err
    for problem in ("line 2: query is missing", "line 2: expect is missing", "line 3: a JSON object"):
        assert problem in err


def test_a_missing_goldset_an_unknown_mode_and_an_unknown_collection_exit_2(
    brain: Brain, goldset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, complaint in (
        ([str(tmp_path / "nowhere.jsonl")], "cannot be read: No such file or directory"),
        ([goldset, "--mode", "psychic"], "'psychic' is not one of"),
        ([goldset, "--mode", "lexical", "--collection", "nowhere"], "nowhere: There is no collection"),
    ):
        assert brain(*arguments) == 2
        assert complaint in capsys.readouterr().err
