"""The embedded PostgreSQL of a BRAIN_HOME: found if it runs, started if not, stopped on request.

Many processes use it at once (command line, webserver, daemon, run workers) and none of them owns it: it
outlives all of them, also their SIGKILL, until `brain stop`. Whether it runs is answered by the server
itself, from its postmaster.pid and its socket, so that the usual case costs two system calls, not the
import of the package that brings the server's programs.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, SubprocessError
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from brain_dagster.errors import DatabaseUnavailable
from brain_dagster.store import cluster
from brain_dagster.store.cluster import HomeUnusable

if TYPE_CHECKING:
    import psutil

START_DEADLINE_S = 600.0  # crash recovery replays up to max_wal_size
ORPHANS_DEADLINE_S = 60.0  # backends of a killed postmaster end by themselves, soon
STOP_DEADLINE_S = 120.0  # the shutdown checkpoint writes whatever is dirty


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What postmaster.pid says about the server that wrote it."""

    pid: int
    folder: str
    port: int
    sockets: str
    status: str

    @property
    def url(self) -> str:
        """Connection URL of its `postgres` database."""
        return f"postgresql://postgres@:{self.port}/postgres?host={quote(self.sockets, safe='/')}"


def pgdata_of(home: Path) -> Path:
    """Return the folder of the database cluster in `home`."""
    return home / "pg"


def log_of(home: Path) -> Path:
    """Return the file the server writes its complaints to."""
    return home / "logs" / "postgres.log"


def running_url(home: Path) -> str | None:
    """Return the URL of the server of `home` if it is up and accepts connections; takes well under 5 ms.

    Errors  HomeUnusable when the folder cannot be read.
    """
    found = read_postmaster(pgdata_of(home))
    # A copied BRAIN_HOME brings along a postmaster.pid that names the original's socket.
    if found is None or found.status != "ready" or found.folder != str(pgdata_of(home)):
        return None
    return found.url if _accepts(found) else None


