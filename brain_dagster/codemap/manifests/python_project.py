"""Python: pyproject.toml (PEP 621, PEP 735, Poetry, uv, PDM, Hatch, Rye, Flit), Pipfile, requirements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from brain_dagster.codemap.base import MapEntry, MappedFile, described, tidy, with_purpose
from brain_dagster.codemap.manifests.toml_tree import TomlLines, load_toml, strings_in, table_at

Purposes = list[tuple[tuple[str, ...], str]]


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


def read_pyproject(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pyproject.toml: what it describes, what it needs, what belongs to it, what it installs."""
    tables = load_toml(file)
    lines = TomlLines(file)
    poetry = table_at(tables, "tool", "poetry")
    owner = table_at(tables, "project") or poetry or table_at(tables, "tool", "flit", "metadata")
    name = owner.get("name") or owner.get("module")
    yield MapEntry("manifest", file.name, described(name, owner.get("version")), 1)
    for path, purpose in _requirement_lists(tables):
        yield from _listed(tables, path, purpose, lines)
    yield from _poetry_dependencies(poetry, lines)
    yield from _workspaces(tables, lines)
    yield from _scripts(tables, lines)


def _requirement_lists(tables: Mapping[str, Any]) -> Purposes:
    """Return where lists of PEP 508 strings stand, and what they are for."""
    tool = table_at(tables, "tool")
    lists: Purposes = [
        (("build-system", "requires"), "build"),
        (("project", "dependencies"), ""),
        (("tool", "uv", "dev-dependencies"), "group dev"),
        (("tool", "rye", "dev-dependencies"), "group dev"),
        (("tool", "flit", "metadata", "requires"), ""),
    ]
    for table, words in (
        (("project", "optional-dependencies"), "extra"),
        (("dependency-groups",), "group"),
        (("tool", "pdm", "dev-dependencies"), "group"),
        (("tool", "flit", "metadata", "requires-extra"), "extra"),
    ):
        lists += [((*table, name), f"{words} {name}") for name in table_at(tables, *table)]
    for name in table_at(tool, "hatch", "envs"):
        for key in ("dependencies", "extra-dependencies"):
            lists.append((("tool", "hatch", "envs", name, key), f"environment {name}"))
    return lists


def _listed(
    tables: Mapping[str, Any], path: tuple[str, ...], purpose: str, lines: TomlLines
) -> Iterator[MapEntry]:
    for position, text in strings_in(table_at(tables, *path[:-1]).get(path[-1])):
        entry = requirement_entry(text, purpose, lines.line(*path, position))
        if entry:
            yield entry


def _poetry_dependencies(poetry: Mapping[str, Any], lines: TomlLines) -> Iterator[MapEntry]:
    tables: Purposes = [(("dependencies",), ""), (("dev-dependencies",), "group dev")]
    tables += [(("group", group, "dependencies"), f"group {group}") for group in table_at(poetry, "group")]
    for path, purpose in tables:
        for name, wanted in table_at(poetry, *path).items():
            line = lines.line("tool", "poetry", *path, name)
            yield MapEntry("dependency", name, with_purpose(_toml_spec(wanted), purpose), line)


def _toml_spec(wanted: object) -> object:
    """Return what stands for the version: of a table its version or place, of many tables all of theirs."""
    if isinstance(wanted, Mapping):
        return next((wanted[key] for key in ("version", "git", "path", "url", "file") if key in wanted), "")
    if isinstance(wanted, list):
        return ", ".join(tidy(_toml_spec(one)) for one in wanted if isinstance(one, (str, Mapping)))
    return wanted


def _workspaces(tables: Mapping[str, Any], lines: TomlLines) -> Iterator[MapEntry]:
    places: Purposes = [
        (("tool", "uv", "workspace", "members"), "uv workspace"),
        (("tool", "uv", "workspace", "exclude"), "uv workspace (excluded)"),
        (("tool", "rye", "workspace", "members"), "rye workspace"),
    ]
    for environment in table_at(tables, "tool", "hatch", "envs"):
        table = ("tool", "hatch", "envs", environment, "workspace")
        places += [
            ((*table, "members"), "hatch workspace"),
            ((*table, "exclude"), "hatch workspace (excluded)"),
        ]
    for path, words in places:
        members = table_at(tables, *path[:-1]).get(path[-1])
        for position, member in enumerate(members if isinstance(members, list) else ()):
            name: object = member.get("path") if isinstance(member, Mapping) else member
            if isinstance(name, str):
                yield MapEntry("workspace", name, words, lines.line(*path, position))


