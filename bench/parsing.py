"""How fast source code becomes chunks, beside the bare tree-sitter parse of the same bytes.

`python -m bench parsing`: the source files of this environment's installed packages that have a row in the
table of languages, file by file on one core. Chunking holds everything that is done to a text: weighing
its tokens, parsing, reading the tree, packing and cutting. Both are timed for the same file, one right after
the other, so that a drifting machine shows in both. Memory is the peak above what was there before the first
file, so it tells whether anything is kept from file to file.
"""

from __future__ import annotations

import gc
import resource
import sys
import sysconfig
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tree_sitter_language_pack import get_parser

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.languages import LANGUAGES, language_of
from brain_dagster.chunk.tokens import default_counter

BUDGET = 240
LARGEST_BYTES = 2_000_000
MOST_BYTES = 12_000_000  # of one language: enough to be sure, little enough to wait for


@dataclass
class Spent:
    """Bytes of one language, and the seconds that chunking and bare parsing took for them."""

    files: int = 0
    size_bytes: int = 0
    chunking_s: float = 0.0
    parsing_s: float = 0.0
    chunks: int = 0


def main() -> None:
    """Print megabytes a second and the ratio, by language and in all."""
    counter = default_counter()
    chunk_text("def warm():\n    return 1\n", "python", BUDGET, counter=counter)
    spent: dict[str, Spent] = defaultdict(Spent)
    gc.collect()
    before = _peak_mb()
    for language, text in _sources():
        row = spent[language]
        content = text.encode()
        started = time.process_time()
        document = chunk_text(text, language, BUDGET, counter=counter)
        between = time.process_time()
        get_parser(cast(Any, LANGUAGES[language].grammar)).parse(content)
        row.parsing_s += time.process_time() - between
        row.chunking_s += between - started
        row.files += 1
        row.size_bytes += len(content)
        row.chunks += len(document.chunks)
    _print(spent)
    print(f"peak memory rose by {_peak_mb() - before:.0f} MB over all files")


def _sources() -> Iterator[tuple[str, str]]:
    """Yield language and text of installed sources, in the order of their paths."""
    taken: dict[str, int] = defaultdict(int)
    folders = [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))]
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        language = language_of(path.name)
        if language not in LANGUAGES or taken[language] > MOST_BYTES or not path.is_file():
            continue
        if not 0 < path.stat().st_size <= LARGEST_BYTES:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        taken[language] += len(text)
        yield language, text


def _print(spent: dict[str, Spent]) -> None:
    total = Spent()
    rows = sorted(spent.items(), key=lambda item: -item[1].size_bytes)
    print(f"{'language':<14}{'files':>7}{'MB':>7}{'chunks':>9}{'chunked':>10}{'parsed':>10}{'ratio':>8}")
    for language, row in rows:
        _print_row(language, row)
        for name in vars(total):
            setattr(total, name, getattr(total, name) + getattr(row, name))
    _print_row("all", total)


def _print_row(name: str, row: Spent) -> None:
    megabytes = row.size_bytes / 1e6
    print(
        f"{name:<14}{row.files:>7,}{megabytes:>7.1f}{row.chunks:>9,}"
        f"{megabytes / max(row.chunking_s, 1e-9):>5.1f} MB/s{megabytes / max(row.parsing_s, 1e-9):>5.1f} MB/s"
        f"{row.chunking_s / max(row.parsing_s, 1e-9):>8.2f}"
    )


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


if __name__ == "__main__":
    main()
