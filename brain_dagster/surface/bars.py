"""Progress for people: bars on a terminal, lines elsewhere; always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from brain_dagster.progress import Reporter, reporting_to
from brain_dagster.surface.render import say


class _Bars:
    """One bar per stage; a finished stage leaves one line."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[tuple[str, str], TaskID] = {}

    def begin(self, subject: str, stage: str, total: int | None) -> None:
        """Show a bar."""
        self._tasks[subject, stage] = self._progress.add_task(f"{subject}: {stage}", total=total)

    def advance(self, subject: str, stage: str, done: int) -> None:
        """Move the bar."""
        self._progress.advance(self._tasks[subject, stage], done)

    def end(self, subject: str, stage: str, note: str) -> None:
        """Replace the bar by a line."""
        self._progress.remove_task(self._tasks.pop((subject, stage)))
        self._progress.console.print(f"  {subject}: {stage}: {note}", markup=False, highlight=False)


class _Lines:
    """A line when a stage ends, and one every few seconds while it runs."""

    _EVERY_S = 5.0

    def __init__(self) -> None:
        self._done: dict[tuple[str, str], int] = {}
        self._total: dict[tuple[str, str], int | None] = {}
        self._said = 0.0

    def begin(self, subject: str, stage: str, total: int | None) -> None:
        """Remember the total."""
        self._done[subject, stage] = 0
        self._total[subject, stage] = total
        self._said = time.monotonic()

    def advance(self, subject: str, stage: str, done: int) -> None:
        """Say how far it is, now and then."""
        self._done[subject, stage] += done
        if time.monotonic() - self._said >= self._EVERY_S:
            self._said = time.monotonic()
            total = self._total[subject, stage]
            say(f"  {subject}: {stage}: {self._done[subject, stage]:,} of {total or '?'}")

    def end(self, subject: str, stage: str, note: str) -> None:
        """Say how it ended."""
        say(f"  {subject}: {stage}: {note}")


@contextmanager
def shown_progress() -> Iterator[Reporter]:
    """Show the progress of everything inside the block on stderr."""
    if not sys.stderr.isatty():
        lines = _Lines()
        with reporting_to(lines):
            yield lines
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars = _Bars(progress)
        with reporting_to(bars):
            yield bars
