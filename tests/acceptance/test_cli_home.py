"""A BRAIN_HOME of its own, through the installed command: made on the way, served, stopped, killed."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from brain_dagster.store import embedded
from brain_dagster.surface import services
from brain_dagster.surface.dagster_home import INSTANCE_FILE
from brain_dagster.surface.services import (
    ServiceEnded,
    is_wanted,
    running_services,
    start_service,
    stop_services,
    wait_until_answering,
)
from tests.support.cli import run_brain

BRAIN = Path(sys.executable).with_name("brain")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users may be let into: under root the server is one, and pytest's own is closed."""
    with TemporaryDirectory(prefix="brain-tests-") as folder:
        yield Path(folder)


@pytest.fixture
def environment(place: Path) -> Iterator[Mapping[str, str]]:
    """An empty home, stopped afterwards."""
    home = place / ".brain"
    yield {"BRAIN_HOME": str(home), "BRAIN_USER": "ann"}
    stop_services(home)
    embedded.stop(home)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_home_is_made_by_the_first_command_and_stopped_by_stop(
    environment: Mapping[str, str], place: Path
) -> None:
    nothing = run_brain(["stop", "--json"], environment=environment, folder=place)
    assert (nothing.returncode, json.loads(nothing.stdout)) == (0, {"stopped": []})
    assert not (place / ".brain").exists(), "stop must not make what it stops"

    settings = ["--kind", "folder", "--location", ".", "--collection", "c"]
    added = run_brain(["source", "add", "here", *settings], environment=environment, folder=place)
    assert added.returncode == 0, added.stderr

    printed = run_brain(["env"], environment=environment, folder=place)
    exported = dict(shlex.split(line)[1].split("=", 1) for line in printed.stdout.splitlines())
    home = str(place / ".brain")
    assert exported["BRAIN_HOME"] == home
    assert exported["DAGSTER_HOME"] == f"{home}/dagster"
    assert exported["BRAIN_DAGSTER_PG_URL"].startswith("postgresql+psycopg2://")
    assert "options=-csearch_path%3Ddagster" in exported["BRAIN_DAGSTER_PG_URL"]
    assert Path(home, "dagster", "dagster.yaml").read_bytes() == INSTANCE_FILE.read_bytes()

    stopped = run_brain(["stop", "--json"], environment=environment, folder=place)
    assert json.loads(stopped.stdout) == {"stopped": ["database"]}
    kept = run_brain(["source", "list", "--json"], environment=environment, folder=place)
    assert [source["key"] for source in json.loads(kept.stdout)] == ["here"]


# Answers like a webserver, with a child of its own as webservers have; SIGTERM ends it or, told so, does not.
SERVER = """
import http.server, signal, subprocess, sys
port, stubborn = int(sys.argv[1]), sys.argv[2] == "stubborn"
child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
subprocess.Popen([sys.executable, "-c", child if stubborn else "import time; time.sleep(300)"])
if stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def serve(home: Path, port: int, temper: str = "mild") -> subprocess.Popen[bytes]:
    return start_service(
        home,
        "webserver",
        [sys.executable, "-c", SERVER, str(port), temper],
        environment={},
        folder=home.parent,
        address=f"http://127.0.0.1:{port}",
    )


def members(group: int) -> int:
    """Count the live processes of a process group."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    return sum(1 for pgid, state in rows if int(pgid) == group and not state.startswith("Z"))


def test_service_is_found_and_stopped_with_its_descendants_by_a_stranger(tmp_path: Path) -> None:
    child = serve(tmp_path, free_port())
    (found,) = running_services(tmp_path)
    wait_until_answering(tmp_path, found, 20)
    assert (found.name, found.pid, members(child.pid)) == ("webserver", child.pid, 2)
    assert is_wanted(tmp_path, "webserver")
    done = run_brain(["stop", "--json"], environment={"BRAIN_HOME": str(tmp_path)}, folder=tmp_path)
    assert json.loads(done.stdout) == {"stopped": ["webserver"]}
    assert members(child.pid) == 0
    assert running_services(tmp_path) == ()
    assert not is_wanted(tmp_path, "webserver")
    assert stop_services(tmp_path) == ()


