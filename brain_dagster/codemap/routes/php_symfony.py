"""Symfony: routes by attribute, by the annotations of doc comments, and handlers of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.php_calls import PhpFile
from brain_dagster.codemap.syntax import join_route

_VERBS = {"Get": "GET", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE", "Any": "ANY"}
# A doc comment has no syntax tree of its own. Bounded, so that a long comment stays cheap.
_ANNOTATION = re.compile(
    r"@(?:\w+\\)?(Route|Get|Post|Put|Patch|Delete)\s*\(([^@]{0,500}?)\)\s*(?:\*|$)", re.MULTILINE
)
_DOC_PATH = re.compile(r"""^\s*(?:path\s*=\s*)?["']([^"']*)["']|\bpath\s*=\s*["']([^"']*)["']""")
_DOC_METHODS = re.compile(r"\bmethods\s*=\s*(?:\{([^}]*)\}|\"(\w+)\")")


@dataclass(frozen=True, slots=True)
class _Declared:
    """What one attribute or annotation says."""

    methods: tuple[str, ...]
    paths: tuple[str, ...]
    line: int


def read_class(source: PhpFile, node: Node) -> Iterator[MapEntry]:
    """Yield the routes of a controller, under the path that its class declares, and message handlers."""
    name = source.tree.field_text(node, "name")
    of_class = list(_declared(source, node))
    methods = list(source.methods(node))
    prefixes = [path for declared in of_class for path in declared.paths] or [""]
    has_own = False
    for method in methods:
        handler = f"{name}.{source.tree.field_text(method, 'name')}"
        for declared in _declared(source, method):
            has_own = True
            yield from _routes(declared, prefixes, handler)
        yield from _message(source, node, method, handler)
    invoked = [method for method in methods if source.tree.field_text(method, "name") == "__invoke"]
    if of_class and invoked and not has_own:
        for declared in of_class:
            yield from _routes(declared, [""], f"{name}.__invoke")


def _routes(declared: _Declared, prefixes: list[str], handler: str) -> Iterator[MapEntry]:
    for prefix in prefixes:
        for path in declared.paths or ("",):
            for method in declared.methods or ("ANY",):
                yield MapEntry("route", f"{method} {join_route('/', prefix, path)}", handler, declared.line)


def _declared(source: PhpFile, node: Node) -> Iterator[_Declared]:
    attributes = source.tree.field(node, "attributes")
    for group in attributes.named_children if attributes is not None else ():
        for attribute in group.named_children:
            declared = _attribute(source, attribute)
            if declared is not None:
                yield declared
    before = node.prev_named_sibling
    if before is not None and before.type == "comment" and before.end_byte - before.start_byte < 20_000:
        yield from _annotations(source, before)


def _attribute(source: PhpFile, attribute: Node) -> _Declared | None:
    name = (
        source.tree.short_text(attribute.named_children[0]).rpartition("\\")[2]
        if attribute.named_children
        else ""
    )
    if name != "Route" and name not in _VERBS:
        return None
    listed = source.tree.field(attribute, "parameters")
    paths: list[str] = []
    methods = [_VERBS[name]] if name in _VERBS else []
    for position, argument in enumerate(listed.named_children if listed is not None else ()):
        called = source.tree.field_text(argument, "name")
        value = argument.named_children[-1] if argument.named_children else None
        if called in ("path", "uri") or (not called and position == 0):
            paths = source.words(value)
            if not paths:
                return None
        elif called == "methods":
            methods = [method.upper() for method in source.words(value)]
    # Attributes called `Get` exist for other purposes as well; a path tells these apart.
    if name in _VERBS and not any(path.startswith("/") for path in paths):
        return None
    return _Declared(tuple(methods), tuple(paths), source.tree.line(attribute))


def _annotations(source: PhpFile, comment: Node) -> Iterator[_Declared]:
    text = source.tree.text(comment)
    for found in _ANNOTATION.finditer(text):
        said = found.group(2)
        path = _DOC_PATH.search(said)
        listed = _DOC_METHODS.search(said)
        methods = re.findall(r"\w+", (listed.group(1) or listed.group(2)).upper()) if listed else []
        if found.group(1) in _VERBS:
            methods = [_VERBS[found.group(1)]]
        line = source.tree.line(comment) + text.count("\n", 0, found.start())
        yield _Declared(tuple(methods), (path.group(1) or path.group(2) or "",) if path else (), line)


def _message(source: PhpFile, node: Node, method: Node, handler: str) -> Iterator[MapEntry]:
    """Read `#[AsMessageHandler]` over a class with `__invoke(OrderPlaced $message)`, or over a method."""
    marked = (source.tree.field(node, "attributes"), source.tree.field(method, "attributes"))
    is_invoked = handler.endswith(".__invoke")
    on_class, on_method = ("AsMessageHandler" in source.tree.text(marks)[:500] for marks in marked)
    if not on_method and not (on_class and is_invoked):
        return
    parameters = source.tree.field(method, "parameters")
    first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
    message = source.tree.field_text(first, "type").rpartition("\\")[2]
    if message:
        yield MapEntry(
            "consumer", message, handler, source.tree.line(source.tree.field(method, "name") or method)
        )
