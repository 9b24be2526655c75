"""Sinatra, classic and in classes: `get "/x" do`, with the namespaces around it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.ruby_calls import has_block
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree

_VERBS = {"get", "post", "put", "patch", "delete", "head", "options", "link", "unlink"}


def read_routes(tree: SyntaxTree, strings: Strings) -> Iterator[MapEntry]:
    """Yield the routes of a file that mentions Sinatra: calls of a verb with a path and a block."""
    for node, place in tree.find_within(("call",), ("call", "method", "singleton_method")):
        verb = tree.field_text(node, "method")
        if verb not in _VERBS or tree.field(node, "receiver") is not None or not has_block(tree, node):
            continue
        paths = _paths(tree, strings, node)
        around = _namespaces(tree, strings, place)
        if around is None:
            continue
        for path in paths:
            # A namespace is put in front of a pattern as it is: `/lists` and `.json` are `/lists.json`.
            whole = f"{around}{path}"
            if whole.startswith(("/", "*", "%r")):
                yield MapEntry("route", f"{verb.upper()} {whole}", INLINE, tree.line(node))


def _paths(tree: SyntaxTree, strings: Strings, node: Node) -> list[str]:
    """Return the path of a route: a string, a constant of the file, or a regular expression as written."""
    listed = tree.field(node, "arguments")
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    if first is None:
        return []
    if first.type == "regex":
        return [tree.short_text(first)]
    if first.type == "array":
        return [path for path in map(strings.value, first.named_children) if path is not None]
    said = strings.value(first)
    return [] if said is None else [said]


def _namespaces(tree: SyntaxTree, strings: Strings, place: Place) -> str | None:
    """Return the namespaces around a call as one path; None inside of a method or of unknown ones."""
    whole = ""
    for around in place:
        if around.type != "call":
            return None
        if tree.field_text(around, "method") == "namespace":
            paths = _paths(tree, strings, around)
            if len(paths) != 1:
                return None
            whole += paths[0]
    return whole
