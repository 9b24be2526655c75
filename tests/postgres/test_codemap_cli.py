"""`brain map`: data on stdout, grouped by kind, for those who may read the source."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from brain_dagster.codemap.refresh import refresh_code_map
from brain_dagster.settings import settings
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database
from brain_dagster.surface.cli import main
from tests.postgres.test_codemap import APP, REQUIREMENTS, make_source, publish


@pytest.fixture(autouse=True)
def _shop(db: Database, db_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A mapped source `shop` that ann may read."""
    migrate(db_url)
    source = make_source(db)
    publish(db, source, "app.py", APP)
    publish(db, source, "requirements.txt", REQUIREMENTS)
    refresh_code_map(db, source, 1)
    monkeypatch.setenv("BRAIN_DATABASE_URL", db_url)
    monkeypatch.setenv("BRAIN_USER", "ann")
    settings.cache_clear()
    yield
    settings.cache_clear()


def brain_map(*arguments: str) -> object:
    with pytest.raises(SystemExit) as left:
        main(["map", *arguments])
    return left.value.code


def test_json_is_grouped_by_kind_with_path_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert brain_map("shop", "--json") == 0
    manifest = {"name": "requirements.txt", "detail": "", "path": "requirements.txt", "line": 1}
    assert json.loads(capsys.readouterr().out) == {
        "source": "shop",
        "revision": "r1",
        "manifests": [manifest],
        "dependencies": [
            {"name": "httpx", "detail": ">=0.27", "path": "requirements.txt", "line": 1},
            {"name": "uvicorn", "detail": "", "path": "requirements.txt", "line": 2},
        ],
        "entry_points": [
            {"name": "app.py", "detail": 'if __name__ == "__main__"', "path": "app.py", "line": 5}
        ],
        "routes": [{"name": "GET /users", "detail": "users", "path": "app.py", "line": 1}],
    }


def test_table_names_the_place_of_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert brain_map("shop") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kind\tname\tdetail\tplace"
    assert lines[-1] == "route\tGET /users\tusers\tapp.py:1"


def test_i3_stranger_gets_the_answer_of_a_source_that_does_not_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes = [brain_map("shop", "--as", "eve", "--json"), brain_map("nowhere", "--as", "eve", "--json")]
    assert codes == [2, 2]
    words = capsys.readouterr()
    assert "httpx" not in words.out
    assert words.err.replace("nowhere", "shop").splitlines()[0] == words.err.splitlines()[0]
    assert len({line.replace("nowhere", "shop") for line in words.err.splitlines()}) == 1
