"""The installed command with the real embedding model, as a newcomer uses it: sync, kill, sync, search."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from brain_dagster.store.pool import Database

BRAIN = Path(sys.executable).with_name("brain")

FILES = {
    "billing/interest.py": (
        '"""Interest on overdue invoices."""\n\n\n'
        "def late_fee(amount, days):\n"
        '    """What a customer owes on top when an invoice is paid too late."""\n'
        "    return amount * 0.08 / 365 * days\n"
    ),
    "web/throttle.py": (
        '"""Keeps one client from asking too often."""\n\n\n'
        "class Bucket:\n"
        "    def take(self, tokens):\n"
        '        """Refuse the request when the bucket is empty."""\n'
        "        if tokens > self.level:\n"
        "            raise RuntimeError('slow down')\n"
        "        self.level -= tokens\n"
    ),
    "docs/onboarding.md": (
        "# First week\n\nOn the first day you get a laptop and a badge.\n\n"
        "## Accounts\n\nAsk your team lead to request access to the build system.\n"
    ),
}


@pytest.fixture
def environment(db_url: str, tmp_path: Path) -> dict[str, str]:
    return os.environ | {
        "BRAIN_DATABASE_URL": db_url,
        "BRAIN_HOME": str(tmp_path / "home"),
        "BRAIN_USER": "ann",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "company"
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for number in range(400):
        lines = [f"def filler_{number}_{line}():\n    return {number * line}\n" for line in range(9)]
        (place / f"filler_{number}.py").write_text("\n\n".join(lines))
    return place


def brain(environment: dict[str, str], *arguments: str, code: int = 0) -> Any:
    ended = subprocess.run(
        [BRAIN, *arguments, "--json"], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code, (arguments, ended.stdout, ended.stderr)
    return json.loads(ended.stdout)


@pytest.mark.timeout(
    600
)  # two syncs and eight commands, each of which imports the model: 108 s on idle cores
def test_a1_a5_killed_sync_is_noticed_and_the_next_one_carries_on(
    db: Database, environment: dict[str, str], folder: Path
) -> None:
    place = ("--kind", "folder", "--location", str(folder), "--collection", "company")
    brain(environment, "source", "add", "company", *place)
    process = subprocess.Popen(
        [BRAIN, "sync", "company"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    embedded = 0
    deadline = time.monotonic() + 120
    while not embedded and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
        (embedded,) = db.one("SELECT count(*) FROM brain.embedding_cache") or (0,)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL, "the sync was over before it could be killed"
    assert db.one("SELECT count(*) FROM brain.chunk") == (0,), "nothing of it is searchable yet"

    synced = brain(environment, "sync", "company")["company"]
    assert (synced["state"], synced["indexed"], synced["failed"]) == ("done", len(FILES) + 400, 0)
    runs = db.all("SELECT status FROM dagster.runs ORDER BY id")
    assert runs[:2] == [("FAILURE",), ("SUCCESS",)], "the killed run does not stay started"
    states = db.all("SELECT state FROM brain.sync_run ORDER BY id")
    assert states == [("abandoned",), ("done",)]

    again = brain(environment, "sync")["company"]
    assert (again["state"], again["indexed"], again["unchanged"]) == ("current", 0, len(FILES) + 400)
    assert brain(environment, "doctor")["violations"] == []

    for question, path in (
        ("how much extra do clients pay if they settle a bill after the due date", "billing/interest.py"),
        ("limit how many requests somebody may send", "web/throttle.py"),
        ("what do I get on my first day at work", "docs/onboarding.md"),
    ):
        found = brain(environment, "search", question, "-k", "3")
        assert (found["mode"], found["missing"]) == ("hybrid", [])
        assert found["excerpts"][0]["path"] == path, question
        assert found["excerpts"][0]["score_kind"] == "rrf"
