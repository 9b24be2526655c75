"""The documentation is under test: what it names exists, and what it tells people to type is understood."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement

from brain_dagster.settings import REPOSITORY_ROOT, Settings
from brain_dagster.surface.cli import COMMANDS, brain

README = REPOSITORY_ROOT / "README.md"
PAGES = [README, REPOSITORY_ROOT / "AGENTS.md", *sorted((REPOSITORY_ROOT / "docs").rglob("*.md"))]
FAULT = re.compile(r"\b[A-I]\d{1,2}\b")
# `(A4, A6)`, `(fault E5)`, `(faults E4, E7, E8)`: how code and tests quote the faults they deal with.
QUOTED = re.compile(r"\((?:faults? )?([A-I]\d{1,2}(?:(?:, | and )[A-I]\d{1,2})*)\)")


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def section(page: Path, heading: str) -> str:
    """Return what stands below a heading of the second level."""
    parts = re.split(r"^## (.+)$", text_of(page), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return found[heading]


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY_ROOT))


def test_every_runtime_dependency_has_its_line_in_the_readme() -> None:
    project = tomllib.loads((REPOSITORY_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = re.findall(r"^- `([^`]+)`: \S", section(README, "Dependencies"), flags=re.MULTILINE)
    assert sorted(lines) == sorted(project["dependencies"])


def test_constraints_hold_versions_of_every_dependency_and_no_address() -> None:
    project = tomllib.loads((REPOSITORY_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (REPOSITORY_ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+]*", line)] == []
    pinned = {normal(line.partition("==")[0]) for line in lines}
    assert len(pinned) == len(lines), "a package is pinned twice"
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert [one for one in asked if normal(Requirement(one).name) not in pinned] == []


def normal(name: str) -> str:
    """The form in which an index knows a package: `PyStemmer` and `pystemmer` are one."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_environment_variables_of_the_readme_are_those_of_the_settings() -> None:
    rows = re.findall(r"^\| `(BRAIN_\w+)` \| (.+?) \| \S", section(README, "Environment variables"), re.M)
    fields = Settings.model_fields
    assert [name for name, _ in rows] == [f"BRAIN_{field.upper()}" for field in fields]
    for (name, shown), field in zip(rows, fields.values(), strict=True):
        if field.default_factory is not None:
            assert shown == "login name", name
        else:
            assert shown == ("absent" if field.default is None else f"`{field.default}`"), name


def test_other_variables_that_the_code_reads_are_in_the_readme() -> None:
    sources = [
        *(REPOSITORY_ROOT / "brain_dagster").rglob("*.py"),
        *(REPOSITORY_ROOT / "assets").rglob("*.py"),
    ]
    read = {
        name
        for source in sources
        for name in re.findall(r"environ(?:\.get\(|\[)\"(BRAIN_\w+)\"", text_of(source))
        if not name.startswith("BRAIN_FAULT_")  # test hooks: the readme names the first and where they are
    }
    assert "BRAIN_DEBUG" in read, "the search for variables finds none where there is one"
    assert {name for name in read if f"`{name}" not in text_of(README)} == set()


def test_every_command_has_its_row_in_the_readme() -> None:
    rows = re.findall(r"^\| `brain (\w+)` \| \S", section(README, "Commands"), flags=re.MULTILINE)
    assert rows == list(COMMANDS)


def test_every_subcommand_is_named_in_its_row() -> None:
    context = click.Context(brain)
    for row in re.findall(r"^\| `brain \w+` \|.*$", section(README, "Commands"), flags=re.MULTILINE):
        name = re.findall(r"`brain (\w+)`", row)[0]
        command = brain.get_command(context, name)
        if isinstance(command, click.Group):
            assert [sub for sub in command.list_commands(context) if f"`{sub}`" not in row] == [], name


