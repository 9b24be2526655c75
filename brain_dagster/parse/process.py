"""One child process that parses: started lazily, spoken to with deadlines, killed without regret."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence

from brain_dagster.parse.errors import ParserUnavailable
from brain_dagster.parse.frames import PREFIX, BrokenFrame, Frame, decode, lengths
from brain_dagster.settings import REPOSITORY_ROOT

START_TIMEOUT_S = 60.0
READ_BYTES = 1 << 18
# All a parser may know of its surroundings: no database address, no token.
_INHERITED = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "TESSDATA_PREFIX",
    "TMPDIR",
    "VIRTUAL_ENV",
)


class ChildGone(Exception):
    """The child ended, or said something that makes no sense; it must be killed and replaced."""


class ChildLate(Exception):
    """The deadline passed; the child must be killed and replaced."""


class ParserChild:
    """A child process and the two pipes to it; used by one thread at a time.

    is_fresh  nothing was parsed in the running process yet
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._received = bytearray()
        self.is_fresh = False

    def start(self) -> None:
        """Start the process unless it runs; returns when it is ready to parse.

        Errors  ParserUnavailable - it ended or stayed silent instead of reporting for work.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self.kill()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # parsers chat about every oddity they meet
            bufsize=0,
            env=_environment(),
            start_new_session=True,  # an interrupt from the terminal is the parent's to handle
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        os.set_blocking(self._process.stdout.fileno(), False)
        try:
            ready = self.receive(time.monotonic() + START_TIMEOUT_S)
        except (ChildGone, ChildLate) as error:
            self.kill()
            raise ParserUnavailable(retry_after_s=60) from error
        if ready.kind != "ready":
            self.kill()
            raise ParserUnavailable(retry_after_s=60)
        self.is_fresh = True

    def send(self, frame: Frame, deadline: float) -> None:
        """Write a frame; raises ChildGone or ChildLate."""
        assert self._process is not None and self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        rest = memoryview(frame.encode())
        while rest:
            _wait(pipe, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(pipe, rest[:READ_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise ChildGone("it does not read any more") from error

    def receive(self, deadline: float) -> Frame:
        """Read a frame; raises ChildGone or ChildLate."""
        try:
            header, body = lengths(self._take(PREFIX.size, deadline))
            return decode(self._take(header, deadline), self._take(body, deadline))
        except BrokenFrame as error:
            raise ChildGone(str(error)) from error

    def kill(self, grace_s: float = 0.0) -> str:
        """End the process, if there is one, and return how it ended: `signal 11`, `exit code 1`."""
        process, self._process = self._process, None
        self._received.clear()
        if process is None:
            return ""
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            # One that closed its pipe is about to end by itself: its own exit code tells more than ours.
            code = process.wait(grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _take(self, count: int, deadline: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while len(self._received) < count:
            _wait(pipe, select.POLLIN, deadline)
            try:
                block = os.read(pipe, READ_BYTES)
            except BlockingIOError:
                continue
            if not block:
                raise ChildGone("it ended")
            self._received += block
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken


def _wait(pipe: int, event: int, deadline: float) -> None:
    poller = select.poll()
    poller.register(pipe, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poller.poll(left * 1000):
        raise ChildLate("the deadline passed")


def _environment() -> dict[str, str]:
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    paths = [str(REPOSITORY_ROOT), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    environment["TOKENIZERS_PARALLELISM"] = "false"
    return environment


def child_command() -> list[str]:
    """Return the command of a parser; `-P` keeps files of the working directory from posing as modules."""
    return [sys.executable, "-P", "-m", "brain_dagster.parse.child"]
