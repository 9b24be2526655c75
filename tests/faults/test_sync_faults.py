"""Faults of the sync lifecycle: killed, doubled, overtaken, cut short (A1, A2, A3, A4, A7)."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from brain_dagster.embed import bind_embedder
from brain_dagster.errors import AlreadyRunning, Superseded
from brain_dagster.model import Mode, Principal
from brain_dagster.query.search import search
from brain_dagster.settings import Settings
from brain_dagster.store import runs
from brain_dagster.store import sources as registry
from brain_dagster.store.claims import claim, release_all
from brain_dagster.store.doctor import check_invariants
from brain_dagster.store.pool import Database
from tests.support import children
from tests.support.pipeline import Sync, WordHashEmbedder, add_folder, sync
from tests.support.snapshots import content_of, texts_of

ANN = Principal("ann")

FIRST = {
    "keep.py": "def keep_me():\n    return 'kept as it is'\n",
    "edit.py": "def before_the_edit():\n    return 'first version'\n",
    "gone.md": "# Farewell\n\nThis page is deleted at the source.\n",
    "sub/moved.md": "# Wanderer\n\nThis page moves to another folder.\n",
}
SECOND = {
    "keep.py": FIRST["keep.py"],
    "edit.py": "def after_the_edit():\n    return 'second version'\n\n\ndef one_more():\n    return 2\n",
    "new.py": "def brand_new():\n    return 'added'\n",
    "other/moved.md": FIRST["sub/moved.md"],
    "app.py": "if __name__ == '__main__':\n    print('starts here')\n",
}


def lay_out(folder: Path, files: dict[str, str]) -> None:
    """Make the folder hold exactly these files, with times old enough to be trusted."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        old = time.time() - 3600
        os.utime(path, (old, old))


@pytest.fixture
def brain_settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "source"
    place.mkdir()
    lay_out(place, FIRST)
    return place


def sync_alone(db_url: str, home: Path, run_key: str = "run") -> None:
    """A sync on connections of its own; what the child processes run."""
    sync(Database(db_url, size=4), "s", Settings(home=home), run_key=run_key)


def contend(number: int, db_url: str, home: Path, barrier: Any, outcomes: Any) -> None:
    """Try to claim the source at the same moment as seven others, and sync if it worked."""
    own = Database(db_url, size=2)
    source = registry.get_source(own, "s")
    barrier.wait(30)
    try:
        claim(own, source, f"run-{number}")
    except AlreadyRunning as error:
        outcomes.put(error.message)
        barrier.wait(30)
    else:
        barrier.wait(30)  # the seven have been turned away before the one goes on
        sync(own, "s", Settings(home=home), run_key=f"run-{number}")
        outcomes.put("worked")
    outcomes.close()
    outcomes.join_thread()


def versions_seen(db: Database) -> set[str]:
    """The texts of edit.py that a reader can see; half a document would be neither version."""
    return {text for path, text in texts_of(db, "s").items() if path == b"edit.py"}


def close_dead_runs(db: Database) -> None:
    """Wait for the server to notice the kill (10 ms), and close the run as the next command would."""
    deadline = time.monotonic() + 5
    while db.one("SELECT 1 FROM brain.sync_run WHERE state = 'running'") and time.monotonic() < deadline:
        runs.close_all_abandoned(db)


