"""The bridge from the command line to the jobs: sets Dagster's environment, then loads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from brain_dagster.model import Source
from brain_dagster.settings import Settings
from brain_dagster.store.pool import Database
from brain_dagster.surface.dagster_home import dagster_environment

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from assets.launch import LaunchedRun


class DagsterLauncher:
    """Runs the jobs in this process against the instance of this BRAIN_HOME."""

    def __init__(self, instance: DagsterInstance, db: Database) -> None:
        self._instance = instance
        self._db = db

    def sync(self, source: Source) -> LaunchedRun:
        """Run `sync_source` for one source."""
        from brain_dagster.definitions import launch

        return launch.sync(self._instance, self._db, source)

    def refresh_index(self) -> LaunchedRun:
        """Run `refresh_index`."""
        from brain_dagster.definitions import launch

        return launch.refresh_index(self._instance)

    def evaluate(self, goldset: str) -> LaunchedRun:
        """Run `evaluate` for one of the project's goldsets."""
        from brain_dagster.definitions import launch

        return launch.evaluate(self._instance, goldset)


@contextmanager
def dagster_launcher(settings: Settings, db: Database) -> Iterator[DagsterLauncher]:
    """Open the Dagster instance of this BRAIN_HOME; its storage and home come from the settings."""
    os.environ.update(dagster_environment(settings))
    from brain_dagster.definitions import launch

    with launch.instance() as instance:
        yield DagsterLauncher(instance, db)
