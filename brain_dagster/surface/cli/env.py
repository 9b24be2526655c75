"""`brain env`: what plain `dagster` commands need."""

from __future__ import annotations

import shlex

import click

from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import brain_settings, opened_database
from brain_dagster.surface.dagster_home import WORKSPACE_FILE, dagster_environment
from brain_dagster.surface.render import print_json, say


@click.command()
@json_option
def env(as_json: bool) -> None:
    """Print the environment for plain `dagster` commands: eval "$(brain env)".

    The embedded database is started if need be. The storage URL may hold the password of
    BRAIN_DATABASE_URL: do not log it.
    """
    with opened_database():
        environment = dagster_environment(brain_settings())
    if as_json:
        print_json(dict(environment))
        return
    for name, value in environment.items():
        click.echo(f"export {name}={shlex.quote(value)}")
    say(f'use it as eval "$(brain env)", then for example: dagster dev -w {WORKSPACE_FILE}')
