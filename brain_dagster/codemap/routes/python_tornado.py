"""Tornado: pairs of a pattern and a handler's class in the list that an application is made of."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.routes.python_calls import PythonFile, arguments, callee
from brain_dagster.codemap.syntax import Place

_LISTS = {"handlers", "urls", "routes", "url_patterns", "urlpatterns", "default_handlers", "url_handlers"}
_TAKERS = {"Application", "add_handlers", "RuleRouter", "Router"}
_SPECS = {"url", "URLSpec"}


def read_tuple(source: PythonFile, node: Node, place: Place) -> None:
    """Take `(r"/x", Show)` in a list named `handlers` or given to `Application`."""
    if source.has_tornado and len(node.named_children) >= 2 and _is_listed(source, place):
        _add(source, node, node.named_children, place)


def read_call(source: PythonFile, node: Node, place: Place) -> None:
    """Take `url(r"/x", Show, name="x")`, the same with a name."""
    if source.has_tornado and not source.has_django and callee(source.tree, node)[1] in _SPECS:
        positional, _ = arguments(source.tree, node)
        if len(positional) >= 2:
            _add(source, node, positional, place)


def _is_listed(source: PythonFile, place: Place) -> bool:
    for around in reversed(place):
        if around.type == "call":
            return callee(source.tree, around)[1] in (*_TAKERS, "extend")
        if around.type.endswith("assignment"):
            name = source.tree.short_text(source.tree.field(around, "left")).rpartition(".")[2]
            return name in _LISTS or name.endswith(("_handlers", "_urls", "_routes"))
    # Some list their handlers in the `return` of a function of that name.
    return bool(place) and source.tree.field_text(place[-1], "name").endswith("handlers")


def _add(source: PythonFile, node: Node, given: list[Node], place: Place) -> None:
    pattern = source.strings.value(given[0])
    handler = source.handler(given[1], place)
    if pattern is None or not pattern.startswith(("/", "(", "^", ".*")) or not handler[:1].isalpha():
        return
    for method, view in source.views(handler):
        source.routers.add(None, [method], pattern, view, source.tree.line(node))
