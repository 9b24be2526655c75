"""Long-running children of a BRAIN_HOME: started in sessions of their own, remembered in run/*.json.

Whoever started them may be killed, so what is needed to find and stop them lies on disk: the process
number together with its start time, because numbers come back.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from brain_dagster.errors import Transient
from brain_dagster.store.cluster import open_log

if TYPE_CHECKING:
    import psutil

# A daemon finishes its loop, a code server its runs' cancellation; past this they are not asked again.
LEADER_GRACE_S = 10.0
GROUP_GRACE_S = 10.0
START_TIME_TOLERANCE_S = 2.0  # the boot time that start times count from moves with the clock


class ServiceEnded(Transient):
    """A service ended by itself; its log says why."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service as it was started: its name, its process and where it answers, if anywhere.

    is_wanted  False from the moment somebody stops it, so that whoever watches it expects its end
    """

    name: str
    pid: int
    started_at: float
    address: str
    is_wanted: bool = True


def log_of(home: Path, name: str) -> Path:
    """Return the file a service writes to."""
    return home / "logs" / f"{name}.log"


def _record_of(home: Path, name: str) -> Path:
    return home / "run" / f"{name}.json"


def start_service(
    home: Path,
    name: str,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    address: str = "",
) -> subprocess.Popen[bytes]:
    """Start a service in its own session, with its log, and remember it.

    A session of its own: the terminal's Ctrl-C reaches only us, and all its descendants share one group.
    """
    import psutil

    log_of(home, name).parent.mkdir(parents=True, exist_ok=True)
    _record_of(home, name).parent.mkdir(parents=True, exist_ok=True)
    with open_log(log_of(home, name)) as log:
        child = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=os.environ | dict(environment),
            start_new_session=True,
        )
    _remember(home, Service(name, child.pid, psutil.Process(child.pid).create_time(), address))
    return child


def _remember(home: Path, service: Service) -> None:
    part = _record_of(home, service.name).with_suffix(".part")
    part.write_text(json.dumps(asdict(service)), encoding="utf-8")
    part.replace(_record_of(home, service.name))


def is_wanted(home: Path, name: str) -> bool:
    """Say whether the service is still meant to run: it was started, and nobody has stopped it."""
    return any(record.name == name and record.is_wanted for record in _recorded(home))


def running_services(home: Path) -> tuple[Service, ...]:
    """Return the services of `home` that are alive, whoever started them."""
    return tuple(record for record in _recorded(home) if _leader(record) is not None)


def _recorded(home: Path) -> list[Service]:
    found = []
    for file in sorted((home / "run").glob("*.json")):
        try:
            found.append(Service(**json.loads(file.read_text(encoding="utf-8"))))
        except FileNotFoundError:
            continue  # stopped by somebody else just now
        except (ValueError, TypeError):
            file.unlink(missing_ok=True)  # of another version of this program
    return found


def _leader(service: Service) -> psutil.Process | None:
    """Return the process that was started as this service, if it still is that one."""
    import psutil

    try:
        process = psutil.Process(service.pid)
        is_it = abs(process.create_time() - service.started_at) < START_TIME_TOLERANCE_S
        return process if is_it and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return None


def stop_services(home: Path) -> tuple[str, ...]:
    """Stop every service of `home` with all its descendants; return the names of those that ran."""
    return tuple(record.name for record in _recorded(home) if _stop(home, record))


def _stop(home: Path, service: Service) -> bool:
    leader = _leader(service)
    was_running = leader is not None or bool(_group(service))
    _remember(home, replace(service, is_wanted=False))
    if leader is not None:
        _signal(service.pid, signal.SIGTERM)
        _wait(lambda: _leader(service) is None, LEADER_GRACE_S)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in _group(service):
            _signal(process.pid, number)
        if _wait(lambda: not _group(service), GROUP_GRACE_S):
            break
    _record_of(home, service.name).unlink(missing_ok=True)
    return was_running


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _group(service: Service) -> list[psutil.Process]:
    """Return the live processes of the group the service led, also after its leader has died.

    A number whose group still has members is not given out again, so the group is the service's, unless the
    number now belongs to a process of another time.
    """
    import psutil

    if psutil.pid_exists(service.pid) and _leader(service) is None and not _is_zombie(service.pid):
        return []
    members = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == service.pid and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process)
        except (psutil.NoSuchProcess, ProcessLookupError):
            continue
    return members


def _is_zombie(pid: int) -> bool:
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _wait(is_done: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wait_until_answering(home: Path, service: Service, seconds: float) -> None:
    """Return when the service answers HTTP at its address.

    Errors  ServiceEnded - it ended, or says nothing for so long; with the end of its log.
    """
    deadline = time.monotonic() + seconds
    while not _answers(service.address):
        if _leader(service) is None or time.monotonic() > deadline:
            raise ended(home, service.name)
        time.sleep(0.2)


def _answers(address: str) -> bool:
    host, _, port = address.removeprefix("http://").rpartition(":")
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=5)
    try:
        connection.request("GET", "/server_info")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def ended(home: Path, name: str) -> ServiceEnded:
    """Return the error for a service that ended by itself, with the last lines it wrote."""
    log = log_of(home, name)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return ServiceEnded("it ended by itself; the end of its log:\n" + "\n".join(lines[-8:]), subject=name)