def test_descendants_of_a_killed_service_are_stopped_too(tmp_path: Path) -> None:
    child = serve(tmp_path, free_port())
    wait_until_answering(tmp_path, running_services(tmp_path)[0], 20)
    child.kill()
    child.wait()
    assert members(child.pid) == 1
    assert stop_services(tmp_path) == ("webserver",)
    assert members(child.pid) == 0


def test_service_that_ignores_the_request_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LEADER_GRACE_S", 0.3)
    monkeypatch.setattr(services, "GROUP_GRACE_S", 0.3)
    child = serve(tmp_path, free_port(), "stubborn")
    wait_until_answering(tmp_path, running_services(tmp_path)[0], 20)
    assert stop_services(tmp_path) == ("webserver",)
    assert members(child.pid) == 0


def test_number_that_belongs_to_another_process_now_is_left_alone(tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "60"], start_new_session=True)
    (tmp_path / "run").mkdir()
    record = {"name": "webserver", "pid": bystander.pid, "started_at": 1.0, "address": ""}
    (tmp_path / "run" / "webserver.json").write_text(json.dumps(record))
    try:
        assert running_services(tmp_path) == ()
        assert stop_services(tmp_path) == ()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_service_that_ends_by_itself_is_reported_with_its_last_words(tmp_path: Path) -> None:
    start_service(
        tmp_path,
        "webserver",
        [sys.executable, "-c", "raise SystemExit('no such module')"],
        environment={},
        folder=tmp_path,
        address=f"http://127.0.0.1:{free_port()}",
    )
    record = services._recorded(tmp_path)[0]
    with pytest.raises(ServiceEnded, match="no such module"):
        wait_until_answering(tmp_path, record, 20)


def test_port_that_is_taken_is_refused_before_anything_starts(
    environment: Mapping[str, str], place: Path
) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run_brain(["ui", "--port", port, "--json"], environment=environment, folder=place)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "port_unusable"
    assert "something else listens there" in done.stderr
    assert not (place / ".brain").exists()


def get(address: str, path: str) -> int:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.request("GET", path)
    return connection.getresponse().status


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_ui_serves_dagster_and_survives_what_people_do_to_it(
    environment: Mapping[str, str], place: Path
) -> None:
    """Foreground, ended by SIGTERM; detached, asked for twice; killed, and then stopped by `brain stop`."""
    home, port = place / ".brain", free_port()
    address = f"http://127.0.0.1:{port}"

    def start(*more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [BRAIN, "ui", "--port", str(port), *more],
            env=os.environ | dict(environment),
            cwd=place,
            stderr=subprocess.PIPE,
            text=True,
        )

    foreground = start()
    assert foreground.stderr is not None
    assert address in foreground.stderr.readline()
    assert get(address, "/server_info") == 200
    assert {service.name for service in running_services(home)} == {"webserver", "daemon"}
    foreground.send_signal(signal.SIGTERM)
    assert foreground.wait(60) == 0
    assert running_services(home) == ()

    detached = start("--detach")
    assert detached.wait(120) == 0
    assert get(address, "/server_info") == 200
    again = run_brain(["ui", "--port", str(port)], environment=environment, folder=place)
    assert f"already running at {address}" in again.stderr
    groups = [service.pid for service in running_services(home)]
    stopped = run_brain(["stop", "--json"], environment=environment, folder=place)
    assert json.loads(stopped.stdout) == {"stopped": ["daemon", "webserver", "database"]}
    assert [members(group) for group in groups] == [0, 0]

    killed = start()
    assert killed.stderr is not None
    assert address in killed.stderr.readline()
    killed.kill()
    killed.wait()
    time.sleep(0.5)
    assert get(address, "/server_info") == 200, "the children are sessions of their own"
    stopped = run_brain(["stop", "--json"], environment=environment, folder=place)
    assert json.loads(stopped.stdout) == {"stopped": ["daemon", "webserver", "database"]}
