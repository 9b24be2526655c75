"""Python: pyproject.toml (PEP 621, PEP 735, Poetry), setup.cfg and requirements files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, tidy, with_purpose
from brain_dagster.codemap.toml_lines import TomlLines

_TOML_ERROR_LINE = re.compile(r"at line (\d+)")
# Far above any manifest: the largest workspaces of public projects stay below 100 kB.
_MAX_TOML_CHARS = 500_000
_MAX_TOML_LINE = 20_000
_EGG = re.compile(r"[#&]egg=([\w.-]+)")
_HASH_OR_COMMENT = re.compile(r"(?:^|\s)(?:#.*|--hash=\S+)")


def load_toml(file: MappedFile) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Errors  NotParsable with the line, where the parser names one.
    """
    # Dotted keys cost tomllib the square of their parts (500,000 parts take minutes).
    long_line = next(
        (n for n, line in enumerate(file.text.split("\n"), 1) if len(line) > _MAX_TOML_LINE), None
    )
    if long_line or len(file.text) > _MAX_TOML_CHARS:
        raise NotParsable(long_line)
    try:
        return tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        line = _TOML_ERROR_LINE.search(str(error))
        raise NotParsable(int(line.group(1)) if line else None) from error


def table_at(tables: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the table at a path; empty where there is none or something else."""
    here: Any = tables
    for part in path:
        here = here.get(part) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else {}


def strings_in(value: object) -> list[str]:
    """Return the strings of a list; empty for anything else."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def read_pyproject(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pyproject.toml: what it describes, what it needs, what it installs."""
    tables = load_toml(file)
    lines = TomlLines(file)
    project, poetry = table_at(tables, "project"), table_at(tables, "tool", "poetry")
    owner = project or poetry
    yield MapEntry("manifest", file.name, described(owner.get("name"), owner.get("version")), 1)
    yield from _listed(lines, strings_in(table_at(tables, "build-system").get("requires")), "build",
                       ("build-system", "requires"))  # fmt: skip
    yield from _listed(lines, strings_in(project.get("dependencies")), "", ("project", "dependencies"))
    for extra, wanted in table_at(project, "optional-dependencies").items():
        path = ("project", "optional-dependencies", extra)
        yield from _listed(lines, strings_in(wanted), f"extra {extra}", path)
    for group, wanted in table_at(tables, "dependency-groups").items():
        yield from _listed(lines, strings_in(wanted), f"group {group}", ("dependency-groups", group))
    yield from _poetry_dependencies(poetry, lines)
    yield from _scripts(tables, lines)


def _listed(
    lines: TomlLines, requirements: list[str], purpose: str, path: tuple[str, ...]
) -> Iterator[MapEntry]:
    for text in requirements:
        entry = requirement_entry(text, purpose, lines.line_of_string(text, *path))
        if entry:
            yield entry


def requirement_entry(text: str, purpose: str, line: int) -> MapEntry | None:
    """Return the dependency that a requirement string names; None if it breaks the rules of PEP 508."""
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    spec = requirement.url or str(requirement.specifier)
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    marker = f"; {requirement.marker}" if requirement.marker else ""
    return MapEntry("dependency", requirement.name, with_purpose(f"{extras}{spec}{marker}", purpose), line)


def _poetry_dependencies(poetry: Mapping[str, Any], lines: TomlLines) -> Iterator[MapEntry]:
    tables: list[tuple[tuple[str, ...], str]] = [
        (("dependencies",), ""),
        (("dev-dependencies",), "group dev"),
    ]
    tables += [(("group", group, "dependencies"), f"group {group}") for group in table_at(poetry, "group")]
    for path, purpose in tables:
        for name, wanted in table_at(poetry, *path).items():
            spec = wanted.get("version") or wanted.get("git") or wanted.get("path") if isinstance(
                wanted, Mapping) else wanted  # fmt: skip
            line = lines.line("tool", "poetry", *path, name)
            yield MapEntry("dependency", name, with_purpose(spec, purpose), line)


def _scripts(tables: Mapping[str, Any], lines: TomlLines) -> Iterator[MapEntry]:
    kinds = {
        ("project", "scripts"): "console script",
        ("project", "gui-scripts"): "gui script",
        ("tool", "poetry", "scripts"): "console script",
    }
    for group in table_at(tables, "project", "entry-points"):
        kinds["project", "entry-points", group] = f"plugin of {group}"
    for path, kind in kinds.items():
        for name, target in table_at(tables, *path).items():
            if isinstance(target, str):
                yield MapEntry("entry_point", name, f"{kind}: {target}", lines.line(*path, name))


def read_setup_cfg(file: MappedFile) -> Iterator[MapEntry]:
    """Read a setup.cfg; one that only configures tools says nothing about the project."""
    config = ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(file.text)
    except ConfigError as error:
        raise NotParsable(getattr(error, "lineno", None)) from error
    if not (config.has_section("metadata") or config.has_section("options")):
        return
    of = dict(config["metadata"]) if config.has_section("metadata") else {}
    yield MapEntry("manifest", file.name, described(of.get("name"), of.get("version")), 1)
    lists = [("options", "install_requires", ""), ("options", "setup_requires", "build")]
    if config.has_section("options.extras_require"):
        lists += [("options.extras_require", key, f"extra {key}") for key in config["options.extras_require"]]
    for section, key, purpose in lists:
        for line, text in _cfg_values(file, config, section, key):
            entry = requirement_entry(text, purpose, line)
            if entry:
                yield entry
    for line, text in _cfg_values(file, config, "options.entry_points", "console_scripts"):
        name, _, target = (part.strip() for part in text.partition("="))
        if target:
            yield MapEntry("entry_point", name, f"console script: {target}", line)


def _cfg_values(file: MappedFile, config: ConfigParser, section: str, key: str) -> Iterator[tuple[int, str]]:
    """Yield the values of a list option, each with its line."""
    header = re.search(rf"^\[{re.escape(section)}\]", file.text, re.MULTILINE)
    option = re.compile(rf"^{re.escape(key)}\s*[=:]", re.MULTILINE | re.IGNORECASE)
    start = option.search(file.text, header.end() if header else 0)
    offset = start.end() if start else 0
    for text in config.get(section, key, fallback="").split("\n"):
        value = text.strip()
        found = file.text.find(value, offset)
        if value and found >= 0:
            offset = found + len(value)
            yield file.lines.line(found), value


def read_requirements(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pip requirements file; lines that name no package are counted in the manifest's detail."""
    found: list[MapEntry] = []
    unread = 0
    for line, text in _joined_lines(file):
        egg = _EGG.search(text)
        wanted = _HASH_OR_COMMENT.sub("", text).strip()
        if wanted.startswith(("-e ", "--editable ")):
            wanted = wanted.partition(" ")[2].strip()
        if not wanted or wanted.startswith("-"):
            continue
        entry = requirement_entry(wanted, "", line)
        if entry is None and egg:
            entry = MapEntry("dependency", egg.group(1), tidy(wanted.partition("#")[0]), line)
        if entry:
            found.append(entry)
        else:
            unread += 1
    problem = f"{unread} line{'s' if unread > 1 else ''} could not be parsed" if unread else ""
    yield MapEntry("manifest", file.name, problem, 1)
    yield from found


def _joined_lines(file: MappedFile) -> Iterator[tuple[int, str]]:
    """Yield logical lines: a backslash at the end continues a line."""
    start, pending = 1, ""
    for number, line in file.numbered_lines():
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1] + " "
            continue
        yield start, pending + line
        pending = ""
    if pending:
        yield start, pending
