"""`brain stop`: stop what this BRAIN_HOME runs."""

from __future__ import annotations

import click

from brain_dagster.store import embedded
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import brain_settings
from brain_dagster.surface.render import print_json, say
from brain_dagster.surface.services import stop_services


@click.command()
@json_option
def stop(as_json: bool) -> None:
    """Stop the webserver, the daemon and the embedded database of this BRAIN_HOME, whoever started them."""
    home = brain_settings().home_path
    stopped = [*stop_services(home)]
    if embedded.stop(home):
        stopped.append("database")
    if as_json:
        print_json({"stopped": stopped})
    say(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")
