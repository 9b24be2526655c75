"""Options that mean the same in every command."""

from __future__ import annotations

from typing import Any, TypeVar

import click

from brain_dagster.model import Mode

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


def question_options(command: Command) -> Command:
    """Add what a question is put with: `--collection`, `--place`, `--mode`, and `-k`, passed as `limit`."""
    # Applied from the last to the first, so that help shows them in this order.
    for option in reversed(
        (
            click.option(
                "--collection", "collections", multiple=True, metavar="NAME", help="Only these; repeatable."
            ),
            click.option(
                "--place", metavar="PLACE", help="Where the answer will be spoken; else to you alone."
            ),
            click.option(
                "--mode",
                type=click.Choice([mode.value for mode in Mode]),
                default=Mode.AUTO.value,
                show_default=True,
                help="Which half looks; auto takes what the evaluation chose.",
            ),
            click.option("-k", "limit", type=int, default=10, show_default=True, help="How many excerpts."),
        )
    ):
        command = option(command)
    return command
