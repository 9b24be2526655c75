"""What a sync costs and what it leaves: incremental equals rebuilt, and only what changed is paid for."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_dagster.connectors import open_connector
from brain_dagster.ingest.currency import is_current
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import Settings
from brain_dagster.store import sources as registry
from brain_dagster.store.doctor import check_invariants
from brain_dagster.store.pool import Database
from tests.conftest import Clone
from tests.support.pipeline import WordHashEmbedder, add_folder, add_git, sync
from tests.support.snapshots import content_of, texts_of


class Repository:
    """A git repository that a test writes history into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        command = ["git", *identity, "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, words: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", words)


def module(name: str) -> str:
    return (
        f'"""What {name} is for."""\n\nimport os\n\n\n'
        f"class {name.title()}:\n    def start(self):\n        return '{name} starts'\n\n"
        f"    def stop(self):\n        return '{name} stops'\n"
    )


def begin(repository: Repository) -> None:
    for name in ("alpha", "beta", "gamma", "delta"):
        repository.write(f"src/{name}.py", module(name))
    repository.write("README.md", "# The tool\n\nIt starts and stops.\n\n## Licence\n\nNone.\n")
    repository.write("pyproject.toml", '[project]\nname = "tool"\ndependencies = ["click>=8"]\n')
    repository.commit("begin")


def edit(repository: Repository) -> None:
    repository.write("src/beta.py", module("beta").replace("beta stops", "beta halts"))
    repository.commit("edit one file")


def move(repository: Repository) -> None:
    repository.git("mv", "src/gamma.py", "src/epsilon.py")
    repository.git("mv", "README.md", "docs.md")
    repository.commit("move two files")


def move_folder_and_edit(repository: Repository) -> None:
    repository.git("mv", "src", "lib")
    repository.write("lib/alpha.py", module("alpha") + "\n\nEXTRA = 1\n")
    repository.commit("move a folder and edit inside it")


def swap(repository: Repository) -> None:
    one, other = repository.folder / "lib/alpha.py", repository.folder / "lib/beta.py"
    first, second = one.read_text(), other.read_text()
    one.write_text(second)
    other.write_text(first)
    repository.commit("swap two names")


def delete(repository: Repository) -> None:
    repository.git("rm", "-q", "lib/delta.py", "pyproject.toml")
    repository.commit("delete")


def change_case(repository: Repository) -> None:
    repository.git("mv", "docs.md", "DOCS.md")
    repository.commit("change only the case of a name")


def force_push(repository: Repository) -> None:
    repository.git("checkout", "-q", "--orphan", "rewritten")
    repository.write("lib/zeta.py", module("zeta"))
    repository.commit("another history")
    repository.git("branch", "-q", "-M", "rewritten", "main")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "-q", "--prune=now")


def back(repository: Repository) -> None:
    repository.git("rm", "-q", "-r", "lib")
    repository.write("src/alpha.py", module("alpha"))
    repository.commit("back to where it began")


HISTORY: list[Callable[[Repository], None]] = [
    begin,
    edit,
    move,
    move_folder_and_edit,
    swap,
    delete,
    change_case,
    force_push,
    back,
]


@pytest.fixture
def brain_settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_f3_f4_f5_incremental_state_equals_a_full_rebuild_after_every_step_of_a_history(
    db: Database, clone: Clone, repository: Repository, brain_settings: Settings
) -> None:
    begin(repository)
    add_git(db, "s", repository.folder)
    for number, step in enumerate(HISTORY):
        if number:
            step(repository)
        sync(db, "s", brain_settings, run_key=f"step {number}")
        with clone() as rebuilt:
            add_git(rebuilt, "s", repository.folder)
            sync(rebuilt, "s", brain_settings)
            assert content_of(db) == content_of(rebuilt), f"after {step.__name__}"
        assert check_invariants(db) == (), f"after {step.__name__}"
    assert set(texts_of(db, "s")) == {b"DOCS.md", b"src/alpha.py"}


