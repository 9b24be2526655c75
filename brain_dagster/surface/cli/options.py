"""Options that mean the same in every command."""

from __future__ import annotations

from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Any)


def json_option(command: Command) -> Command:
    """Add `--json`, passed as `as_json`: the data as one JSON document on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def group_option(command: Command) -> Command:
    """Add `--group NAME`, passed as `groups`: groups the user is in; see `acting_principal`."""
    return click.option(
        "--group",
        "groups",
        multiple=True,
        metavar="NAME",
        help="A group the user is in; repeatable. Without --as and --group: those of BRAIN_GROUPS.",
    )(command)


def as_option(command: Command) -> Command:
    """Add `--as USER`, passed as `as_user`: on whose behalf; else BRAIN_USER, else the login name."""
    return click.option(
        "--as", "as_user", metavar="USER", help="On whose behalf; else BRAIN_USER, else your login name."
    )(command)
