"""Peak memory of a sync, for a small source and for one ten times as large.

Reference: the small source's own peak. The ratio must stay near 1: memory does not grow with the source.
The model is replaced by one that counts words, since its memory does not depend on the source either.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
from pathlib import Path
from typing import Any

from bench.instance import temporary_brain
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import add_source
from tests.support.pipeline import sync

FILES = (2_000, 20_000)
_LIMIT_MB = 2_048


def main() -> None:
    """Print the peak memory of two loads."""
    peaks = []
    for files in FILES:
        with temporary_brain() as (settings, db):
            folder = settings.home_path / "source"
            _make(folder, files)
            add_source(db, key="big", kind="folder", location=str(folder), collection="big", added_by="bench")
            context = multiprocessing.get_context("spawn")
            answers = context.Queue()
            child = context.Process(target=_load, args=(db.url, settings, answers))
            child.start()
            chunks, peak = answers.get()
            child.join()
        peaks.append(peak)
        print(f"{files} files, {chunks} chunks: peak {peak:.0f} MB (target < {_LIMIT_MB})", flush=True)
    print(f"ratio large / small: {peaks[1] / peaks[0]:.2f} for {FILES[1] // FILES[0]} times the files")


def _make(folder: Path, files: int) -> None:
    folder.mkdir(parents=True)
    for number in range(files):
        body = "\n\n".join(
            f"def function_{number}_{part}(first, second):\n    return first * {part} + second * {number}"
            for part in range(20)
        )
        (folder / f"module_{number:05}.py").write_text(body + "\n")


def _load(url: str, settings: Any, answers: Any) -> None:
    report = sync(Database(url), "big", settings)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    parser = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    answers.put((report.chunks, (peak + parser) / 2**20))
