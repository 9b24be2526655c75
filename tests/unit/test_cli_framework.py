"""The frame every command hangs in: lazy, and with one way to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import click
import pytest

from brain_dagster.errors import (
    BadUsage,
    DatabaseUnavailable,
    DatabaseUnsuitable,
    Defect,
    SourceUnavailable,
    UnknownSource,
)
from brain_dagster.surface import context
from brain_dagster.surface.cli import COMMANDS, brain, exit_code, main
from brain_dagster.surface.context import acting_user
from brain_dagster.surface.render import age, print_json, print_table, shown

HEAVY = {"dagster", "torch", "sentence_transformers", "great_expectations", "pandas", "openai", "polars"}


def run_main(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> object:
    """Make `brain status` raise whatever the test says."""

    def make(error: BaseException) -> None:
        @click.command()
        @click.option("--json", is_flag=True)
        def status(**_: object) -> None:
            raise error

        monkeypatch.setattr(
            type(brain), "get_command", lambda self, ctx, name: status if name == "status" else None
        )

    return make


def test_help_lists_every_command_and_imports_none(tmp_path: object) -> None:
    program = (
        "import sys\n"
        "from brain_dagster.surface.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as left: assert left.code == 0\n"
        "print(sorted(name for name in sys.modules if '.' not in name), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout
    loaded = set(eval(done.stderr))
    assert not loaded & (HEAVY | {"psycopg", "pydantic", "rich"})


@pytest.mark.parametrize("name", ["init", "source", "status", "doctor", "stop", "env", "collection"])
def test_command_that_needs_no_model_imports_none(name: str) -> None:
    module = COMMANDS[name][0].partition(":")[0]
    program = f"import sys, {module}; print(sorted(name for name in sys.modules if '.' not in name))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(eval(done.stdout)) & HEAVY


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadUsage("x"), 2),
        (UnknownSource(), 2),
        (DatabaseUnsuitable(), 2),
        (DatabaseUnavailable(), 3),
        (SourceUnavailable(), 3),
        (Defect(), 1),
    ],
)
def test_exit_code_says_what_to_do_next(error: BadUsage, code: int) -> None:
    assert exit_code(error) == code


def test_error_is_one_sentence_on_stderr_and_one_document_on_stdout_with_json(
    failing: object, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(SourceUnavailable("it is away", subject="wiki", retry_after_s=30))  # type: ignore[operator]
    assert run_main("status") == 3
    assert capsys.readouterr() == ("", "brain: wiki: it is away\n")
    assert run_main("status", "--json") == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {
        "error": {
            "code": "source_unavailable",
            "message": "it is away",
            "subject": "wiki",
            "retry_after_s": 30,
        }
    }
    assert captured.err == "brain: wiki: it is away\n"


@pytest.mark.parametrize("arguments", [("frobnicate",), ("source", "add"), ("status", "--nope")])
def test_wrong_usage_exits_2_and_names_the_help(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(*arguments) == 2
    assert "--help`)" in capsys.readouterr().err
    assert run_main(*arguments, "--json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "bad_usage"


def test_unexpected_exception_shows_its_place_only_when_asked(
    failing: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(ZeroDivisionError("division by zero"))  # type: ignore[operator]
    monkeypatch.delenv("BRAIN_DEBUG", raising=False)
    assert run_main("status") == 1
    quiet = capsys.readouterr().err
    assert "unexpected ZeroDivisionError: division by zero" in quiet
    assert "Traceback" not in quiet
    monkeypatch.setenv("BRAIN_DEBUG", "1")
    assert run_main("status") == 1
    assert "Traceback" in capsys.readouterr().err


def test_database_that_goes_away_under_a_command_is_a_system_that_is_unavailable(
    failing: object, capsys: pytest.CaptureFixture[str]
) -> None:
    import psycopg

    failing(psycopg.errors.AdminShutdown("terminating connection"))  # type: ignore[operator]
    assert run_main("status") == 3
    assert "the database went away" in capsys.readouterr().err


def test_interrupt_is_quiet(failing: object, capsys: pytest.CaptureFixture[str]) -> None:
    failing(KeyboardInterrupt())  # type: ignore[operator]
    assert run_main("status") == 130
    assert capsys.readouterr().err.strip() == ""


def test_reader_who_left_is_no_error() -> None:
    program = (
        "import click, brain_dagster.surface.cli as cli\n"
        "from brain_dagster.surface.render import print_table\n"
        "@click.command()\n"
        "def status():\n"
        "    print_table(('n',), [(n,) for n in range(200_000)])\n"
        "type(cli.brain).get_command = lambda self, ctx, name: status\n"
        "cli.main(['status'])\n"
    )
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -c "$PROGRAM" | head -1; exit ${{PIPESTATUS[0]}}'],
        env=os.environ | {"PROGRAM": program},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("n\n", "")


def test_acting_user_is_as_then_brain_user_then_login(monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_dagster.settings import Settings

    monkeypatch.setattr(context, "brain_settings", Settings)
    monkeypatch.setenv("BRAIN_USER", "bob")
    assert acting_user("ann") == "ann"
    assert acting_user(None) == "bob"
    monkeypatch.delenv("BRAIN_USER")
    monkeypatch.setenv("LOGNAME", "cat")
    assert acting_user(None) == "cat"
    with pytest.raises(BadUsage):
        acting_user("  ")


def test_setting_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from brain_dagster.settings import settings

    settings.cache_clear()
    monkeypatch.setenv("BRAIN_MAX_FILE_BYTES", "a lot")
    with pytest.raises(BadUsage, match=r"BRAIN_MAX_FILE_BYTES: .*integer"):
        context.brain_settings()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, "-"),
        (True, "yes"),
        (12345, "12,345"),
        (0.25, "0.250"),
        (("a", "b"), "a, b"),
        (timedelta(minutes=90), "1 h"),
        ("red\x1b[31m\u202egnp", "red\ufffd[31m\ufffdgnp"),
        ("a\tb\nc", "a\ufffdb\ufffdc"),
    ],
)
def test_cell_is_readable_and_moves_no_cursor(value: object, cell: str) -> None:
    assert shown(value) == cell


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59, "59 s"), (61, "1 min"), (200_000, "2 d")])
def test_age_is_in_its_largest_unit(seconds: int, words: str) -> None:
    assert age(timedelta(seconds=seconds)) == words


def test_table_into_a_pipe_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("key", "n"), [("a", 1), ("[red]b", None)])
    assert capsys.readouterr().out == "key\tn\na\t1\n[red]b\t-\n"


def test_json_knows_times_and_dataclasses(capsys: pytest.CaptureFixture[str]) -> None:
    moment = datetime(2024, 5, 1, 12, tzinfo=UTC)
    print_json({"at": moment, "took": timedelta(seconds=1.5), "error": Defect("x", subject="é").shape()})
    printed = capsys.readouterr().out
    assert "é" in printed
    assert json.loads(printed) == {
        "at": "2024-05-01T12:00:00+00:00",
        "took": 1.5,
        "error": {"code": "defect", "message": "x", "subject": "é", "retry_after_s": None},
    }
