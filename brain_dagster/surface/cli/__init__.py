"""The `brain` command: data on stdout, words on stderr, and an exit code that tells what to do next.

0  done
1  done with failures, which are listed; or a defect of Brain itself
2  wrong usage, or refused: the same request will never be accepted
3  a system is unavailable: the same request may work later
130  interrupted

With --json the data is one JSON document on stdout. An error is then a document too, on stdout like any
answer, `{"error": {"code", "message", "subject", "retry_after_s"}}`, and its sentence still goes to stderr.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import click

from brain_dagster.errors import BadUsage, BrainError, DatabaseUnavailable, Defect, Refused, Transient
from brain_dagster.surface.cli.lazy import LazyGroup

_HERE = "brain_dagster.surface.cli"
COMMANDS = {
    "init": (f"{_HERE}.init:init", "Create or migrate the database."),
    "source": (f"{_HERE}.source:source", "Add, list and remove sources."),
    "sync": (f"{_HERE}.sync:sync", "Bring sources up to date, through Dagster."),
    "search": (f"{_HERE}.search:search", "Ask a question; get the passages that answer it."),
    "why": (f"{_HERE}.why:why", "Where one passage stood in a search, and why it is not further up."),
    "manifest": (f"{_HERE}.manifest:manifest", "What you may search, and how much of it there is."),
    "map": (f"{_HERE}.map:map_command", "The code map of a source: manifests, entry points, routes."),
    "eval": (f"{_HERE}.eval:eval_command", "Measure retrieval on a goldset, and compare with the baseline."),
    "collection": (f"{_HERE}.collection:collection", "Access and subject lines, by the owner."),
    "status": (f"{_HERE}.status:status", "Sources, documents by state, runs, vectors, index health."),
    "doctor": (f"{_HERE}.doctor:doctor", "Check every invariant and every version."),
    "export": (f"{_HERE}.export:export", "Write evaluations or chunks to Parquet."),
    "ui": (f"{_HERE}.ui:ui", "Dagster's webserver and daemon on this instance."),
    "stop": (f"{_HERE}.stop:stop", "Stop what this BRAIN_HOME runs."),
    "env": (f"{_HERE}.env:env", "Print the environment that plain `dagster` commands need."),
    "demo": (f"{_HERE}.demo:demo", "The whole tour: register, sync, evaluate and search the examples."),
}


@click.command(cls=LazyGroup, commands_at=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def brain() -> None:
    """A company's knowledge base: sources go in, the right passage comes out.

    Data goes to stdout, words to stderr; commands that print data take --json.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; the console script `brain`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    try:
        answer = brain.main(arguments, prog_name="brain", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        return 130
    except BrokenPipeError:
        return _leave_broken_pipe()
    except Exception as error:  # noqa: BLE001 - the outermost edge: nothing may reach people as a traceback
        return _fail(_as_brain_error(error), arguments)
    return answer if isinstance(answer, int) else 0


def _as_brain_error(error: Exception) -> BrainError:
    if isinstance(error, BrainError):
        return error
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        hint = f" (see `{context.command_path} --help`)" if context is not None else ""
        return BadUsage(f"{error.format_message()}{hint}")
    return _translated(error)


def _translated(error: Exception) -> BrainError:
    """Return what reached this edge untranslated as one of ours: a lost database, or a defect."""
    driver = sys.modules.get("psycopg")
    if driver is not None and isinstance(error, driver.OperationalError):
        translated: BrainError = DatabaseUnavailable(f"the database went away: {str(error).strip()}")
    else:
        translated = Defect(f"unexpected {type(error).__name__}: {error}; BRAIN_DEBUG=1 shows where")
    translated.__cause__ = error
    return translated


def _fail(error: BrainError, arguments: list[str]) -> int:
    """Say what went wrong, once for people and once for programs; return the exit code."""
    if os.environ.get("BRAIN_DEBUG"):
        traceback.print_exception(error)
    click.echo(f"brain: {error}", err=True)
    if "--json" in arguments:
        from brain_dagster.surface.render import print_json

        print_json({"error": error.shape()})
    return exit_code(error)


def exit_code(error: BrainError) -> int:
    """Return the exit code that tells a caller what to do about this error."""
    if isinstance(error, Transient):
        return 3
    return 2 if isinstance(error, Refused) else 1


def _leave_broken_pipe() -> int:
    """Leave quietly when the reader of our output has gone (`brain source list | head -1`)."""
    # Python flushes stdout once more at exit and would complain there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
