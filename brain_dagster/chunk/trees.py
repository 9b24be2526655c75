"""Turns a text into the syntax tree of a grammar, within bounds on the parser's own work (fault E6)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from tree_sitter import Point, Tree
from tree_sitter_language_pack import get_parser

# The parser asks whether to go on after every hundred steps. Code takes at most 2 questions in 100 bytes
# (35 grammars, 4 MB, December 2026); the F# grammar has been seen to ask without end over 700 bytes, and
# those of Scala, F# and Dart to take 2 GB or a minute over 100 kB of one word or bracket.
QUESTIONS = 1_000
BYTES_PER_QUESTION = 20
CPU_SECONDS = 3.0
BYTES_PER_SECOND = 250_000  # beyond those; the slowest grammar does 1.5 MB in a second
GROWTH_BYTES = 300_000_000
GROWTH_PER_BYTE = 100
READ_BYTES = 65_536
# Looking at clock and memory at every question would cost half of what the parser costs; a mask of bits.
LOOK_EVERY = 0x7F


class OverBudget(Exception):
    """The tree is larger or deeper than the chunker is willing to read."""


def parsed(grammar: str, text: bytes) -> Tree:
    """Return the syntax tree of a text; raises OverBudget where the grammar comes to no end."""

    def read(offset: int, _point: Point | tuple[int, int]) -> bytes:
        return text[offset : offset + READ_BYTES]

    # The stubs of the binding do not know of the callback.
    parser = cast(Any, get_parser(cast(Any, grammar)))
    try:
        return cast(Tree, parser.parse(read, progress_callback=_bound(len(text))))
    except ValueError as error:
        raise OverBudget(f"the grammar of {grammar} comes to no end") from error


def _bound(size: int) -> Callable[[int, bool], bool]:
    """Return the answer to the parser's questions for a text of a size: whether it has done enough."""
    left = QUESTIONS + size // BYTES_PER_QUESTION
    deadline = time.thread_time() + CPU_SECONDS + size / BYTES_PER_SECOND
    most = _resident_bytes() + GROWTH_BYTES + GROWTH_PER_BYTE * size

    def is_enough(_offset: int, _has_error: bool) -> bool:
        nonlocal left
        left -= 1
        if left & LOOK_EVERY:
            return left < 0
        return left < 0 or time.thread_time() > deadline or _resident_bytes() > most

    return is_enough


def _resident_bytes() -> int:
    """Return the memory this process holds; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0
