"""The corpora of the goldsets, laid out as folders and kept synced between runs.

Python packages come as wheels from the package index, in the versions their questions were asked about, and
are unpacked, never installed. Everything is kept in one cache folder, the bench's own Brain with it: a second
run downloads nothing, embeds nothing and only evaluates.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from brain_dagster.evals.goldset import Goldset, load_goldset
from brain_dagster.model import Principal
from brain_dagster.settings import REPOSITORY_ROOT, Settings, settings
from brain_dagster.store import embedded
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import add_source

READER = Principal("bench")
# The small packages hold no answer: they are there to be in the way.
LARGE = ("celery", "psycopg", "pypdf", "rich", "starlette")
SMALL = ("pgvector", "typer")
VERSIONS = {
    "celery": "5.7.0",
    "django": "3.0",
    "pgvector": "0.5.1",
    "psycopg": "3.3.9",
    "pypdf": "7.1.1",
    "rich": "15.0.0",
    "starlette": "1.10.0",
    "typer": "0.29.2",
}
LIBRARIES = "python-libraries"


@dataclass(frozen=True, slots=True)
class Folder:
    """One source, which is a collection of the same name."""

    name: str
    path: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """A goldset with what its questions are put to."""

    name: str
    goldset: Goldset
    folders: tuple[Folder, ...]

    @property
    def collections(self) -> tuple[str, ...]:
        """The collections its questions are put to, all at once."""
        return tuple(folder.name for folder in self.folders)


def cache_folder() -> Path:
    """Return BRAIN_BENCH_CACHE, by default a folder among the user's caches; made if need be."""
    by_default = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "brain-bench")
    folder = Path(os.environ.get("BRAIN_BENCH_CACHE") or by_default).expanduser().resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def python_libraries() -> Corpus:
    """Return the goldset of this repository whose seven packages are searched at once."""
    goldset = load_goldset(REPOSITORY_ROOT / "goldsets" / f"{LIBRARIES}.jsonl")
    return Corpus(LIBRARIES, goldset, tuple(package(name) for name in (*LARGE, *SMALL)))


def named_corpus(argument: str) -> Corpus:
    """Read `NAME=GOLDSET.jsonl:FOLDER`, or without FOLDER where the cases name packages of VERSIONS."""
    name, _, places = argument.partition("=")
    path, _, folder = places.partition(":")
    goldset = load_goldset(Path(path))
    sources = sorted({case.source or name for case in goldset.cases})
    if not folder:
        unknown = set(sources) - set(VERSIONS)
        if unknown:
            sys.exit(f"{name}: give the folder of {', '.join(unknown)} as {name}={path}:FOLDER")
        return Corpus(name, goldset, tuple(package(source) for source in sources))
    if len(sources) > 1 or not Path(folder).is_dir():
        sys.exit(f"{name}: one source in one folder is needed, not {', '.join(sources)} in {folder}")
    return Corpus(name, goldset, (Folder(sources[0], Path(folder).resolve()),))


def package(name: str) -> Folder:
    """Lay a package out as its wheel installs it, without the scripts that go elsewhere."""
    target = cache_folder() / "corpora" / f"{name}-{VERSIONS[name]}"
    if not target.is_dir():
        with tempfile.TemporaryDirectory(dir=cache_folder()) as scratch:
            _download(f"{name}=={VERSIONS[name]}", Path(scratch))
            (wheel,) = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(scratch, "unpacked"))
            target.parent.mkdir(exist_ok=True)
            shutil.move(Path(scratch, "unpacked"), target)
    return Folder(name, target, include=("**/*.py",), exclude=("*.data/",))


def _download(requirement: str, folder: Path) -> None:
    print(f"downloading {requirement}", flush=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    what = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    subprocess.run([*pip, *what], check=True)


@contextmanager
def synced_brain(corpora: Sequence[Corpus]) -> Iterator[tuple[Settings, Database]]:
    """Open the bench's own Brain with these corpora up to date; it stays for the next run, stopped."""
    home = cache_folder() / "brain"
    os.environ.pop("BRAIN_DATABASE_URL", None)
    os.environ["BRAIN_HOME"] = str(home)
    settings.cache_clear()
    url = embedded.ensure_running(home)
    database = Database(url)
    try:
        migrate(url)
        folders = _distinct(corpora)
        for folder in folders:
            _register(database, folder)
        _sync([folder.name for folder in folders])
        yield settings(), database
    finally:
        database.close()
        embedded.stop(home)


def _distinct(corpora: Sequence[Corpus]) -> list[Folder]:
    """Return each folder once; two corpora may share one, but not use its name for two places."""
    folders: dict[str, Folder] = {}
    for corpus in corpora:
        for folder in corpus.folders:
            if folders.setdefault(folder.name, folder) != folder:
                sys.exit(f"{folder.name} is {folders[folder.name].path} and {folder.path} at once")
    return list(folders.values())


def _register(database: Database, folder: Folder) -> None:
    add_source(
        database,
        key=folder.name,
        kind="folder",
        location=str(folder.path),
        collection=folder.name,
        added_by=READER.user,
        include=folder.include,
        exclude=folder.exclude,
        replace=True,
    )


def _sync(keys: Sequence[str]) -> None:
    """Run `brain sync` in a process of its own, so that Dagster and its threads are gone when it ends."""
    command = [sys.executable, "-c", "from brain_dagster.surface.cli import main; main()", "sync", *keys]
    ended = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if ended.returncode:
        sys.exit(f"the corpora could not be synced: `brain sync` ended with {ended.returncode}")
