"""`brain init`: create or migrate the database."""

from __future__ import annotations

import click

from brain_dagster.store.migrate import migrate, schema_version
from brain_dagster.store.server import database_url, server_name
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import brain_settings
from brain_dagster.surface.render import print_json, say


@click.command()
@json_option
def init(as_json: bool) -> None:
    """Create or migrate the database; says what it did, and does nothing twice.

    Without BRAIN_DATABASE_URL that is an embedded PostgreSQL under BRAIN_HOME, started if it is not running.
    """
    settings = brain_settings()
    url = database_url(settings)
    applied = migrate(url)
    if as_json:
        print_json({"database": server_name(url), "applied": applied, "version": schema_version(url)})
    say(f"applied {', '.join(applied)}" if applied else "the database is up to date")
