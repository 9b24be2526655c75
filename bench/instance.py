"""A throw-away Brain with its own embedded database and Dagster instance."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brain_dagster.settings import Settings, settings
from brain_dagster.store import embedded
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database


@contextmanager
def temporary_brain() -> Iterator[tuple[Settings, Database]]:
    """Create a BRAIN_HOME in a temporary folder; stop its server and remove it afterwards."""
    home = Path(tempfile.mkdtemp(prefix="brain-bench-"))
    try:
        with brain_in(home) as (found, database):
            yield found, database
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def brain_in(home: Path) -> Iterator[tuple[Settings, Database]]:
    """Open the Brain of a folder, made if need be; stop its server afterwards and keep the folder."""
    os.environ.pop("BRAIN_DATABASE_URL", None)
    os.environ["BRAIN_HOME"] = str(home)
    settings.cache_clear()
    url = embedded.ensure_running(home)
    migrate(url)
    database = Database(url)
    try:
        yield settings(), database
    finally:
        database.close()
        embedded.stop(home)
