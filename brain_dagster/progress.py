"""How long work says where it is: stages report to whatever the surface put here.

The command line shows bars, a Dagster run writes log lines, tests stay quiet. Stages never know which.
"""

from __future__ import annotations

from collections.abc import Iterator
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
