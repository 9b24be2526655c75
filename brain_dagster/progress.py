"""How long work says where it is: stages report to whatever the surface put here.

The command line shows bars, a Dagster run writes log lines, tests stay quiet. Stages never know which.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Reporter(Protocol):
    """Receives progress; implementations must be cheap, they are called once per batch."""

    def begin(self, subject: str, stage: str, total: int | None) -> None:
        """A stage of `subject` (a source key) starts; `total` is its number of items, if known."""

    def advance(self, subject: str, stage: str, done: int) -> None:
        """`done` more items are finished."""

    def end(self, subject: str, stage: str, note: str) -> None:
        """The stage is over; `note` is one short phrase for people."""


class SilentReporter:
    """Reports to nobody."""

    def begin(self, subject: str, stage: str, total: int | None) -> None:
        """Say nothing."""

    def advance(self, subject: str, stage: str, done: int) -> None:
        """Say nothing."""

    def end(self, subject: str, stage: str, note: str) -> None:
        """Say nothing."""


class LineReporter:
    """Says in lines where long work is: when a stage ends, and every few seconds while it runs."""

    def __init__(self, say: Callable[[str, str], None], *, every_s: float = 5.0) -> None:
        self._say = say  # takes the subject and the words
        self._every_s = every_s
        self._done: dict[tuple[str, str], int] = {}
        self._total: dict[tuple[str, str], int | None] = {}
        self._said = 0.0

    def begin(self, subject: str, stage: str, total: int | None) -> None:
        """Note the total; the first line is said when there is something to say."""
        self._done[subject, stage] = 0
        self._total[subject, stage] = total
        self._said = time.monotonic()

    def advance(self, subject: str, stage: str, done: int) -> None:
        """Say how far the stage is, now and then."""
        self._done[subject, stage] += done
        if time.monotonic() - self._said >= self._every_s:
            self._said = time.monotonic()
            total = self._total[subject, stage]
            of = "" if total is None else f" of {total:,}"
            self._say(subject, f"{stage}: {self._done[subject, stage]:,}{of}")

    def end(self, subject: str, stage: str, note: str) -> None:
        """Say how it ended."""
        self._say(subject, f"{stage}: {note}")


_SILENT = SilentReporter()
_current: ContextVar[Reporter] = ContextVar("brain_progress")


def reporter() -> Reporter:
    """Return the reporter of this context."""
    return _current.get(_SILENT)


def is_heard() -> bool:
    """Whether a surface listens."""
    return reporter() is not _SILENT


@contextmanager
def reporting_to(target: Reporter) -> Iterator[None]:
    """Send the progress of everything inside the block to `target`."""
    token = _current.set(target)
    try:
        yield
    finally:
        _current.reset(token)