def test_a1_kill_at_every_step_leaves_whole_documents_and_a_rerun_equals_a_clean_run(
    db: Database, db_url: str, folder: Path, tmp_path: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    log = tmp_path / "points"
    sync(db, "s", brain_settings)
    lay_out(folder, SECOND)
    assert children.run(sync_alone, db_url, brain_settings.home, plan="trace:", log=log) == 0
    points = log.read_text().splitlines()
    clean = content_of(db)
    assert {"publish.after_delete", "embeddings.batch_stored", "diff.staged"} <= set(points)

    for point in dict.fromkeys(points):
        lay_out(folder, FIRST)
        sync(db, "s", brain_settings)
        lay_out(folder, SECOND)
        db.run("DELETE FROM brain.embedding_cache")  # else the second round would have nothing to embed
        killed = children.run(sync_alone, db_url, brain_settings.home, plan=f"kill:{point}")
        assert killed == -9, f"the run passed {point} alive"
        seen = versions_seen(db)
        assert seen <= {FIRST["edit.py"], SECOND["edit.py"]}, f"half a document after {point}"
        assert len(seen) == 1, f"edit.py is gone after {point}"
        close_dead_runs(db)
        assert check_invariants(db) == (), f"after the kill at {point}"

        sync(db, "s", brain_settings)
        assert content_of(db) == clean, f"the rerun after {point} differs from a clean run"
        assert check_invariants(db) == ()


def test_a1_a_touched_file_of_a_killed_run_is_read_again_and_stays_as_it_was(
    db: Database, db_url: str, folder: Path, brain_settings: Settings
) -> None:
    """The killed run had found that its bytes were the same, and dropped the chunks it had staged for it."""
    add_folder(db, "s", folder)
    long_ago = time.time_ns() - 3_600 * 10**9  # a file younger than two seconds is never believed unchanged
    os.utime(folder / "keep.py", ns=(long_ago, long_ago))
    sync(db, "s", brain_settings)
    before = content_of(db)
    os.utime(folder / "keep.py", ns=(long_ago + 10**9, long_ago + 10**9))
    assert children.run(sync_alone, db_url, brain_settings.home, plan="kill:sync.chunks_done") == -9
    close_dead_runs(db)
    sync(db, "s", brain_settings)
    assert content_of(db) == before
    assert check_invariants(db) == ()


def test_a1_embedded_batches_survive_a_kill_and_are_not_embedded_again(
    db: Database, db_url: str, folder: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    assert children.run(sync_alone, db_url, brain_settings.home, plan="kill:sync.embeddings_done") == -9
    model = WordHashEmbedder()
    sync(db, "s", brain_settings, model)
    assert model.texts == []
    assert set(texts_of(db, "s")) == {name.encode() for name in FIRST}


def found_paths(db: Database, question: str) -> set[str]:
    embedder = bind_embedder(WordHashEmbedder(), db)
    result = search(db, embedder, ANN, question, mode=Mode.HYBRID)
    return {excerpt.path for excerpt in result.excerpts}


def test_a2_file_deleted_at_the_source_stops_answering_in_the_same_run(
    db: Database, folder: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    sync(db, "s", brain_settings)
    assert "gone.md" in found_paths(db, "Farewell page deleted")
    (folder / "gone.md").unlink()
    report = sync(db, "s", brain_settings)
    assert report.counts.deleted == 1
    assert "gone.md" not in found_paths(db, "Farewell page deleted")
    assert db.one("SELECT outcome FROM brain.outcome WHERE path = 'gone.md' ORDER BY run_id DESC") == (
        "deleted",
    )


def test_a2_removed_source_stops_answering_and_leaves_nothing_behind(
    db: Database, folder: Path, tmp_path: Path, brain_settings: Settings
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    lay_out(other, {"gone.md": "# Farewell\n\nThe same path in another source stays.\n"})
    add_folder(db, "s", folder, "shared")
    add_folder(db, "t", other, "shared")
    sync(db, "s", brain_settings)
    sync(db, "t", brain_settings)
    registry.remove_source(db, key="s", user="ann")
    assert found_paths(db, "keep me kept as it is") == {"gone.md"}
    assert set(texts_of(db, "t")) == {b"gone.md"}
    assert check_invariants(db) == ()


def test_a3_incomplete_listing_deletes_nothing_and_says_so(
    db: Database, folder: Path, brain_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from brain_dagster.connectors.folder import FolderConnector

    add_folder(db, "s", folder)
    sync(db, "s", brain_settings)
    whole = FolderConnector.list

    def cut_short(self: FolderConnector):  # type: ignore[no-untyped-def]
        listing = whole(self)
        return replace(
            listing, items=listing.items[:1], is_complete=False, problems=("page 2 did not arrive",)
        )

    monkeypatch.setattr(FolderConnector, "list", cut_short)
    report = sync(db, "s", brain_settings, run_key="short")
    assert report.counts.deleted == 0
    assert set(texts_of(db, "s")) == {name.encode() for name in FIRST}
    ended = runs.run_of(db, registry.get_source(db, "s"), "short")
    assert ended is not None
    assert (ended.state, ended.problems) == ("partial", ("page 2 did not arrive",))


def test_a4_of_eight_syncs_of_one_source_one_works_and_seven_say_so(
    db: Database, db_url: str, folder: Path, tmp_path: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    barrier, outcomes = children.CONTEXT.Barrier(8), children.CONTEXT.Queue()
    processes = [
        children.start(contend, number, db_url, brain_settings.home, barrier, outcomes) for number in range(8)
    ]
    said = [outcomes.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(30)
    assert sorted(said, key=len)[0] == "worked"
    assert len([words for words in said if "nothing to do" in words]) == 7
    assert db.one("SELECT count(*) FROM brain.sync_run") == (1,)
    assert set(texts_of(db, "s")) == {name.encode() for name in FIRST}
    assert check_invariants(db) == ()


def test_a4_claim_of_a_killed_process_is_free_at_once(
    db: Database, db_url: str, folder: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    assert children.run(sync_alone, db_url, brain_settings.home, plan="kill:diff.staged") == -9
    for _ in range(50):
        try:
            claim(db, registry.get_source(db, "s"), "next")
            break
        except AlreadyRunning:
            time.sleep(0.02)
    else:
        pytest.fail("the claim of a dead process was still held after a second")
    release_all("next")


def test_a4_message_names_since_when_the_source_is_taken(
    db: Database, folder: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    first = Sync(db, "s", brain_settings, bind_embedder(WordHashEmbedder(), db), "first-run")
    claim(db, first.source, "first-run")
    first.diff()
    with pytest.raises(AlreadyRunning, match=r"already running since \d\d:\d\d:\d\d UTC .*first-ru"):
        claim(db, first.source, "second-run")
    release_all("first-run")


def ready_to_publish(db: Database, brain_settings: Settings, run_key: str) -> Sync:
    """A run that has done everything but publish."""
    one = Sync(db, "s", brain_settings, bind_embedder(WordHashEmbedder(), db), run_key)
    claim(db, one.source, run_key)
    one.diff()
    one.chunks()
    one.contexts()
    one.embeddings()
    return one


def test_a7_older_run_that_finishes_last_publishes_nothing(
    db: Database, folder: Path, brain_settings: Settings
) -> None:
    add_folder(db, "s", folder)
    old = ready_to_publish(db, brain_settings, "old")
    # The old run's claim is lost without its knowledge, as when a network drops its connection.
    db.run(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        (old.source.id,),
    )
    lay_out(folder, SECOND)
    for _ in range(100):
        try:
            claim(db, old.source, "new")
            break
        except AlreadyRunning:
            time.sleep(0.02)
    sync(db, "s", brain_settings, run_key="new")
    published = content_of(db)
    with pytest.raises(Superseded):
        old.search_index()
    release_all("old")
    assert content_of(db) == published
    assert set(texts_of(db, "s")) == {name.encode() for name in SECOND}


def test_a7_generation_alone_stops_an_older_run(db: Database, folder: Path, brain_settings: Settings) -> None:
    add_folder(db, "s", folder)
    old = ready_to_publish(db, brain_settings, "same")
    lay_out(folder, SECOND)
    sync(db, "s", brain_settings, run_key="same")
    claim(db, old.source, "same")
    with pytest.raises(Superseded):
        old.search_index()
    release_all("same")
    ended = db.one("SELECT state FROM brain.sync_run WHERE id = %s", (old.run.id,))
    assert ended is not None and ended[0] in ("superseded", "abandoned")
    assert set(texts_of(db, "s")) == {name.encode() for name in SECOND}
