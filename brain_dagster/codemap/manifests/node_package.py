"""JavaScript's package.json and pnpm-workspace.yaml, and PHP's composer.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brain_dagster.codemap.base import MapEntry, MappedFile, described, with_purpose
from brain_dagster.codemap.manifests.json_tree import JsonLines, load_json
from brain_dagster.codemap.manifests.yaml_tree import YamlNode, load_yaml

_PURPOSES = {
    "dependencies": "",
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}
# Node's conditions nest once or twice; what they lead to is searched no deeper.
_MAX_CONDITIONS = 5


def read_package_json(file: MappedFile) -> Iterator[MapEntry]:
    """Read a package.json: packages, members of its workspace, commands, modules and start script."""
    package = load_json(file)
    lines = JsonLines(file)
    yield MapEntry("manifest", file.name, described(package.get("name"), package.get("version")), 1)
    yield from _dependencies(package, _PURPOSES, lines)
    yield from _workspaces(package, lines)
    yield from _commands(package, lines)
    if isinstance(package.get("main"), str):
        yield MapEntry("entry_point", package["main"], "package main", lines.line("main"))
    yield from _exports(package.get("exports"), lines)
    scripts = package.get("scripts")
    if isinstance(scripts, dict) and isinstance(scripts.get("start"), str):
        yield MapEntry("entry_point", "npm start", scripts["start"], lines.line("scripts", "start"))


def _workspaces(package: Mapping[str, Any], lines: JsonLines) -> Iterator[MapEntry]:
    declared: object = package.get("workspaces")
    path: tuple[str, ...] = ("workspaces",)
    if isinstance(declared, dict):
        declared, path = declared.get("packages"), ("workspaces", "packages")
    for position, member in enumerate(declared if isinstance(declared, list) else ()):
        if isinstance(member, str):
            yield MapEntry("workspace", member, "npm workspace", lines.line(*path, position))


def _commands(package: Mapping[str, Any], lines: JsonLines) -> Iterator[MapEntry]:
    commands = package.get("bin")
    if isinstance(commands, str):
        name = str(package.get("name") or commands).rpartition("/")[2]
        yield MapEntry("entry_point", name, f"bin: {commands}", lines.line("bin"))
    elif isinstance(commands, dict):
        for name, target in commands.items():
            if isinstance(target, str):
                yield MapEntry("entry_point", name, f"bin: {target}", lines.line("bin", name))


def _exports(exports: object, lines: JsonLines) -> Iterator[MapEntry]:
    """Yield the paths a package lets others import; a table without paths is the conditions of `.`."""
    if not isinstance(exports, dict) or not any(key.startswith(".") for key in exports):
        target = _export_target(exports)
        if target:
            yield MapEntry("entry_point", ".", f"package export: {target}", lines.line("exports"))
        return
    for path, wanted in exports.items():
        target = _export_target(wanted)
        if target:
            yield MapEntry("entry_point", path, f"package export: {target}", lines.line("exports", path))


def _export_target(wanted: object) -> str:
    """Return the first module that conditions lead to, declarations of types left aside; empty for null."""
    waiting = [(wanted, 0)]
    while waiting:
        here, depth = waiting.pop()
        if isinstance(here, str):
            return here
        if depth >= _MAX_CONDITIONS:
            continue
        inside = here if isinstance(here, list) else []
        if isinstance(here, dict):
            inside = [value for key, value in here.items() if not key.startswith("types")]
        waiting.extend((value, depth + 1) for value in reversed(inside))
    return ""


def _dependencies(
    manifest: Mapping[str, Any], purposes: Mapping[str, str], lines: JsonLines
) -> Iterator[MapEntry]:
    for table, purpose in purposes.items():
        wanted = manifest.get(table)
        for name, version in wanted.items() if isinstance(wanted, dict) else ():
            yield MapEntry("dependency", name, with_purpose(version, purpose), lines.line(table, name))


def read_composer_json(file: MappedFile) -> Iterator[MapEntry]:
    """Read a composer.json: its packages (the PHP version and extensions among them) and commands."""
    manifest = load_json(file)
    lines = JsonLines(file)
    yield MapEntry("manifest", file.name, described(manifest.get("name"), manifest.get("version")), 1)
    yield from _dependencies(manifest, {"require": "", "require-dev": "dev"}, lines)
    commands = manifest.get("bin")
    if isinstance(commands, str):
        yield MapEntry("entry_point", commands.rpartition("/")[2], f"bin: {commands}", lines.line("bin"))
    for position, target in enumerate(commands if isinstance(commands, list) else ()):
        if isinstance(target, str):
            name = target.rpartition("/")[2]
            yield MapEntry("entry_point", name, f"bin: {target}", lines.line("bin", position))
    places = manifest.get("repositories")
    for position, place in enumerate(places if isinstance(places, list) else ()):
        if isinstance(place, dict) and place.get("type") == "path" and isinstance(place.get("url"), str):
            line = lines.line("repositories", position)
            yield MapEntry("workspace", place["url"], "composer path repository", line)


def read_pnpm_workspace(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pnpm-workspace.yaml: its members, and the versions that its catalogs fix."""
    root = load_yaml(file)
    yield MapEntry("manifest", file.name, "pnpm workspace", 1)
    for member, line in (root.at("packages") or YamlNode(1)).strings():
        is_out = member.startswith("!")
        words = "pnpm workspace (excluded)" if is_out else "pnpm workspace"
        yield MapEntry("workspace", member.removeprefix("!"), words, line)
    catalogs = [("catalog", root.at("catalog"))]
    named = root.at("catalogs") or YamlNode(1)
    catalogs += [(f"catalog {name}", table) for name, _, table in named.entries()]
    for purpose, table in catalogs:
        for name, line, version in table.entries() if table is not None else ():
            yield MapEntry("dependency", name, with_purpose(version.text, purpose), line)
