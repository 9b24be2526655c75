"""TOML: values from the standard parser, and from a syntax tree the lines it does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile, NotParsable
from brain_dagster.codemap.syntax import SyntaxTree

_TOML_ERROR_LINE = re.compile(r"at line (\d+)")
# Far above any manifest: the largest workspaces of public projects stay below 100 kB.
_MAX_TOML_CHARS = 500_000
_MAX_TOML_LINE = 20_000
# No manifest nests its tables deeper; of deeper keys the line of the table around them is told.
_MAX_PATH = 12

Path = tuple[str | int, ...]


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
    except RecursionError as error:
        raise NotParsable from error


def table_at(tables: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the table at a path; empty where there is none or something else."""
    here: Any = tables
    for part in path:
        here = here.get(part) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else {}


def tables_at(tables: Mapping[str, Any], *path: str) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the tables of an array of tables (`[[bin]]`) with their positions."""
    here = table_at(tables, *path[:-1]).get(path[-1])
    listed = here if isinstance(here, list) else []
    return [(position, item) for position, item in enumerate(listed) if isinstance(item, Mapping)]


def strings_in(value: object) -> list[tuple[int, str]]:
    """Return the strings of a list with their positions; empty for anything else."""
    listed = value if isinstance(value, list) else []
    return [(position, item) for position, item in enumerate(listed) if isinstance(item, str)]


class TomlLines:
    """Lines of tables, keys and the items of arrays: `("project", "dependencies", 2)`.

    The tables of an array of tables are told apart by their position: `("bin", 0, "name")`.
    """

    def __init__(self, file: MappedFile) -> None:
        self._lines: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}
        self._tree = SyntaxTree("toml", file)
        waiting: list[tuple[Node, Path]] = [(child, ()) for child in reversed(self._tree.root.named_children)]
        while waiting:
            file.deadline.check()
            node, path = waiting.pop()
            if len(path) <= _MAX_PATH:
                waiting.extend(reversed(list(self._inside(node, path))))

    def line(self, *path: str | int) -> int:
        """Return the line of a table, key or item; of the nearest one around it if it has none of its own."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1

    def _inside(self, node: Node, path: Path) -> Iterator[tuple[Node, Path]]:
        """Note where a node stands, and yield what is inside with the path that holds there."""
        if node.type in ("table", "table_array_element", "pair"):
            key = node.named_children[0] if node.named_children else None
            *around, name = self._parts(key) or [""]
            if node.type == "pair":
                self._note_around(path, around, node)
            path = (*self._resolved(path, around), name)
            if node.type == "table_array_element":
                position = self._counts.get(path, 0)
                self._counts[path] = position + 1
                path = (*path, position)
            self._note(path, node)
            yield from ((child, path) for child in node.named_children[1:])
        elif node.type == "array":
            items = [child for child in node.named_children if child.type != "comment"]
            for position, item in enumerate(items):
                self._note((*path, position), item)
                yield item, (*path, position)
        elif node.type == "inline_table":
            yield from ((child, path) for child in node.named_children)

    def _note_around(self, path: Path, parts: list[str], node: Node) -> None:
        """Note the tables that a dotted key makes as it goes: `serde.workspace = true` declares `serde`."""
        for length in range(1, min(len(parts), _MAX_PATH) + 1):
            self._note(self._resolved(path, parts[:length]), node)

    def _note(self, path: Path, node: Node) -> None:
        self._lines.setdefault(path, self._tree.line(node))

    def _resolved(self, path: Path, parts: list[str]) -> Path:
        """Follow a key: behind the name of an array of tables it goes on in the last of them."""
        for part in parts[:_MAX_PATH]:
            path = (*path, part)
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path if len(parts) <= _MAX_PATH else (*path, "")

    def _parts(self, key: Node | None) -> list[str]:
        parts: list[str] = []
        while key is not None and key.type == "dotted_key" and len(parts) <= _MAX_PATH:
            parts.append(self._name(key.named_children[-1]))
            key = key.named_children[0]
        if key is not None:
            parts.append(self._name(key))
        return list(reversed(parts))

    def _name(self, key: Node) -> str:
        return self._tree.text(key).strip("\"'")
