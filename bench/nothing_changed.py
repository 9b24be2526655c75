"""The second sync of an unchanged git source of 6,000 files, and the sync after one file changed.

Reference: `git ls-tree -r` of the same repository, what it costs git itself to say what is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.instance import temporary_brain
from brain_dagster.connectors import open_connector
from brain_dagster.ingest.currency import is_current
from brain_dagster.recipe import current_recipe
from brain_dagster.store.sources import add_source, get_source

FILES = 6_000
_HEAVY = ("torch", "sentence_transformers", "dagster", "great_expectations")


def main() -> None:
    """Print what "nothing changed" costs and what one changed file costs."""
    with temporary_brain() as (settings, db):
        repository = settings.home_path / "repository"
        _make(repository)
        add_source(db, key="big", kind="git", location=str(repository), collection="big", added_by="bench")
        _brain("sync", "big")
        source = get_source(db, "big")
        begun = time.perf_counter()
        connector = open_connector(source, settings)
        current = is_current(db, source, connector, current_recipe(settings))
        own = time.perf_counter() - begun
        assert current, "the source is not current after its sync"
        begun = time.perf_counter()
        subprocess.run(
            ["git", "-C", str(repository), "ls-tree", "-r", "HEAD"], check=True, stdout=subprocess.DEVNULL
        )
        reference = time.perf_counter() - begun
        begun = time.perf_counter()
        words = _brain("sync", "big")
        whole = time.perf_counter() - begun
        loaded = [name for name in _HEAVY if f"import '{name}'" in words]
        (repository / "module_0007.py").write_text("def changed():\n    return 'other'\n")
        _commit(repository)
        begun = time.perf_counter()
        words = _brain("sync", "big")
        one = time.perf_counter() - begun
    print(f"{FILES} files; own work of a sync that finds nothing: {own * 1000:.0f} ms (target < 1000)")
    print(f"ratio own work / git ls-tree: {own / reference:.2f}")
    print(f"whole `brain sync` process: {whole:.2f} s; heavy modules it imported: {loaded or 'none'}")
    print(f"whole `brain sync` process after one changed file: {one:.2f} s (Dagster, model, checks loaded)")


def _make(repository: Path) -> None:
    repository.mkdir(parents=True)
    for number in range(FILES):
        text = f"def function_{number}():\n    return {number}\n"
        (repository / f"module_{number:04}.py").write_text(text)
    subprocess.run(["git", "-C", str(repository), "init", "-q", "-b", "main"], check=True)
    _commit(repository)


def _commit(repository: Path) -> None:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(repository), *identity, "commit", "-q", "-m", "state"], check=True)


def _brain(*arguments: str) -> str:
    """Run `brain` in its own process and return its stderr, with the names of the imported modules."""
    command = [sys.executable, "-v", "-c", "from brain_dagster.surface.cli import main; main()", *arguments]
    ended = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONVERBOSE": ""}
    )
    return ended.stderr