def shell_lines(text: str) -> Iterator[str]:
    """Yield the commands of the bash blocks, continued lines joined, here-documents left out."""
    for block in re.findall(r"^```bash\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        end = None
        for line in block.replace("\\\n", " ").splitlines():
            if end is not None:
                end = None if line == end else end
                continue
            marker = re.search(r"<<'?(\w+)'?", line)
            end = marker[1] if marker else None
            yield line


def brain_lines() -> list[tuple[str, str]]:
    return [
        (name_of(page), line)
        for page in PAGES
        for line in shell_lines(text_of(page))
        if line.startswith("brain ")
    ]


def leaf(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that a command line ends in, and what is left for it."""
    command: click.Command = brain
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"there is no command {words[0]}"
        command, words = found, words[1:]
    return command, words


@pytest.mark.parametrize(("page", "line"), brain_lines(), ids=lambda value: value[:60])
def test_what_people_are_told_to_type_is_understood(page: str, line: str) -> None:
    """Command, options and arguments exist; nothing is executed."""
    command, arguments = leaf(shlex.split(line)[1:])
    if "--help" in arguments:
        return
    assert not isinstance(command, click.Group), f"{page}: {line} names no subcommand"
    command.make_context("brain", arguments)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_that_are_mentioned_exist(page: Path) -> None:
    mentioned = re.findall(r"`brain ([a-z]+)(?: ([a-z]+))?[^`]*`", text_of(page))
    for name, sub in mentioned:
        command = brain.get_command(click.Context(brain), name)
        assert command is not None, f"brain {name}"
        if isinstance(command, click.Group) and sub:
            assert sub in command.list_commands(click.Context(command)), f"brain {name} {sub}"


def test_the_documentation_tells_people_to_type_every_command() -> None:
    """All but those that `make run` types, or that only an own server needs, are in the walk itself."""
    typed = {shlex.split(line)[1] for page, line in brain_lines() if page == "README.md"}
    assert set(COMMANDS) - typed == {"init", "env", "demo"}


def test_command_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(AssertionError, match="no command fly"):
        leaf(["fly", "--high"])
    command, arguments = leaf(["source", "add", "key", "--colour", "red"])
    with pytest.raises(click.UsageError):
        command.make_context("brain", arguments)


@pytest.mark.parametrize("page", [*PAGES, REPOSITORY_ROOT / "goldsets" / "README.md"], ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text_of(page))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_are_named_exist(page: Path) -> None:
    """A path in backticks that begins at the root of the checkout is a file or a folder there."""
    roots = "assets|bench|brain_dagster|docs|examples|goldsets|resources|sql|tests"
    named = re.findall(rf"`((?:{roots})/[\w./-]*)`", text_of(page))
    assert [path for path in named if not (REPOSITORY_ROOT / path).exists()] == []


@pytest.mark.parametrize("target", re.findall(r"`make ([\w-]+)`", README.read_text(encoding="utf-8")))
def test_make_targets_of_the_readme_exist(target: str) -> None:
    makefile = (REPOSITORY_ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def fault_rows() -> dict[str, str]:
    page = text_of(REPOSITORY_ROOT / "docs" / "faults.md")
    return dict(re.findall(r"^\| ([A-I]\d{1,2}) \| (.+)$", page, flags=re.MULTILINE))


def test_every_fault_that_code_and_tests_quote_is_described() -> None:
    folders = ("brain_dagster", "assets", "resources", "sql", "tests")
    files = [
        text_of(path)
        for folder in folders
        for path in (REPOSITORY_ROOT / folder).rglob("*")
        if path.suffix in (".py", ".sql")
    ]
    in_brackets = {
        fault for text in files for group in QUOTED.findall(text) for fault in FAULT.findall(group)
    }
    in_names = {
        fault.upper()
        for text in files
        for name in re.findall(r"def test_((?:[a-i]\d{1,2}_)+)", text)
        for fault in name.strip("_").split("_")
    }
    assert {"A7", "C4", "G6"} <= in_brackets, "the search for identifiers finds none where they are"
    assert {"B3", "B4"} <= in_names
    assert (in_brackets | in_names) - set(fault_rows()) == set()


@pytest.mark.parametrize("fault", sorted(fault_rows()))
def test_every_fault_names_tests_that_exist(fault: str) -> None:
    tests = "\n".join(text_of(path) for path in (REPOSITORY_ROOT / "tests").rglob("test_*.py"))
    names = re.findall(r"`(test_\w+)`", fault_rows()[fault])
    assert names, f"{fault} has no test"
    assert [name for name in names if f"def {name}(" not in tests] == []
