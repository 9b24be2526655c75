"""Options that mean the same in every command."""

from __future__ import annotations

from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Any)


def json_option(command: Command) -> Command:
    """Add `--json`, passed as `as_json`: the data as one JSON document on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def as_option(command: Command) -> Command:
    """Add `--as USER`, passed as `as_user`: on whose behalf; else BRAIN_USER, else the login name."""
    return click.option(
        "--as", "as_user", metavar="USER", help="On whose behalf; else BRAIN_USER, else your login name."
    )(command)
