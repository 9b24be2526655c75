"""Reads contents out of an object store: one `git cat-file` process for any number of them."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO

from brain_dagster.connectors.base import TooLarge, VanishedItem
from brain_dagster.connectors.git_process import command, end_group, environment
from brain_dagster.errors import SourceUnavailable

_PIECE = 1 << 20


class BlobReader:
    """Asks one long-lived git process for one object at a time; starts it again if it dies.

    git ends the process on the first damaged object. That object is reported as such, and the ones
    after it are still read.
    """

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, blob_id: str, limit: int) -> bytes:
        """Return the content of one object.

        Errors  TooLarge beyond `limit` bytes; VanishedItem when the store lacks it or it is damaged.
        """
        try:
            stdin, stdout = self._pipes()
            stdin.write(f"{blob_id}\n".encode("ascii"))
            stdin.flush()
            header = stdout.readline().split()
        except BrokenPipeError:
            header = []
        if len(header) != 3:
            self._check_missing(header)
        size = int(header[2])
        if size > limit:
            _skip(stdout, size + 1)
            raise TooLarge()
        content = stdout.read(size + 1)
        if len(content) != size + 1:
            self._give_up()
        return content[:size]

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            end_group(process)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close_quietly(pipe)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            self._process = self._start()
        if self._process.stdin is None or self._process.stdout is None:
            raise SourceUnavailable("git gave no pipes to read from")
        return self._process.stdin, self._process.stdout

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                command(["cat-file", "--batch"], git_dir=self._git_dir, uses_network=False),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(uses_network=False),
                start_new_session=True,
            )
        except OSError as error:
            raise SourceUnavailable(f"git cannot be started: {error.strerror}") from error

    def _check_missing(self, header: list[bytes]) -> None:
        if header[1:] == [b"missing"]:
            raise VanishedItem(
                "its content is not in the repository (a partial clone, or history rewritten meanwhile); "
                "the next sync looks again"
            )
        self._give_up()

    def _give_up(self) -> None:
        self.close()
        raise VanishedItem("git cannot read its content, the object may be damaged; run `git fsck` there")


def _skip(stream: IO[bytes], size: int) -> None:
    """Read past `size` bytes, holding one piece at a time."""
    while size > 0:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            return
        size -= len(piece)


def _close_quietly(pipe: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        pipe.close()
