"""The installed command against a real database: sources, collections, status, doctor, export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest

from brain_dagster.errors import NotTheOwner
from brain_dagster.store.pool import Database
from tests.support.cli import Done, run_brain
from tests.support.seed import Passage, add_document, add_space

BRAIN = Path(sys.executable).with_name("brain")
Run = Callable[..., Done]


@pytest.fixture
def brain(db_url: str, tmp_path: Path) -> Run:
    """Run `brain` as ann on a migrated database, with an empty BRAIN_HOME and another working directory."""
    environment = {
        "BRAIN_DATABASE_URL": db_url,
        "BRAIN_HOME": str(tmp_path / "home"),
        "BRAIN_USER": "ann",
    }

    def run(*arguments: str, code: int = 0) -> Done:
        done = run_brain(arguments, environment=environment, folder=tmp_path)
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done

    run("init")
    return run


def as_json(brain: Run, *arguments: str, code: int = 0) -> Any:
    return json.loads(brain(*arguments, "--json", code=code).stdout)


def add_wiki(brain: Run, tmp_path: Path, *more: str) -> Any:
    (tmp_path / "wiki").mkdir(exist_ok=True)
    place = ("--kind", "folder", "--location", "wiki", "--collection", "handbook")
    return as_json(brain, "source", "add", "wiki", *place, *more)


def test_init_says_once_what_it_did(brain: Run) -> None:
    done = brain("init")
    assert (done.stdout, done.stderr) == ("", "the database is up to date\n")
    assert as_json(brain, "init")["applied"] == []


def test_uninitialised_server_is_left_alone_until_init(empty_url: str, tmp_path: Path) -> None:
    """Others may share a server: only `brain init` changes it. Here through the installed script."""
    environment = os.environ | {"BRAIN_DATABASE_URL": empty_url, "BRAIN_HOME": str(tmp_path)}
    done = subprocess.run(
        [BRAIN, "source", "list"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "run `brain init` to migrate it" in done.stderr
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT to_regnamespace('brain')").fetchone() == (None,)


def test_source_is_added_listed_and_removed(brain: Run, tmp_path: Path) -> None:
    added = add_wiki(brain, tmp_path, "--include", "*.md", "--include", "*.txt", "--reader", "bob")
    assert (added["key"], added["collection"], added["include"]) == ("wiki", "handbook", ["*.md", "*.txt"])
    assert added["location"] == str(tmp_path / "wiki"), "run workers stand elsewhere"
    listed = brain("source", "list")
    assert listed.stdout.splitlines()[1].split("\t")[:3] == ["wiki", "folder", "handbook"]
    assert listed.stderr == ""
    assert as_json(brain, "source", "list") == [added]
    assert as_json(brain, "source", "remove", "wiki") == {"key": "wiki", "documents": 0, "chunks": 0}
    assert as_json(brain, "source", "list") == []
    assert as_json(brain, "source", "remove", "wiki", code=2)["error"]["code"] == "unknown_source"


def test_bad_requests_are_refused_with_what_to_do(brain: Run, tmp_path: Path) -> None:
    place = ("--kind", "folder", "--location", str(tmp_path), "--collection", "handbook")
    error = as_json(brain, "source", "add", "My Wiki", *place, code=2)["error"]
    assert "Try `my-wiki`" in error["message"]
    brain("source", "add", "x", "--kind", "carrier-pigeon", *place[2:], code=2)
    brain("source", "add", "x", "--kind", "folder", "--location", "nowhere", "--collection", "h", code=2)
    add_wiki(brain, tmp_path)
    assert "--replace" in brain("source", "add", "wiki", *place, code=2).stderr
    assert as_json(brain, "source", "add", "wiki", *place, "--replace")["location"] == str(tmp_path)
    assert as_json(brain, "source", "add", "two", *place, "--as", "eve", code=2)["error"] == {
        "code": "not_the_owner",
        "message": NotTheOwner().message,
        "subject": "handbook",
        "retry_after_s": None,
    }


def test_collection_belongs_to_who_added_its_first_source(brain: Run, tmp_path: Path) -> None:
    add_wiki(brain, tmp_path)
    brain("collection", "describe", "handbook", "How we work")
    assert as_json(brain, "collection", "grant", "handbook", "bob") == {
        "collection": "handbook",
        "changed": True,
    }
    brain("collection", "speak", "handbook", "#support")
    shown = as_json(brain, "collection", "show", "handbook", "--as", "bob")
    assert (shown["description"], shown["readers"], shown["places"]) == (
        "How we work",
        ["ann", "bob"],
        ["#support"],
    )
    brain("collection", "grant", "handbook", "eve", "--as", "bob", code=2)
    brain("collection", "revoke", "handbook", "bob")
    brain("collection", "speak", "handbook", "#support", "--never")
    assert as_json(brain, "collection", "list", "--as", "bob") == []
    (listed,) = as_json(brain, "collection", "list")
    assert (listed["readers"], listed["places"]) == (["ann"], [])


@pytest.fixture
def filled(brain: Run, db: Database, tmp_path: Path) -> Run:
    """ann's collection `handbook` with one document of two chunks, one of them without a vector."""
    source = add_wiki(brain, tmp_path)
    passages = [Passage("apples and pears", (1, 0, 0, 0)), Passage("plums")]
    add_document(db, source["id"], "fruit.md", passages, space=add_space(db))
    return brain


