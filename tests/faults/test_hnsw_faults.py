"""The vector index under what is known to break one (C1 to C5): never short without a word, never far off.

Where a test is about the index, the planner is kept from sorting: over a few thousand rows it would rather
do without the index, and nothing would be tested.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from brain_dagster.model import Candidate, Mode, Principal
from brain_dagster.query import dense as dense_half
from brain_dagster.query.gather import Gathered, gather
from brain_dagster.query.question import read_question
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store import dense, pool, vector_index
from brain_dagster.store.dense import QueryVector
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import SearchTimedOut, reading
from brain_dagster.store.scope import narrow
from brain_dagster.store.spaces import active_space
from tests.conftest import _cloned
from tests.support.cloud import add_cloud, build_index, clustered, nearest, put_vectors
from tests.support.seed import add_space

ALICE = Principal("alice")
WIDTH = 16
# Filter shares of 50 %, 5 %, 0.5 % and 0.05 %, and the rest.
SHARES = {"half": 2_000, "twentieth": 200, "few": 20, "two": 2}
SIZES = {**SHARES, "rest": 1_778}
SPACE_ID = 1
DEPTHS = (10, 40, 41, 200, 1_001)


@pytest.fixture(scope="module")
def shelf_url(server_url: str) -> Iterator[str]:
    """A database with 4,000 vectors under one index, made once; tests that change it get a copy."""
    with _cloned(server_url) as url:
        with closing(Database(url, size=1)) as database:
            space = add_space(database, width=WIDTH)
            assert space.id == SPACE_ID
            for seed, (collection, size) in enumerate(SIZES.items()):
                add_cloud(database, collection, clustered(size, width=WIDTH, seed=seed), space)
            build_index(database, space)
        yield url


@pytest.fixture
def shelf(shelf_url: str) -> Iterator[Database]:
    """The shelf, to be read."""
    with closing(Database(shelf_url, size=4)) as database:
        yield database


@pytest.fixture
def own_shelf(server_url: str, shelf_url: str) -> Iterator[Database]:
    """A copy of the shelf, to be changed."""
    name = shelf_url.partition("?")[0].rpartition("/")[2]
    with (
        _cloned(server_url, template=name) as url,
        closing(Database(url, size=4)) as database,
    ):
        yield database


@pytest.fixture
def by_index_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every collection goes to the index, and the planner has no other way to the order."""
    monkeypatch.setattr(dense_half, "least_vectors_for_index", lambda *_, **__: 1)
    by_index = dense.rank_densely_by_index

    def without_sorting(connection: Connection, *arguments: Any) -> list[Candidate]:
        connection.execute("SELECT set_config('enable_sort', 'off', true)")
        found = by_index(connection, *arguments)
        connection.execute("SELECT set_config('enable_sort', 'on', true)")
        return found

    monkeypatch.setattr(dense, "rank_densely_by_index", without_sorting)


def questions(count: int = 8) -> list[QueryVector]:
    return [QueryVector(SPACE_ID, values) for values in clustered(count, width=WIDTH, seed=99)]


def look(db: Database, vector: QueryVector, collections: Sequence[str], depth: int) -> Gathered:
    with reading(db) as connection:
        scope = resolve_scope(connection, ALICE, None, collections)
        question = read_question("anything")
        return gather(db, connection, scope, question, vector, mode=Mode.DENSE, depth=depth)


def found_in(gathered: Gathered) -> list[int]:
    found = gathered.half("dense")
    assert found is not None
    return [candidate.chunk_id for candidate in found.candidates]


def strategies(gathered: Gathered) -> set[str]:
    return {row.strategy for row in gathered.trace}


def overlap(db: Database, collection: str, depth: int = 10) -> float:
    """Share of the true nearest that comes back, over eight questions; and the list is always full."""
    found = true = 0
    for vector in questions():
        expected = nearest(db, vector, [collection], depth)
        got = found_in(look(db, vector, [collection], depth))
        assert len(got) == len(expected)
        found += len(set(got) & set(expected))
        true += len(expected)
    return found / true


@pytest.mark.parametrize("collection", SHARES)
def test_c1_at_every_filter_share_what_gather_chooses_is_full_and_exact(
    shelf: Database, collection: str
) -> None:
    for vector in questions(3):
        for depth in DEPTHS:
            got = found_in(look(shelf, vector, [collection], depth))
            assert got == nearest(shelf, vector, [collection], depth)
            assert len(got) == min(depth, SHARES[collection])


@pytest.mark.parametrize("collection", SHARES)
def test_c1_at_every_filter_share_the_index_alone_is_full_and_near(
    shelf: Database, by_index_alone: None, collection: str
) -> None:
    assert overlap(shelf, collection) >= 0.95


