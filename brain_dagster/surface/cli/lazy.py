"""A group whose commands are imported when they run, so that `brain --help` stays instant."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from brain_dagster.errors import Defect


class LazyGroup(click.Group):
    """Knows its commands by name, place (`module:attribute`) and summary.

    A command that imports a model costs its user ten seconds, and must not cost the others any.
    """

    def __init__(
        self, *args: Any, commands_at: Mapping[str, tuple[str, str]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_at = dict(commands_at or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of registration, which is the order of use."""
        return list(self.commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in self.commands_at:
            return None
        module, _, attribute = self.commands_at[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise Defect(f"{module}:{attribute} is not a command", subject=cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.commands_at.items()])
