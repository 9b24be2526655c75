"""JavaScript's package.json and PHP's composer.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.syntax import SyntaxTree

_DEPTH = 3


class JsonLines:
    """Lines of the keys of a JSON file, down to the third level; of a repeated key the last counts."""

    def __init__(self, file: MappedFile) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        tree = SyntaxTree("json", file)
        waiting: list[tuple[Node, tuple[str, ...]]] = [(tree.root, ())]
        while waiting:
            file.deadline.check()
            node, path = waiting.pop()
            if node.type == "pair":
                path = (*path, tree.literal(node.child_by_field_name("key")) or "")
                self._lines[path] = tree.line(node)
            if len(path) < _DEPTH and node.type in ("document", "object", "pair"):
                waiting.extend((child, path) for child in reversed(node.named_children))

    def line(self, *path: str) -> int:
        """Return the line of the key at `path`; 1 if it cannot be told."""
        return self._lines.get(path, 1)


def load_json(file: MappedFile) -> dict[str, Any]:
    """Return the object a JSON file holds.

    Errors  NotParsable when it is not JSON or not an object.
    """
    try:
        value = json.loads(file.text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise NotParsable(file.lines.line(error.pos)) from error
    except RecursionError as error:
        raise NotParsable from error
    if not isinstance(value, dict):
        raise NotParsable(1)
    return value


def read_package_json(file: MappedFile) -> Iterator[MapEntry]:
    """Read a package.json: its packages, commands, main module and start script."""
    package = load_json(file)
    lines = JsonLines(file)
    yield MapEntry("manifest", file.name, described(package.get("name"), package.get("version")), 1)
    purposes = {
        "dependencies": "",
        "devDependencies": "dev",
        "peerDependencies": "peer",
        "optionalDependencies": "optional",
    }
    yield from _dependencies(package, purposes, lines)
    yield from _commands(package, lines)
    if isinstance(package.get("main"), str):
        yield MapEntry("entry_point", package["main"], "package main", lines.line("main"))
    scripts = package.get("scripts")
    if isinstance(scripts, dict) and isinstance(scripts.get("start"), str):
        yield MapEntry("entry_point", "npm start", scripts["start"], lines.line("scripts", "start"))


def _commands(package: Mapping[str, Any], lines: JsonLines) -> Iterator[MapEntry]:
    commands = package.get("bin")
    if isinstance(commands, str):
        name = str(package.get("name") or commands).rpartition("/")[2]
        yield MapEntry("entry_point", name, f"bin: {commands}", lines.line("bin"))
    elif isinstance(commands, dict):
        for name, target in commands.items():
            if isinstance(target, str):
                yield MapEntry("entry_point", name, f"bin: {target}", lines.line("bin", name))


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
    for target in [commands] if isinstance(commands, str) else commands or ():
        if isinstance(target, str):
            yield MapEntry("entry_point", target.rpartition("/")[2], f"bin: {target}", lines.line("bin"))
