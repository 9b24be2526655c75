"""A question that is a name, a path or a message finds the one place that bears it, at rank 1."""

from __future__ import annotations

import pytest

from brain_dagster.model import Mode, Principal
from brain_dagster.query import search
from brain_dagster.score import ScoreKind
from brain_dagster.store.pool import Database
from tests.support.seed import (
    Passage,
    PointingEmbedder,
    add_collection,
    add_document,
    add_source,
    add_space,
)

ALICE = Principal("alice")
NEAR, FAR = (1.0, 0.0, 0.0, 0.0), (-1.0, 0.1, 0.0, 0.0)


@pytest.fixture
def code(db: Database) -> tuple[Database, PointingEmbedder]:
    """Files that talk about everything asked below, near in meaning too; the right place is far from it."""
    space = add_space(db)
    source = add_source(db, "code", add_collection(db, "code"))
    loud = "get user get user pool exhausted connection no such column order id termui settings"
    for number in range(8):
        add_document(db, source, f"noise/get_user_{number}.py", [Passage(loud, NEAR)] * 3, space=space)
    add_document(
        db,
        source,
        "src/people.py",
        [
            Passage("import os", FAR),
            Passage("def get_user(key): return table[key]", FAR, symbol="get_user"),
            Passage("def count(): ...\n" + "filler " * 50, FAR, symbol="Table.count"),
        ],
        space=space,
    )
    add_document(
        db,
        source,
        "src/errors.py",
        [Passage("raise PoolError(\n    'the connection pool'\n    ' is exhausted after %s s')", FAR)],
        space=space,
    )
    add_document(db, source, "src/click/termui.py", [Passage("one", FAR), Passage("two", FAR)], space=space)
    add_document(db, source, "conf/env.md", [Passage("BRAIN_POOL_SIZE is read once", FAR)], space=space)
    return db, PointingEmbedder(space, NEAR)


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("get_user", "src/people.py", 2),
        ("`get_user()`", "src/people.py", 2),
        ("where is get_user defined?", "src/people.py", 2),
        ("people.get_user", "src/people.py", 2),
        ("Table.count", "src/people.py", 3),
        ("count", "src/people.py", 3),
        ("src/click/termui.py", "src/click/termui.py", 1),
        ("click\\termui.py", "src/click/termui.py", 1),
        ("TERMUI.PY", "src/click/termui.py", 1),
        ("/checkout/project/src/click/termui.py", "src/click/termui.py", 1),
        ("what is in click/termui.py?", "src/click/termui.py", 1),
        ("the connection pool is exhausted", "src/errors.py", 1),
        ('who raises "connection pool is exhausted"', "src/errors.py", 1),
        ("BRAIN_POOL_SIZE", "conf/env.md", 1),
    ],
)
def test_what_is_quoted_exactly_is_at_rank_1(
    code: tuple[Database, PointingEmbedder], question: str, path: str, line: int
) -> None:
    db, embedder = code
    result = search(db, embedder, ALICE, question, mode=Mode.HYBRID, limit=5)
    first = result.excerpts[0]
    assert first.path == path
    assert first.start_line is not None and first.end_line is not None
    assert first.start_line <= line <= first.end_line
    assert first.score.kind is ScoreKind.RRF
    assert any(row.half == "exact" and row.collection == "code" for row in result.trace.lists)


def test_a_name_in_a_sentence_that_is_declared_twice_is_left_to_the_ranking(
    code: tuple[Database, PointingEmbedder],
) -> None:
    db, embedder = code
    source = db.one("SELECT id FROM brain.source")
    assert source is not None
    add_document(db, source[0], "src/other.py", [Passage("def get_user(): ...", FAR, symbol="get_user")])
    result = search(db, embedder, ALICE, "where is get_user defined?", mode=Mode.HYBRID)
    assert not [row for row in result.trace.lists if row.half == "exact"]
    both = search(db, embedder, ALICE, "get_user", mode=Mode.HYBRID, limit=5)
    assert {excerpt.path for excerpt in both.excerpts[:2]} == {"src/people.py", "src/other.py"}


@pytest.mark.parametrize("question", ["pay the user", "xyzzy_nowhere", "no/such/file.py", "%_", "a.b"])
def test_what_stands_nowhere_makes_no_list(code: tuple[Database, PointingEmbedder], question: str) -> None:
    db, embedder = code
    result = search(db, embedder, ALICE, question, mode=Mode.HYBRID)
    assert not [row for row in result.trace.lists if row.half == "exact"]


def test_i3_a_name_in_a_closed_collection_is_not_found(code: tuple[Database, PointingEmbedder]) -> None:
    db, embedder = code
    secret = add_source(db, "vault", add_collection(db, "vault", readers=("bob",)))
    add_document(db, secret, "vault.py", [Passage("def open_vault(): ...", symbol="open_vault")])
    assert all(e.path != "vault.py" for e in search(db, embedder, ALICE, "open_vault").excerpts)
    assert (
        search(db, embedder, Principal("bob"), "open_vault", mode=Mode.HYBRID).excerpts[0].path == "vault.py"
    )