def test_status_counts_what_is_there_now(filled: Run, db: Database) -> None:
    db.run(
        "INSERT INTO brain.sync_run (source_id, generation, run_key, state, revision, listing_token,"
        " listing_is_complete, recipe, listed) SELECT id, 1, 'run-1', 'running', 'r', 't', true, 'r', 1"
        " FROM brain.source"
    )
    db.run(
        "INSERT INTO brain.embedding_failure (space_id, key, reason)"
        " SELECT p.id, c.embed_key, 'nan' FROM brain.embedding_space p, brain.chunk c LIMIT 1"
    )
    found = as_json(filled, "status")
    (source,) = found["sources"]
    assert (source["key"], source["ready"], source["failed"], source["chunks"]) == ("wiki", 1, 0, 2)
    assert source["last_synced_at"] is None
    assert [(run["source"], run["run_key"], run["is_alive"]) for run in found["running"]] == [
        ("wiki", "run-1", False)
    ]
    (space,) = found["spaces"]
    assert (space["state"], space["vectors"], space["failed_embeddings"]) == ("active", 1, 1)
    assert space["index_is_valid"] is None
    assert "its process is gone; sync it again" in filled("status").stderr
    holder = db.direct()
    holder.execute("SELECT pg_advisory_lock(hashtext('brain.source'), id) FROM brain.source")
    assert as_json(filled, "status")["running"][0]["is_alive"] is True
    holder.close()


def test_doctor_exits_1_while_a_rule_is_broken(filled: Run, db: Database) -> None:
    report = as_json(filled, "doctor", code=1)
    assert [v["invariant"] for v in report["violations"]] == ["chunk_without_embedding"]
    assert report["violations"][0]["subject"] == "wiki:fruit.md"
    assert "1 of 15 invariants are broken" in filled("doctor", code=1).stderr
    db.run("DELETE FROM brain.document")
    db.run("DELETE FROM brain.source_term")
    report = as_json(filled, "doctor")
    assert report["healthy"] is True
    assert report["violations"] == []
    assert report["search_role"] == "usable"
    assert report["versions"]["dagster"] == "1.13.27"


def test_i3_exported_chunks_are_those_the_principal_may_read(filled: Run, tmp_path: Path) -> None:
    assert as_json(filled, "export", "chunks", "mine.parquet")["rows"] == 2
    table = pq.read_table(tmp_path / "mine.parquet")
    assert table.column("text").to_pylist() == ["apples and pears", "plums"]
    assert set(table.column("path").to_pylist()) == {"fruit.md"}
    assert set(table.column("collection").to_pylist()) == {"handbook"}
    assert as_json(filled, "export", "chunks", "eves.parquet", "--as", "eve")["rows"] == 0
    assert pq.read_table(tmp_path / "eves.parquet").schema == table.schema


def test_exported_evaluation_has_a_row_per_case_and_mode(brain: Run, db: Database, tmp_path: Path) -> None:
    db.run(
        "WITH run AS (INSERT INTO brain.eval_run (goldset, goldset_hash, principal, space, recipe,"
        " code_version, modes, cases, measurable, verdict, started_at)"
        " VALUES ('g', 'h', 'ann', 's', 'r', 'v', '{dense}', 2, 1, 'passed', now()) RETURNING id)"
        " INSERT INTO brain.eval_case (eval_run_id, case_id, mode, query, expect, measurable, why_not, rank)"
        " SELECT run.id, c.* FROM run, (VALUES ('one', 'dense', 'q1', 'a.md', true, NULL, 3),"
        " ('two', 'dense', 'q2', 'b.md', false, 'not indexed', NULL)) AS c"
    )
    assert as_json(brain, "export", "eval", "cases.parquet")["rows"] == 2
    rows = pq.read_table(tmp_path / "cases.parquet").to_pylist()
    assert [(r["case_id"], r["rank"], r["measurable"], r["why_not"]) for r in rows] == [
        ("one", 3, True, None),
        ("two", None, False, "not indexed"),
    ]
    assert rows[0]["finished_at"].tzinfo is not None


def test_export_into_no_folder_is_refused_and_leaves_nothing(brain: Run, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    error = as_json(brain, "export", "eval", "no/such/folder.parquet", code=2)["error"]
    assert error["code"] == "file_unwritable"
    assert sorted(tmp_path.iterdir()) == before


def test_server_that_does_not_answer_exits_3(tmp_path: Path) -> None:
    environment = {"BRAIN_DATABASE_URL": "postgresql://ann:hunter2@127.0.0.1:1/brain"}
    done = run_brain(["status", "--json"], environment=environment, folder=tmp_path)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "database_unavailable"
    assert "hunter2" not in done.stdout + done.stderr