def test_c1_several_shares_in_one_scope_each_fill_their_own_list(
    shelf: Database, by_index_alone: None
) -> None:
    (vector,) = questions(1)
    gathered = look(shelf, vector, sorted(SIZES), 50)
    found = gathered.half("dense")
    assert found is not None
    own = {name: len(part) for name, part in zip(sorted(SIZES), found.by_collection, strict=True)}
    assert own == {name: min(50, size) for name, size in SIZES.items()}


def test_c1_when_the_index_falls_short_every_vector_is_compared_and_the_trace_says_so(
    shelf: Database,
    by_index_alone: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dense, "MAX_SCAN_TUPLES", 1)
    monkeypatch.setattr(dense, "LARGEST_EF_SEARCH", 10)
    (vector,) = questions(1)
    gathered = look(shelf, vector, ["few"], 11)
    assert found_in(gathered) == nearest(shelf, vector, ["few"], 11)
    (row,) = gathered.trace
    assert row.strategy == "index, then every vector compared"
    assert row.note.startswith("the index returned ")
    assert row.note.endswith(" of 11")
    assert gathered.missing == ()


def test_c1_a_list_that_holds_all_there_is_is_not_short(shelf: Database, by_index_alone: None) -> None:
    (vector,) = questions(1)
    gathered = look(shelf, vector, ["two"], 10)
    assert set(found_in(gathered)) == set(nearest(shelf, vector, ["two"], 10))
    assert strategies(gathered) == {"index"}


@pytest.mark.parametrize("depth", DEPTHS)
def test_c2_a_depth_above_the_search_width_is_filled(
    shelf: Database, by_index_alone: None, depth: int
) -> None:
    for vector in questions(3):
        gathered = look(shelf, vector, ["half"], depth)
        expected = nearest(shelf, vector, ["half"], depth)
        assert strategies(gathered) == {"index"}
        assert len(found_in(gathered)) == depth
        assert len(set(found_in(gathered)) & set(expected)) >= 0.95 * depth


@pytest.mark.parametrize(
    ("depth", "width"), [(10, 100), (50, 100), (51, 102), (200, 400), (500, 1_000), (1_001, 1_000)]
)
def test_c2_the_search_width_is_twice_the_depth_within_its_limits(depth: int, width: int) -> None:
    assert dense.search_width(depth) == width


def settings_of(database: Database) -> list[tuple[Any, ...]]:
    """All that a search may have set, as the next borrower of the connection finds it."""
    with database.transaction() as connection:
        connection.execute("SELECT '[1]'::vector")
        return connection.execute(
            "SELECT name, setting FROM pg_settings WHERE name LIKE 'hnsw.%' OR name LIKE 'enable_%'"
            " OR name IN ('statement_timeout', 'search_path', 'plan_cache_mode', 'jit',"
            " 'default_transaction_read_only', 'transaction_read_only')"
            " UNION ALL SELECT 'role', current_user ORDER BY 1"
        ).fetchall()


@pytest.mark.parametrize("ending", ["answer", "exception", "cancelled", "cancelled inside"])
@pytest.mark.parametrize("is_reset", [True, False], ids=["with the pool's reset", "by the transaction alone"])
def test_c3_a_search_leaves_no_setting_behind_in_a_pool_of_one(
    shelf_url: str, by_index_alone: None, monkeypatch: pytest.MonkeyPatch, ending: str, is_reset: bool
) -> None:
    if not is_reset:
        monkeypatch.setattr(pool, "_reset", lambda connection: None)
    (vector,) = questions(1)
    single = Database(shelf_url, size=1)
    before = settings_of(single)
    used = []
    try:
        with reading(single, timeout_ms=2_000) as connection:
            used.append(connection.info.backend_pid)
            scope = resolve_scope(connection, ALICE, None, ["half"])
            question = read_question("half")
            gathered = gather(single, connection, scope, question, vector, mode=Mode.HYBRID, depth=60)
            assert "index" in strategies(gathered)
            assert connection.execute("SHOW hnsw.ef_search").fetchone() == ("120",), (
                "it was set, to be undone"
            )
            end(ending, connection)
    except (ZeroDivisionError, SearchTimedOut):
        pass
    with single.transaction() as connection:
        used.append(connection.info.backend_pid)
    after = settings_of(single)
    single.close()
    assert after == before
    assert used[0] == used[1], "the same connection was looked at"