def read_postmaster(pgdata: Path) -> Postmaster | None:
    """Return what postmaster.pid says; None when there is none or it is still being written."""
    try:
        lines = (pgdata / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HomeUnusable(f"BRAIN_HOME cannot be read: {error.strerror}", subject=str(pgdata)) from error
    try:
        return Postmaster(int(lines[0]), lines[1], int(lines[3]), lines[4], lines[7].strip())
    except (IndexError, ValueError):
        return None


def _accepts(postmaster: Postmaster) -> bool:
    """Say whether somebody listens on the socket: a file left by a killed server refuses at once."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.settimeout(2)
        try:
            probe.connect(f"{postmaster.sockets}/.s.PGSQL.{postmaster.port}")
        except OSError:
            return False
        return True


def ensure_running(home: Path) -> str:
    """Return the URL of the server of `home`, starting it, and making it, where necessary.

    Of several processes that ask at once exactly one starts it; the others wait for that one.

    Errors  HomeUnusable, ForeignCluster - what lies under `home` is in the way; DatabaseUnavailable - the
            server does not start, with the last words of its log.
    """
    url = running_url(home)
    if url is not None:
        return url
    with home_lock(home):
        return running_url(home) or _start(home)


@contextmanager
def home_lock(home: Path) -> Iterator[None]:
    """Hold the lock under which the server of `home` starts and stops; free when its holder dies."""
    if "\n" in str(home):
        raise HomeUnusable("BRAIN_HOME must not contain a line break", subject=str(home))
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle = os.open(home / "pg.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise HomeUnusable(f"BRAIN_HOME cannot be written: {error.strerror}", subject=str(home)) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _start(home: Path) -> str:
    """Make the cluster if need be, then start it; the caller holds the lock."""
    pgdata = pgdata_of(home)
    try:
        binaries = cluster.find_binaries(pgdata)
        if not cluster.check_version(binaries, pgdata):
            cluster.create(binaries, home / "pg.new", pgdata)
        sockets = cluster.socket_folder(pgdata, binaries.user)
        cluster.configure(pgdata, sockets)
        with cluster.open_log(log_of(home)) as log:
            return _wait_until_ready(home, lambda: _spawn(binaries, pgdata, sockets, log))
    except (OSError, SubprocessError) as error:
        raise HomeUnusable(f"the embedded database cannot be set up: {error}", subject=str(home)) from error


def _spawn(binaries: cluster.Binaries, pgdata: Path, sockets: Path, log: IO[bytes]) -> Popen[bytes]:
    """Start the server, without the lock files of one that is known to be dead.

    PostgreSQL believes such a file as long as any process has the number in it: a stranger's after a restart
    of the container, or the dead server's own where nobody reaps zombies. What protects the data from two
    servers is the shared memory of the first, which the second looks for in any case.
    """
    for stale in (pgdata / "postmaster.pid", sockets / f".s.PGSQL.{cluster.PORT}.lock"):
        stale.unlink(missing_ok=True)
    return cluster.spawn(binaries, pgdata, log)


def _wait_until_ready(home: Path, spawn: Callable[[], Popen[bytes]]) -> str:
    """Start the server once nobody else's is in the way, and wait for as long as it makes progress.

    A starter that was killed may have left a server still recovering, a stopper one still stopping, and a
    killed postmaster its stale file and backends that have not yet noticed.
    """
    started = time.monotonic()
    child: Popen[bytes] | None = None
    while time.monotonic() - started < START_DEADLINE_S:
        url = running_url(home)
        if url is not None:
            return url
        if child is not None and child.poll() is not None:
            _raise_unless_orphans(home, time.monotonic() - started)
            child = None
            time.sleep(0.5)
        if child is None and postmaster_process(home) is None:
            child = spawn()
        time.sleep(0.02)
    raise DatabaseUnavailable(
        f"the embedded database did not become ready within {START_DEADLINE_S:.0f} s; see {log_of(home)}",
        subject=str(home),
    )


def _raise_unless_orphans(home: Path, waited_s: float) -> None:
    """Raise what the log says about a server that ended; return if it is worth another attempt."""
    words = _last_words(log_of(home))
    if "is still in use" in words and waited_s < ORPHANS_DEADLINE_S:
        return  # backends of a killed postmaster still hold its shared memory
    raise DatabaseUnavailable(f"the embedded database does not start: {words}", subject=str(log_of(home)))


def _last_words(log: Path) -> str:
    """Return the last line of the log in which the server complains."""
    text = log.read_text(encoding="utf-8", errors="replace")[-20_000:]
    lines = [line.strip() for line in text.splitlines()]
    complaints = [line for line in lines if "FATAL:" in line or "PANIC:" in line]
    return complaints[-1] if complaints else "\n".join(lines[-3:])


def postmaster_process(home: Path) -> psutil.Process | None:
    """Return the live server process of `home`, or None.

    The number in postmaster.pid proves nothing: after a crash another process may have it. Inside a
    container, where numbers are small and come back after each restart, that is the usual case. The
    server's working directory is its data folder, and that no other process can claim.
    """
    import psutil

    found = read_postmaster_pid(pgdata_of(home))
    if found is None:
        return None
    try:
        process = psutil.Process(found)
        is_ours = process.name() == "postgres" and Path(process.cwd()).samefile(pgdata_of(home))
    except (psutil.Error, OSError):
        return None
    return process if is_ours and process.status() != psutil.STATUS_ZOMBIE else None


def read_postmaster_pid(pgdata: Path) -> int | None:
    """Return the process number in postmaster.pid, which the server writes before all else."""
    try:
        return int((pgdata / "postmaster.pid").read_text(encoding="utf-8", errors="replace").split("\n")[0])
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def stop(home: Path) -> bool:
    """Stop the server of `home`: clients are disconnected, everything is written; False if none ran.

    Errors  DatabaseUnavailable when it is still not down after STOP_DEADLINE_S.
    """
    import psutil

    if not pgdata_of(home).is_dir():
        return False
    with home_lock(home):
        process = postmaster_process(home)
        if process is None:
            return False
        served = read_postmaster(pgdata_of(home))
        try:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGINT)  # PostgreSQL's "fast shutdown"
                process.wait(STOP_DEADLINE_S)
        except psutil.TimeoutExpired as error:
            raise DatabaseUnavailable(
                f"the embedded database is still writing after {STOP_DEADLINE_S:.0f} s; try again",
                subject=str(home),
            ) from error
        if served is not None and served.sockets != str(pgdata_of(home)):
            with suppress(OSError):
                Path(served.sockets).rmdir()  # the short folder of a deep home; the server emptied it
    return True
