"""Excerpts from the real store: what a search shows of the chunks it ranked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from brain_dagster.model import Candidate, Mode, Principal
from brain_dagster.query import search
from brain_dagster.query.excerpts import Chosen, choose_excerpts
from brain_dagster.query.scope import resolve_scope
from brain_dagster.query.trace import SearchResult
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading
from tests.support.seed import Passage, add_collection, add_document, add_source
from tests.support.shelf import dropped
from tests.support.tiled import add_file, chunk_ids

ALICE = Principal("alice")


def ask(db: Database, text: str, limit: int = 10) -> SearchResult:
    return search(db, None, ALICE, text, mode=Mode.LEXICAL, limit=limit)


def choose(db: Database, ranking: Sequence[int], limit: int = 10, who: Principal = ALICE) -> Chosen:
    """Choose from these chunks, ranked in this order."""
    homes = dict(db.all("SELECT id, document_id FROM brain.chunk"))
    candidates = [
        Candidate(c, homes.get(c, 0), 0, Score(ScoreKind.RRF, 1 / (61 + n))) for n, c in enumerate(ranking)
    ]
    with reading(db) as connection:
        return choose_excerpts(connection, resolve_scope(connection, who, None, None), candidates, limit)


@pytest.fixture
def source(db: Database) -> int:
    """The source of one collection that is too large to be handed over whole."""
    return add_source(db, "left-code", add_collection(db, "left"))


@pytest.fixture
def other_source(db: Database) -> int:
    """The source of another one."""
    return add_source(db, "right-code", add_collection(db, "right"))


def test_neighbours_that_answer_come_back_as_one_passage(db: Database, source: int) -> None:
    add_file(
        db,
        source,
        "shop/pay.py",
        [
            Passage("import decimal\n", symbol="imports"),
            Passage("def refund(order): # refund\n", symbol="refund"),
            Passage("def refund_all(orders): # ä refund\n", symbol="refund_all"),
            Passage("def unrelated(): pass\n", symbol="unrelated"),
        ],
    )
    (excerpt,) = ask(db, "refund").excerpts
    assert excerpt.text == "def refund(order): # refund\ndef refund_all(orders): # ä refund\n"
    assert (excerpt.path, excerpt.start_line, excerpt.end_line) == ("shop/pay.py", 2, 3)
    assert (excerpt.symbol, excerpt.page) == ("refund, refund_all", None)
    assert excerpt.score.kind is ScoreKind.BM25


def test_two_pages_stay_two_excerpts(db: Database, source: int) -> None:
    report = add_document(
        db,
        source,
        "report.pdf",
        [
            Passage("The tide table. ", page=6),
            Passage("High tide at noon. ", page=7),
            Passage("Low tide at six.", page=7),
        ],
    )
    chosen = choose(db, chunk_ids(db, report))
    assert [(e.page, e.text) for e in chosen.excerpts] == [
        (6, "The tide table. "),
        (7, "High tide at noon. Low tide at six."),
    ]
    assert {(e.start_line, e.end_line) for e in chosen.excerpts} == {(None, None)}


def test_the_same_file_in_two_collections_takes_one_place_and_names_the_other(
    db: Database, source: int, other_source: int
) -> None:
    for where in (source, other_source):
        add_file(db, where, "lib/tide.py", ["def tide(): return moon\n", "def ebb(): return tide\n"])
    add_file(db, other_source, "lib/ship.py", ["# ships wait for the tide\n"])
    result = ask(db, "tide")
    assert sorted(excerpt.path for excerpt in result.excerpts) == ["lib/ship.py", "lib/tide.py"]
    (copied,) = [excerpt for excerpt in result.excerpts if excerpt.path == "lib/tide.py"]
    (twin,) = copied.twins
    assert {copied.collection, twin.collection} == {"left", "right"}
    assert {copied.source, twin.source} == {"left-code", "right-code"}
    assert (twin.path, twin.start_line, twin.end_line) == ("lib/tide.py", 1, 2)
    assert len(dropped_chunks(result, "twin")) == 2


def dropped_chunks(result: SearchResult, by: str) -> tuple[int, ...]:
    return next((kind.chunk_ids for kind in result.trace.dropped if kind.by == by), ())


def test_i3_a_copy_the_principal_may_not_read_is_not_named(db: Database, source: int) -> None:
    secret = add_source(db, "secret-code", add_collection(db, "secret", readers=("group:crew",)))
    mine = add_file(db, source, "tide.py", ["def tide(): return moon\n"])
    theirs = add_file(db, secret, "tide.py", ["def tide(): return moon\n"])
    # Even a candidate that should never have come up is not shown, named or counted as a copy.
    chosen = choose(db, [*theirs, *mine])
    assert [(e.collection, e.twins) for e in chosen.excerpts] == [("left", ())]
    assert dropped(chosen, "gone") == tuple(theirs)
    both = Principal("alice", groups=("crew",))
    (excerpt,) = choose(db, [*theirs, *mine], who=both).excerpts
    assert [twin.collection for twin in excerpt.twins] == ["left"]


def test_a2_candidates_that_are_gone_leave_their_place_to_the_next(db: Database, source: int) -> None:
    old, stale, live = (
        add_file(db, source, f"{name}.md", [f"{name} tide\n"])[0] for name in ("old", "stale", "live")
    )
    ranking = [old, stale, live]
    db.run("DELETE FROM brain.document WHERE path = 'old.md'")
    db.run("UPDATE brain.document SET state = 'pending', chunk_count = 0 WHERE path = 'stale.md'")
    chosen = choose(db, ranking, limit=1)
    assert [excerpt.path for excerpt in chosen.excerpts] == ["live.md"]
    assert dropped(chosen, "gone") == (old, stale)


def test_one_file_does_not_take_every_place(db: Database, source: int) -> None:
    add_file(
        db,
        source,
        "loud.md",
        [text for n in range(30) for text in (f"tide tide tide {n}\n", f"filler {n}\n")],
    )
    for n in range(9):
        add_file(db, source, f"quiet{n}.md", [f"a single tide among quite a few other words {n}\n"])
    result = ask(db, "tide")
    paths = [excerpt.path for excerpt in result.excerpts]
    assert paths == ["loud.md"] * 3 + paths[3:]
    assert len(set(paths[3:])) == 7
    assert dropped_chunks(result, "file")


def test_a_file_that_is_all_there_is_fills_the_answer(db: Database, source: int) -> None:
    add_file(db, source, "only.md", [text for n in range(30) for text in (f"tide {n}\n", f"filler {n}\n")])
    result = ask(db, "tide")
    assert [excerpt.path for excerpt in result.excerpts] == ["only.md"] * 10


def test_a_tiny_collection_of_equal_beginnings_takes_one_place(
    db: Database, source: int, other_source: int
) -> None:
    for n in range(8):
        add_file(db, source, f"tiny{n}.py", ["from tide import sea\n", f"own {n}\n"])
    for n in range(12):
        add_file(db, other_source, f"big{n:02}.py", [f"the tide of sea number {n} and what it brings\n"])
    result = ask(db, "tide sea")
    collections = [excerpt.collection for excerpt in result.excerpts]
    assert sorted(collections) == ["left"] + ["right"] * 9
    (tiny,) = [excerpt for excerpt in result.excerpts if excerpt.collection == "left"]
    assert {tiny.path, *(twin.path for twin in tiny.twins)} == {f"tiny{n}.py" for n in range(8)}


def test_an_answer_is_full_while_there_is_enough(db: Database, source: int) -> None:
    for n in range(40):
        add_file(db, source, f"{n:02}.md", [f"tide number {n}\n", f"the tide again, {n}\n"])
    for limit in (1, 2, 7, 10, 39, 40):
        excerpts = ask(db, "tide", limit).excerpts
        assert len(excerpts) == limit
        values = [excerpt.score.value or 0.0 for excerpt in excerpts]
        assert values == sorted(values, reverse=True)