def test_f3_moves_swaps_and_branches_cost_no_model_call(
    db: Database, repository: Repository, brain_settings: Settings
) -> None:
    begin(repository)
    add_git(db, "s", repository.folder)
    sync(db, "s", brain_settings)
    for step in (move, swap_sources, change_case):
        step(repository)
        model = WordHashEmbedder()
        report = sync(db, "s", brain_settings, model)
        assert report.counts.indexed > 0, step.__name__
        assert model.texts == [], step.__name__


def swap_sources(repository: Repository) -> None:
    repository.git("mv", "src/alpha.py", "src/spare.py")
    repository.git("mv", "src/beta.py", "src/alpha.py")
    repository.git("mv", "src/spare.py", "src/beta.py")
    repository.commit("swap two names")


def test_only_the_chunks_of_a_changed_file_are_embedded(
    db: Database, repository: Repository, brain_settings: Settings
) -> None:
    begin(repository)
    add_git(db, "s", repository.folder)
    sync(db, "s", brain_settings)
    edit(repository)
    model = WordHashEmbedder()
    report = sync(db, "s", brain_settings, model)
    assert (report.counts.indexed, report.counts.unchanged) == (1, 5)
    assert model.texts
    assert all("beta" in text.lower() for text in model.texts)


def test_unchanged_git_source_is_current_without_reading_a_file(
    db: Database, repository: Repository, brain_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(repository)
    source = add_git(db, "s", repository.folder)
    sync(db, "s", brain_settings)
    connector = open_connector(source, brain_settings)
    for reading in ("read", "read_many", "list"):
        monkeypatch.setattr(connector, reading, lambda *_: pytest.fail("something was read or listed"))
    recipe = current_recipe(brain_settings)
    assert is_current(db, source, connector, recipe)
    assert not is_current(db, source, connector, recipe + " of tomorrow")
    edit(repository)
    assert not is_current(db, source, connector, recipe)


def test_commit_that_changes_no_file_needs_no_run(
    db: Database, repository: Repository, brain_settings: Settings
) -> None:
    begin(repository)
    source = add_git(db, "s", repository.folder)
    sync(db, "s", brain_settings)
    repository.git("commit", "-q", "--allow-empty", "-m", "only words")
    assert is_current(db, source, open_connector(source, brain_settings), current_recipe(brain_settings))


def test_touched_folder_file_is_unchanged_and_then_proven_so(
    db: Database, tmp_path: Path, brain_settings: Settings
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    page = folder / "page.md"
    page.write_text("# A page\n\nWith words.\n")
    os.utime(page, (time.time() - 7200,) * 2)
    source = add_folder(db, "s", folder)
    sync(db, "s", brain_settings)
    os.utime(page, (time.time() - 3600,) * 2)
    connector = open_connector(source, brain_settings)
    assert not is_current(db, source, connector, current_recipe(brain_settings))
    report = sync(db, "s", brain_settings)
    assert (report.counts.indexed, report.counts.unchanged) == (0, 1)
    row = db.one("SELECT generation FROM brain.document")
    assert row == (1,), "the document was not written again"


def test_staged_rows_of_a_killed_run_are_dropped_when_the_source_moved_on(
    db: Database, tmp_path: Path, brain_settings: Settings
) -> None:
    from brain_dagster.embed import bind_embedder
    from tests.support.pipeline import Sync

    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "page.md").write_text("# Old\n\nOld words.\n")
    add_folder(db, "s", folder)
    half = Sync(db, "s", brain_settings, bind_embedder(WordHashEmbedder(), db), "half")
    half.diff()
    half.chunks()
    (folder / "page.md").write_text("# New\n\nNew words.\n")
    (folder / "other.md").write_text("# Other\n\nMore.\n")
    sync(db, "s", brain_settings)
    assert texts_of(db, "s") == {b"page.md": "# New\n\nNew words.\n", b"other.md": "# Other\n\nMore.\n"}
    assert registry.get_source(db, "s").generation == 2
    assert check_invariants(db) == ()
