"""Who answers a route: the name a reader would look for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree, handler_name

_CALLS = {"call", "call_expression"}
# What these are given is no handler: they make one out of a folder, an address, a template or a service.
_MAKERS = re.compile(
    r"^(?:new|create|make|build|get|file|serve|static|redirect|proxy|render|from|dir|template|send|load|import)",
    re.IGNORECASE,
)
_FUNCTIONS = {"function_expression", "function", "arrow_function", "lambda", "func_literal"}
_MAX_WRAPPERS = 8


def handler_of(tree: SyntaxTree, node: Node | None, around: str = "") -> str:
    """Return the handler that an expression names; `around` is the class that `self` stands for.

    `auth(users.show)` is answered by `users.show`: wrappers of one handler are looked through.
    """
    for _ in range(_MAX_WRAPPERS):
        inner = _wrapped(tree, node)
        if inner is None:
            break
        node = inner
    if node is not None and node.type in _CALLS and not _given(tree, node):
        # `serveHealth()` is named by what makes it.
        node = tree.field(node, "function")
    if node is None:
        return ""
    if node.type in _FUNCTIONS:
        return tree.field_text(node, "name") or INLINE
    text = tree.short_text(node)
    own = re.fullmatch(r"(?:self|this|cls|\$this)(?:\.|->)(\w+)(?:\.bind\(this\))?", text)
    if own:
        return f"{around}.{own.group(1)}" if around else own.group(1)
    return handler_name(text) if text else INLINE


def _wrapped(tree: SyntaxTree, node: Node | None) -> Node | None:
    """Return the one handler that a call is given, or None if it is no wrapper."""
    if node is None or node.type not in _CALLS:
        return None
    called = tree.field(node, "function")
    word = tree.short_text(called).rpartition(".")[2]
    given = _given(tree, node)
    if word == "bind":
        return tree.field(called, "object")
    if len(given) != 1 or not word or _MAKERS.match(word):
        return None
    name = tree.short_text(given[0])
    if given[0].type in _CALLS:
        return given[0]
    is_name = re.fullmatch(r"[\w$]+(?:\.[\w$]+)*", name) is not None and not name[0].isdigit()
    return given[0] if is_name or given[0].type in _FUNCTIONS else None


def _given(tree: SyntaxTree, node: Node) -> list[Node]:
    listed = tree.field(node, "arguments")
    return [child for child in listed.named_children if child.type != "comment"] if listed is not None else []


def name_around(tree: SyntaxTree, place: Place, kinds: Sequence[str]) -> str:
    """Return the name of the innermost declaration of these kinds around a node; empty if there is none."""
    around = next((node for node in reversed(place) if node.type in kinds), None)
    return tree.field_text(around, "name")
