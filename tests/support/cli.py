"""The `brain` command in a forked child: a real process, without the half second its imports take."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from brain_dagster.settings import settings
from brain_dagster.surface.cli import main


@dataclass(frozen=True)
class Done:
    """What a command said and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def run_brain(arguments: Sequence[str], *, environment: Mapping[str, str], folder: Path) -> Done:
    """Run `brain` with these variables added to the environment, in this working directory."""
    out, err = folder / ".stdout", folder / ".stderr"

    def child() -> None:
        for stream, file in ((1, out), (2, err)):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir(folder)
        os.environ.update(environment)
        settings.cache_clear()
        code = 70
        try:
            main(arguments)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 71
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode is not None, f"brain {' '.join(arguments)} did not end within a minute"
    done = Done(process.exitcode, out.read_text(), err.read_text())
    out.unlink()
    err.unlink()
    return done
