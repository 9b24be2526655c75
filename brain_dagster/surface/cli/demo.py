"""`brain demo`: the whole tour, on sources that every checkout has."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from brain_dagster.errors import Defect
from brain_dagster.model import Principal
from brain_dagster.settings import REPOSITORY_ROOT, Settings
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import add_source
from brain_dagster.surface.bars import shown_progress
from brain_dagster.surface.cli.sync import line, print_counts
from brain_dagster.surface.context import acting_user, brain_settings, opened_database
from brain_dagster.surface.dagster_launcher import dagster_launcher
from brain_dagster.surface.render import say
from brain_dagster.surface.syncing import chosen_sources, sync_sources

GOLDSET = "examples"
QUESTIONS = (
    "where is it decided that an incomplete listing must not delete anything?",
    "turn the rows of a query into dictionaries",
    "who may approve a trip that costs more than planned?",
)


@dataclass(frozen=True, slots=True)
class Example:
    """A source that the tour registers."""

    key: str
    kind: str
    location: Path
    description: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@click.command()
def demo() -> int:
    """Register, sync, evaluate and search example sources: this repository, documents, two packages.

    Run again, it finds nothing to do and says so.
    """
    started = time.monotonic()
    settings = brain_settings()
    user = acting_user(None)
    say(f"database: {'given' if settings.database_url else 'embedded'}, home: {settings.home_path}")
    with opened_database() as db, shown_progress():
        keys = _register(db, user)
        synced = []
        for one in sync_sources(
            db, chosen_sources(db, keys), settings, lambda: dagster_launcher(settings, db)
        ):
            say(line(one))
            synced.append(one)
        changed = any(one.state != "current" for one in synced)
        verdict = _evaluate(settings, db) if changed else "nothing changed, so nothing is evaluated again"
        say(verdict)
        _search(db, settings, Principal(user))
    say("\nindexed:")
    print_counts(synced)
    say(f"\n{time.monotonic() - started:.0f} s; next: `brain ui` shows the runs, `brain search --help`")
    return 1 if any(one.state == "failed" for one in synced) else 0


def examples() -> tuple[Example, ...]:
    """The example sources: what every checkout and every installation has."""
    is_git = (REPOSITORY_ROOT / ".git").exists()
    return (
        Example(
            "brain",
            "git" if is_git else "folder",
            REPOSITORY_ROOT,
            "the source code of Brain itself",
            # Goldsets, and this file, hold their questions word for word and would be the answer to each of
            # them; the handbook is a source of its own. The tests are half of the text, and nobody asks for
            # them here, nor for what other projects declare.
            exclude=(
                "goldsets/*.jsonl",
                "/brain_dagster/surface/cli/demo.py",
                "examples/handbook/",
                "examples/make_documents.py",
                "/tests/",
                "/bench/truth/",
            ),
        ),
        Example(
            "handbook",
            "folder",
            REPOSITORY_ROOT / "examples" / "handbook",
            "an engineering handbook: on-call, deploys, travel, data retention",
        ),
        Example("psycopg", "folder", _package("psycopg"), "psycopg 3, the PostgreSQL driver", ("**/*.py",)),
        Example(
            "starlette", "folder", _package("starlette"), "starlette, the ASGI web toolkit", ("**/*.py",)
        ),
    )


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise Defect(f"the package {name} is not installed; `make install` installs it")
    return Path(spec.origin).parent


def _register(db: Database, user: str) -> Sequence[str]:
    for example in examples():
        add_source(
            db,
            key=example.key,
            kind=example.kind,
            location=str(example.location),
            collection=example.key,
            description=example.description,
            include=example.include,
            exclude=example.exclude,
            added_by=user,
        )
    return [example.key for example in examples()]


def _evaluate(settings: Settings, db: Database) -> str:
    """Run the goldset of the examples through Dagster and say what it measured."""
    with dagster_launcher(settings, db) as launcher:
        ended = launcher.evaluate(GOLDSET)
    from brain_dagster.evals.history import latest_numbers

    if not ended.succeeded:
        return f"evaluation of {GOLDSET}: FAILED: {'; '.join(ended.errors)}"
    return latest_numbers(db, GOLDSET)


def _search(db: Database, settings: Settings, principal: Principal) -> None:
    from brain_dagster.embed import open_embedder
    from brain_dagster.query.search import search
    from brain_dagster.surface.cli.search import print_result

    embedder = open_embedder(settings, db)
    for question in QUESTIONS:
        click.echo(f"\n$ brain search {question!r} -k 3\n")
        print_result(search(db, embedder, principal, question, limit=3))