def _scripts(tables: Mapping[str, Any], lines: TomlLines) -> Iterator[MapEntry]:
    kinds = {
        ("project", "scripts"): "console script",
        ("project", "gui-scripts"): "gui script",
        ("tool", "poetry", "scripts"): "console script",
        ("tool", "flit", "scripts"): "console script",
    }
    for table in (("project", "entry-points"), ("tool", "poetry", "plugins")):
        kinds |= {(*table, group): _plugin_words(group) for group in table_at(tables, *table)}
    for path, kind in kinds.items():
        for name, wanted in table_at(tables, *path).items():
            of = wanted if isinstance(wanted, Mapping) else {}
            target = of.get("reference") or of.get("callable") if of else wanted
            if isinstance(target, str):
                yield MapEntry("entry_point", name, f"{kind}: {target}", lines.line(*path, name))


def _plugin_words(group: str) -> str:
    """Name a group of entry points as setuptools does; two of them are commands."""
    commands = {"console_scripts": "console script", "gui_scripts": "gui script"}
    return commands.get(group, f"plugin of {group}")


def read_pipfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read a Pipfile: its packages by category."""
    tables = load_toml(file)
    lines = TomlLines(file)
    yield MapEntry("manifest", file.name, "", 1)
    others = {"source", "requires", "scripts", "pipenv", "pipfile"}
    for category, packages in tables.items():
        if category in others or not isinstance(packages, Mapping):
            continue
        purpose = {"packages": "", "dev-packages": "dev"}.get(category, category)
        for name, wanted in packages.items():
            line = lines.line(category, name)
            yield MapEntry("dependency", name, with_purpose(_toml_spec(wanted), purpose), line)


def read_requirements(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pip requirements file; lines that name no package are counted in the manifest's detail."""
    found: list[MapEntry] = []
    unread = 0
    for line, text in _joined_lines(file):
        wanted = _without_options(text)
        # `.` is the project itself.
        if not wanted or wanted.startswith("-") or wanted.partition("[")[0] == ".":
            continue
        entry = requirement_entry(wanted, "", line) or _egg(wanted, line) or _place(wanted, line)
        if entry:
            found.append(entry)
        else:
            unread += 1
    problem = f"{unread} line{'s' if unread > 1 else ''} could not be parsed" if unread else ""
    yield MapEntry("manifest", file.name, problem, 1)
    yield from found


def _without_options(text: str) -> str:
    """Return a line of a requirements file without its comment, pip's options, and `-e` before a place."""
    words: list[str] = []
    for word in text.split():
        if word.startswith("#") or (word.startswith("--") and words and words[0] != "--editable"):
            break
        words.append(word)
    if len(words) > 1 and words[0] in ("-e", "--editable"):
        words = words[1:]
    return " ".join(words)


def _egg(wanted: str, line: int) -> MapEntry | None:
    """Read the name that a place is given by the fragment `#egg=name`."""
    place, _, fragment = wanted.partition("#")
    named = [part.partition("=")[2] for part in fragment.split("&") if part.startswith("egg=")]
    return MapEntry("dependency", named[0].partition("[")[0], tidy(place), line) if named else None


def _place(wanted: str, line: int) -> MapEntry | None:
    """Read a dependency that is named by nothing but its place."""
    if "://" in wanted:
        return MapEntry("dependency", wanted, "(url)", line)
    is_path = wanted.startswith(("./", "../", "/")) or wanted.endswith((".whl", ".tar.gz", ".zip"))
    return MapEntry("dependency", wanted, "(path)", line) if is_path else None


def _joined_lines(file: MappedFile) -> Iterator[tuple[int, str]]:
    """Yield logical lines: a backslash at the end continues a line, unless the line is a comment."""
    start, pending = 1, ""
    for number, line in file.numbered_lines():
        start = start if pending else number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending += line[:-1] + " "
            continue
        yield start, pending + line
        pending = ""
    if pending:
        yield start, pending
