"""`brain ui`: Dagster's webserver and daemon on this instance."""

from __future__ import annotations

import errno
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import FrameType

import click

from brain_dagster.errors import Refused
from brain_dagster.settings import REPOSITORY_ROOT
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import brain_settings, opened_database
from brain_dagster.surface.dagster_home import WORKSPACE_FILE, dagster_environment
from brain_dagster.surface.render import print_json, say
from brain_dagster.surface.services import (
    ended,
    is_wanted,
    log_of,
    running_services,
    start_service,
    stop_services,
    wait_until_answering,
)

READY_WITHIN_S = 120.0


class PortUnusable(Refused):
    """The webserver cannot listen there; choose another --port or --host."""


class _StopAsked(Exception):
    """SIGTERM, SIGHUP or Ctrl-C arrived."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535), help="Port.")
@click.option("--no-daemon", is_flag=True, help="Only the webserver: no schedules, sensors and queued runs.")
@click.option("--detach", is_flag=True, help="Return as soon as it answers; `brain stop` ends it.")
@json_option
def ui(host: str, port: int, no_daemon: bool, detach: bool, as_json: bool) -> None:
    """Start Dagster's webserver and daemon on this instance, until Ctrl-C.

    The webserver asks nobody for a password: think before you give it another address than 127.0.0.1.
    """
    home = brain_settings().home_path
    already = [service for service in running_services(home) if service.name == "webserver"]
    if already:
        say(f"already running at {already[0].address}; `brain stop` ends it")
        if as_json:
            print_json({"address": already[0].address, "started": False})
        return
    check_port(host, port)
    with opened_database():
        environment = dagster_environment(brain_settings())
    stop_services(home)  # a daemon whose webserver was killed would be a second one
    _on_signals(_raise_stop)
    try:
        children = start(home, environment, WORKSPACE_FILE, host=host, port=port, with_daemon=not no_daemon)
        _announce(home, address_of(host, port), as_json, detach)
        if not detach:
            supervise(home, children)
    except (_StopAsked, KeyboardInterrupt):
        _on_signals(signal.SIG_IGN)  # a second Ctrl-C must not leave children behind
        say("stopping")
        stop_services(home)
    except BaseException:
        stop_services(home)
        raise


def check_port(host: str, port: int) -> None:
    """Refuse a port somebody else has, before anything is started.

    Errors  PortUnusable.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        what = "something else listens there" if error.errno == errno.EADDRINUSE else error.strerror
        raise PortUnusable(f"{what}; choose another --port or --host", subject=f"{host}:{port}") from error


def address_of(host: str, port: int) -> str:
    """Return the address under which this machine reaches a server that listens on `host`."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def start(
    home: Path,
    environment: Mapping[str, str],
    workspace: Path,
    *,
    host: str,
    port: int,
    with_daemon: bool,
) -> dict[str, subprocess.Popen[bytes]]:
    """Start the webserver, and the daemon if wanted, and return when the webserver answers."""
    location = ("-w", str(workspace))
    web = (sys.executable, "-m", "dagster_webserver", *location, "-h", host, "-p", str(port))
    daemon = (sys.executable, "-m", "dagster._daemon", "run", *location)
    children = {
        "webserver": start_service(
            home,
            "webserver",
            web,
            environment=environment,
            folder=REPOSITORY_ROOT,
            address=address_of(host, port),
        )
    }
    if with_daemon:
        children["daemon"] = start_service(
            home, "daemon", daemon, environment=environment, folder=REPOSITORY_ROOT
        )
    (webserver,) = (service for service in running_services(home) if service.name == "webserver")
    wait_until_answering(home, webserver, READY_WITHIN_S)
    return children


def supervise(home: Path, children: Mapping[str, subprocess.Popen[bytes]]) -> None:
    """Watch the children until somebody asks to stop, or one of them ends.

    Errors  ServiceEnded - one ended by itself: half a UI would look as if everything ran.
    """
    while True:
        for name, child in children.items():
            if child.poll() is not None:
                raise ended(home, name) if is_wanted(home, name) else _StopAsked
        time.sleep(0.3)


def _announce(home: Path, address: str, as_json: bool, detach: bool) -> None:
    if as_json:
        print_json({"address": address, "started": True})
    end = "`brain stop` ends it" if detach else "Ctrl-C ends it"
    say(f"Dagster is at {address} ({end}; logs: {log_of(home, 'webserver').parent})")


def _on_signals(action: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    """Set what SIGINT, SIGTERM and SIGHUP do.

    Also where they were inherited as ignored, as under nohup: children would inherit that too, and one that
    ignores SIGTERM can only be killed.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, action)


def _raise_stop(number: int, frame: FrameType | None) -> None:
    raise _StopAsked
