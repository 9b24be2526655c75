"""JSON: values from the standard parser, and from a syntax tree the lines of its keys."""

from __future__ import annotations

import json
from typing import Any

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile, NotParsable
from brain_dagster.codemap.syntax import SyntaxTree

_DEPTH = 3


class JsonLines:
    """Lines of keys and of the items of lists, down to the third level; of a repeated key the last counts."""

    def __init__(self, file: MappedFile) -> None:
        self._lines: dict[tuple[str | int, ...], int] = {}
        tree = SyntaxTree("json", file)
        waiting: list[tuple[Node, tuple[str | int, ...]]] = [(tree.root, ())]
        while waiting:
            file.deadline.check()
            node, path = waiting.pop()
            if node.type == "pair":
                path = (*path, _key(tree, node))
                self._lines[path] = tree.line(node)
            if len(path) >= _DEPTH:
                continue
            if node.type == "array":
                for position, item in enumerate(c for c in node.named_children if c.type != "comment"):
                    self._lines[*path, position] = tree.line(item)
                    waiting.append((item, (*path, position)))
            elif node.type in ("document", "object", "pair"):
                waiting.extend((child, path) for child in reversed(node.named_children))

    def line(self, *path: str | int) -> int:
        """Return the line of the key at `path`; 1 if it cannot be told."""
        return self._lines.get(path, 1)


def _key(tree: SyntaxTree, pair: Node) -> str:
    written = tree.field_text(pair, "key")
    try:
        return str(json.loads(written))
    except ValueError:
        return written.strip('"')


def load_json(file: MappedFile) -> dict[str, Any]:
    """Return the object a JSON file holds.

    Errors  NotParsable when it is not JSON or not an object.
    """
    try:
        value = json.loads(file.text)
    except json.JSONDecodeError as error:
        raise NotParsable(file.lines.line(error.pos)) from error
    except (RecursionError, ValueError) as error:
        raise NotParsable from error
    if not isinstance(value, dict):
        raise NotParsable(1)
    return value
