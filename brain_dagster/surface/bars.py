"""Progress for people: bars on a terminal, lines elsewhere; always on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from brain_dagster.progress import LineReporter, Reporter, reporting_to
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


@contextmanager
def shown_progress() -> Iterator[Reporter]:
    """Show the progress of everything inside the block on stderr."""
    if not sys.stderr.isatty():
        lines = LineReporter(lambda subject, words: say(f"  {subject}: {words}"))
        with reporting_to(lines):
            yield lines
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bars = _Bars(progress)
        with reporting_to(bars):
            yield bars
