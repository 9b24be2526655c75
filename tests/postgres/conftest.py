"""What several tests of the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from brain_dagster.settings import settings
from brain_dagster.store.migrate import migrate
from brain_dagster.surface.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def brain(db_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run the command line in this process, as alice; returns exit code, stdout, stderr."""
    monkeypatch.setenv("BRAIN_DATABASE_URL", db_url)
    monkeypatch.setenv("BRAIN_USER", "alice")
    settings.cache_clear()
    migrate(db_url)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(arguments)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    yield run
    settings.cache_clear()
