"""The database as a Dagster resource: opened for a run, and every claim given back when the run ends."""

from __future__ import annotations

import dagster as dg
from pydantic import PrivateAttr

from brain_dagster.settings import settings
from brain_dagster.store.claims import release_all
from brain_dagster.store.pool import Database
from brain_dagster.store.runs import end_unfinished_runs
from brain_dagster.store.server import open_database


class StoreResource(dg.ConfigurableResource):
    """Brain's database, as the environment names it (BRAIN_DATABASE_URL, or the embedded server)."""

    _db: Database | None = PrivateAttr(default=None)
    _run_id: str | None = PrivateAttr(default=None)

    def setup_for_execution(self, context: dg.InitResourceContext) -> None:
        """Open the database; connections are made when first used."""
        self._run_id = context.run_id
        self._db = open_database(settings(), application_name=f"brain {context.run_id or 'tick'}"[:63])

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:
        """Close what the run left open (a blocking check ends it between stages); release its claims."""
        if self._run_id and self._db is not None:
            end_unfinished_runs(self._db, self._run_id)
            release_all(self._run_id)
        if self._db is not None:
            self._db.close()

    @property
    def db(self) -> Database:
        """The open database."""
        if self._db is None:
            self._db = open_database(settings())
        return self._db
