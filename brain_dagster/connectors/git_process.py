"""Runs git so that nothing around it matters: no prompt, no hook, no configuration of the caller's.

Reading commands see no configuration but the repository's own and may use no transport at all, so a
partial clone cannot start a download, or a command that its configuration names, behind our back.
Network commands do read the user's configuration: a company's proxy, certificates and credential
helpers live there.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brain_dagster.errors import SourceUnavailable

READ_TIMEOUT_S = 300.0
_ALWAYS = (
    "-c",
    "safe.directory=*",  # a repository that another user owns is read like any other; nothing in it is run
    "-c",
    "protocol.ext.allow=never",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fsmonitor=false",
)
_NETWORK = (
    "-c",
    "http.lowSpeedLimit=1000",
    "-c",
    "http.lowSpeedTime=60",
    "-c",
    "submodule.recurse=false",
    "-c",
    "fetch.recurseSubmodules=false",
    "-c",
    "gc.autoDetach=false",
    "-c",
    "maintenance.autoDetach=false",
)
# Of the caller's variables only those that say how to reach a server stay. GIT_DIR and its kin would
# point every command elsewhere; they are set, for instance, when a hook of another repository calls us.
_KEPT = {
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_EXEC_PATH",
    "GIT_PROXY_COMMAND",
}
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class GitResult:
    """What a git command printed, and how it ended."""

    exit_code: int
    stdout: bytes
    stderr: str

    @property
    def reason(self) -> str:
        """The first line that says what went wrong, without credentials."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        chosen = next(
            (line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else ""
        )
        return without_credentials(chosen.partition(": ")[2] or chosen or f"git ended with {self.exit_code}")


def without_credentials(text: str) -> str:
    """Return the text with the user part of every address removed (I12)."""
    return _CREDENTIALS.sub("", text)


def command(arguments: Sequence[str], *, git_dir: Path | None, uses_network: bool) -> list[str]:
    """Return the whole command line of a git call."""
    where = [f"--git-dir={git_dir}"] if git_dir is not None else []
    return ["git", "--no-pager", *where, *_ALWAYS, *(_NETWORK if uses_network else ()), *arguments]


def environment(*, uses_network: bool) -> dict[str, str]:
    """Return the environment of a git call."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    kept |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",  # a blob id names its own bytes, never a replacement's
    }
    if uses_network:
        return kept | {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
    return kept | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


def run_git(
    arguments: Sequence[str],
    *,
    git_dir: Path | None = None,
    stdin: bytes = b"",
    timeout_s: float = READ_TIMEOUT_S,
    uses_network: bool = False,
    keep_open: tuple[int, ...] = (),
) -> GitResult:
    """Run git to its end and return what it printed, whatever its exit code.

    keep_open  descriptors the child inherits: a lock then lasts as long as the work it protects.
    Errors     SourceUnavailable when git is missing or does not finish within `timeout_s`.
    """
    try:
        process = subprocess.Popen(
            command(arguments, git_dir=git_dir, uses_network=uses_network),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(uses_network=uses_network),
            pass_fds=keep_open,
            start_new_session=True,  # no terminal to prompt on, and one group to end with its transports
        )
    except OSError as error:
        raise SourceUnavailable(f"git cannot be started: {error.strerror}; is it installed?") from error
    with process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise SourceUnavailable(f"git {arguments[0]} did not finish within {timeout_s:.0f} s") from error
        finally:
            end_group(process)
    return GitResult(process.returncode, stdout, stderr.decode("utf-8", "replace"))


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a git process that still runs, with everything it started."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
        process.wait()
