"""Further connections for one search: at the same time, in the same snapshot, and nobody waits for nobody."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from brain_dagster.store import crew
from brain_dagster.store.crew import run_together
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import narrow
from tests.support.seed import add_collection


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a connection may take long on a busy machine; here none does without."""
    monkeypatch.setattr(crew, "PATIENCE_S", 10.0)


def test_results_stand_in_the_order_of_the_tasks(db: Database) -> None:
    def after(seconds: float) -> crew.Task[float]:
        def task(connection: Connection) -> float:
            connection.execute("SELECT pg_sleep(%s)", (seconds,))
            return seconds

        return task

    with reading(db) as connection:
        ended = run_together(db, connection, [], [after(seconds) for seconds in (0.2, 0.0, 0.1, 0.0)])
    assert ended == [0.2, 0.0, 0.1, 0.0]


def test_without_a_connection_to_spare_one_does_everything(db_url: str) -> None:
    single = Database(db_url, size=1)
    begun = time.monotonic()
    with reading(single) as connection:
        pids = run_together(single, connection, [], [lambda each: each.info.backend_pid] * 5)
        assert pids == [connection.info.backend_pid] * 5
    single.close()
    assert time.monotonic() - begun < 5, "nobody waited for what could not come"


def test_a_helper_stops_waiting_for_a_connection_once_there_is_nothing_to_do(
    db_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Database(db_url, size=2)
    # Another search took the last connection between the question for one and the wait for it.
    monkeypatch.setattr(pair, "can_spare", lambda: True)
    with pair.transaction(), reading(pair) as connection:
        begun = time.monotonic()
        run_together(pair, connection, [], [lambda each: None] * 3)
        assert time.monotonic() - begun < crew.PATIENCE_S / 2
    pair.close()


def test_two_tasks_run_at_the_same_time_on_two_connections(db: Database) -> None:
    both_are_here = threading.Barrier(2, timeout=10)

    def meet(connection: Connection) -> int:
        both_are_here.wait()
        return connection.info.backend_pid

    with reading(db) as connection:
        first, second = run_together(db, connection, [], [meet, meet])
    assert first != second


def test_further_connections_see_the_same_commit_with_the_same_rights_and_limits(db: Database) -> None:
    before = add_collection(db, "before")
    add_collection(db, "not-asked-for")
    both_are_here = threading.Barrier(2, timeout=10)

    def describe(connection: Connection) -> tuple[Any, ...]:
        both_are_here.wait()
        row = connection.execute(
            "SELECT (SELECT array_agg(name) FROM brain.collection), pg_current_snapshot()::text,"
            " current_user, current_setting('transaction_read_only'),"
            " current_setting('transaction_isolation'),"
            " current_setting('statement_timeout'), current_setting('plan_cache_mode'),"
            " current_setting('jit')"
        ).fetchone()
        assert row is not None
        return row

    with reading(db, timeout_ms=4_321) as connection:
        narrow(connection, [before])
        after = add_collection(db, "after")
        narrow(connection, [before, after])
        first, second = run_together(db, connection, [before, after], [describe, describe])
    assert first == second
    assert first[0] == ["before"]
    assert first[2:] == ("brain_search", "on", "repeatable read", "4321ms", "force_custom_plan", "off")


def test_i11_a_connection_that_dies_leaves_its_work_to_the_others(db: Database) -> None:
    a_helper_is_here = threading.Event()

    def die_unless_first(connection: Connection) -> str:
        if connection is first:
            assert a_helper_is_here.wait(timeout=10)
            return "done by the first"
        a_helper_is_here.set()
        db.run("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        connection.execute("SELECT pg_sleep(10)")
        raise AssertionError("it survived")

    with reading(db) as first:
        ended = run_together(db, first, [], [die_unless_first, die_unless_first])
    assert ended == ["done by the first", "done by the first"]


def test_a_defect_in_one_task_is_raised_after_all_have_ended(db: Database) -> None:
    ended = []

    def fail(connection: Connection) -> None:
        raise ZeroDivisionError

    def take_long(connection: Connection) -> None:
        connection.execute("SELECT pg_sleep(0.2)")
        ended.append(True)

    with reading(db) as connection, pytest.raises(ZeroDivisionError):
        run_together(db, connection, [], [fail, take_long])
    assert ended == [True]


def test_an_interrupted_search_cancels_what_it_has_others_do(db: Database) -> None:
    a_helper_is_here = threading.Event()

    def interrupted(connection: Connection) -> None:
        if connection is not first:
            a_helper_is_here.set()
            connection.execute("SELECT pg_sleep(30)")
        assert a_helper_is_here.wait(timeout=10)
        time.sleep(0.1)
        raise KeyboardInterrupt

    begun = time.monotonic()
    with reading(db) as first, pytest.raises(KeyboardInterrupt):
        run_together(db, first, [], [interrupted, interrupted])
    assert time.monotonic() - begun < 15