def test_c3_what_a_borrower_sets_for_the_session_is_gone_when_it_gives_the_connection_back(
    shelf_url: str,
) -> None:
    with closing(Database(shelf_url, size=1)) as single:
        before = settings_of(single)
        with single.transaction() as connection:
            used = connection.info.backend_pid
            connection.execute("SELECT set_config('hnsw.ef_search', '77', false)")
            connection.execute("SELECT set_config('statement_timeout', '77', false)")
            connection.execute("SELECT set_config('search_path', 'nowhere', false)")
        with single.transaction() as connection:
            assert connection.info.backend_pid == used
        assert settings_of(single) == before


def end(ending: str, connection: Connection) -> None:
    """End a search in one of the ways it can end."""
    if ending == "exception":
        raise ZeroDivisionError
    if ending == "cancelled":
        connection.execute("SELECT set_config('statement_timeout', '10', true), pg_sleep(0)")
        connection.execute("SELECT pg_sleep(5)")
    if ending == "cancelled inside":
        threading.Timer(0.1, connection.cancel_safe).start()
        connection.execute("SELECT pg_sleep(5)")


@pytest.mark.slow
def test_c4_an_index_built_in_4_mb_with_two_workers_is_as_good(db: Database) -> None:
    space = add_space(db, width=WIDTH)
    add_cloud(db, "all", clustered(6_000, width=WIDTH, seed=4), space)
    notices: list[str] = []
    with closing(db.direct()) as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        connection.execute("SET maintenance_work_mem = '4MB'")
        connection.execute("SET max_parallel_maintenance_workers = 2")
        connection.execute("SET min_parallel_table_scan_size = 0")
        vector_index._create(connection, space)
    assert any("no longer fits" in notice for notice in notices), "the graph was to be too large"
    found = 0
    for vector in questions():
        with reading(db) as connection:
            narrow(connection, [1])
            connection.execute("SELECT set_config('enable_sort', 'off', true)")
            got = [each.chunk_id for each in dense.rank_densely_by_index(connection, 1, vector, 10)]
        found += len(set(got) & set(nearest(db, vector, ["all"], 10)))
    assert found >= 0.95 * 80


def test_c5_dead_rows_near_the_question_do_not_shorten_the_answer_before_or_after_vacuum(
    own_shelf: Database, by_index_alone: None
) -> None:
    (vector,) = questions(1)
    gone = nearest(own_shelf, vector, ["half"], 100)
    own_shelf.run("DELETE FROM brain.chunk WHERE id = ANY(%s)", (gone,))
    expected = nearest(own_shelf, vector, ["half"], 10)
    before = look(own_shelf, vector, ["half"], 10)
    with closing(own_shelf.direct()) as connection:
        connection.execute("VACUUM brain.chunk_embedding")
    after = look(own_shelf, vector, ["half"], 10)
    for gathered in (before, after):
        assert len(found_in(gathered)) == 10
        assert len(set(found_in(gathered)) & set(expected)) >= 9
        assert not set(found_in(gathered)) & set(gone)


@pytest.mark.slow
def test_c5_after_seconds_of_churn_under_vacuum_the_index_still_finds(
    own_shelf: Database, by_index_alone: None
) -> None:
    over = threading.Event()
    vacuums = []

    def vacuum() -> None:
        with closing(own_shelf.direct()) as connection:
            while not over.is_set():
                connection.execute("VACUUM brain.chunk_embedding")
                vacuums.append(True)

    cleaner = threading.Thread(target=vacuum)
    cleaner.start()
    try:
        rounds = churn(own_shelf, seconds=3.0)
    finally:
        over.set()
        cleaner.join()
    assert rounds >= 2
    assert vacuums
    assert overlap(own_shelf, "half") >= 0.9
    assert overlap(own_shelf, "half", depth=200) >= 0.9


def churn(db: Database, *, seconds: float) -> int:
    """Give 200 chunks at a time new vectors, as a sync of edited files does, and ask in between."""
    space = active_space(db)
    assert space is not None
    random = np.random.default_rng(3)
    (vector,) = questions(1)
    rounds = 0
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        with db.transaction() as connection:
            rows = connection.execute(
                "SELECT chunk_id FROM brain.chunk_embedding ORDER BY chunk_id"
            ).fetchall()
            chunks = [int(rows[n][0]) for n in random.choice(len(rows), size=200, replace=False)]
            connection.execute("DELETE FROM brain.chunk_embedding WHERE chunk_id = ANY(%s)", (chunks,))
            put_vectors(connection, chunks, clustered(200, width=WIDTH, seed=1_000 + rounds), space)
        assert len(found_in(look(db, vector, ["half"], 10))) == 10
        rounds += 1
    return rounds
