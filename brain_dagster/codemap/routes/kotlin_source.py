"""Kotlin sources: what annotations declare, Ktor's routing, gRPC services."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes.hints import Hint
from brain_dagster.codemap.routes.jvm_annotations import Annotation, AnnotationReader, Annotations
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree, join_route

_HINT = Hint(
    words=(
        "Mapping", "Listener", "@Path", "@GET", "@POST", "@PUT", "@PATCH", "@DELETE", "@Controller",
        "@Incoming", "ImplBase", "ktor",
    )
)  # fmt: skip
_TYPES = ("class_declaration", "object_declaration")
_VERBS = {"get", "post", "put", "patch", "delete", "head", "options", "webSocket"}
_SERVICE = re.compile(r"\b(\w+?)(?:Coroutine)?ImplBase\b")
_BEFORE_CLASS = ("prefix_expression", "annotated_expression", "annotation")


def map_kotlin(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Kotlin source; files without a trace of a route are not parsed."""
    if not _HINT.fits(file.text):
        return
    tree = SyntaxTree("kotlin", file)
    strings = Strings(tree)
    reader = AnnotationReader(tree, strings)
    has_ktor = "ktor" in file.text
    kinds = ("function_declaration", "call_expression", *_TYPES)
    for node, place in tree.find_within(kinds, (*_TYPES, "call_expression", "function_declaration")):
        if node.type == "call_expression":
            yield from _ktor(tree, strings, node, place) if has_ktor else ()
        elif node.type == "function_declaration":
            yield from _function(tree, reader, node, place)
        else:
            yield from reader.class_entries(_annotations(tree, node), _name(tree, node))


def _name(tree: SyntaxTree, node: Node | None) -> str:
    """Return the name of a declaration, which is its first child of that kind."""
    kinds = ("type_identifier", "simple_identifier")
    children = node.named_children if node is not None else []
    return tree.short_text(next((child for child in children if child.type in kinds), None))


def _function(tree: SyntaxTree, reader: AnnotationReader, node: Node, place: Place) -> Iterator[MapEntry]:
    around = place[-1] if place and place[-1].type in _TYPES else None
    name = _name(tree, node)
    handler = ".".join(filter(None, [_name(tree, around), name]))
    named = next((child for child in node.named_children if child.type == "simple_identifier"), node)
    yield from reader.entries(_annotations(tree, node), _annotations(tree, around), handler)
    bases = (
        (child for child in around.named_children if child.type == "delegation_specifier") if around else ()
    )
    service = next(filter(None, (_SERVICE.search(tree.text(base)[:200]) for base in bases)), None)
    if service and re.search(r"\boverride\b", tree.text(node)[:300].partition("fun ")[0]):
        yield MapEntry("rpc", f"{service.group(1)}/{name[:1].upper()}{name[1:]}", handler, tree.line(named))


def _annotations(tree: SyntaxTree, node: Node | None) -> Annotations:
    """Return the annotations of a declaration by their simple name."""
    found: dict[str, Annotation] = {}
    for annotation, values in _annotation_nodes(node):
        called = next(
            (child for child in annotation.named_children if child.type == "constructor_invocation"), None
        )
        kind = (called or annotation).named_children
        name = tree.short_text(kind[0]).rpartition(".")[2] if kind else ""
        listed = (
            next((child for child in called.named_children if child.type == "value_arguments"), None)
            if called
            else None
        )
        arguments: dict[str, list[Node]] = {"": values} if values else {}
        for argument in listed.named_children if listed is not None else ():
            parts = argument.named_children
            if not parts:
                continue
            is_named = len(parts) > 1 and parts[0].type == "simple_identifier"
            many = parts[-1].named_children if parts[-1].type == "collection_literal" else [parts[-1]]
            arguments.setdefault(tree.short_text(parts[0]) if is_named else "", []).extend(many)
        found[name] = Annotation(annotation, arguments)
    return found


def _annotation_nodes(node: Node | None) -> Iterator[tuple[Node, list[Node]]]:
    """Yield annotations, each with values that the grammar put behind it instead of into it.

    In front of a class that begins a file, `@RequestMapping("/x")` is read as an annotated `("/x")`.
    """
    modifiers = (
        next((child for child in node.named_children if child.type == "modifiers"), None) if node else None
    )
    for child in modifiers.named_children if modifiers is not None else ():
        if child.type == "annotation":
            yield child, []
    before = node.prev_named_sibling if node is not None else None
    for _ in range(20):
        if before is None or before.type not in _BEFORE_CLASS:
            return
        inner: Node | None = before
        for _ in range(20):
            if inner is None:
                break
            annotation = next((child for child in inner.named_children if child.type == "annotation"), None)
            rest = inner.named_children[-1] if inner.named_children else None
            if annotation is not None:
                is_value = rest is not None and rest.type == "parenthesized_expression"
                yield annotation, list(rest.named_children) if rest is not None and is_value else []
            inner = rest if rest is not None and rest.type in _BEFORE_CLASS and rest != annotation else None
        before = before.prev_named_sibling


def _call(tree: SyntaxTree, node: Node) -> tuple[str, list[Node]]:
    """Return the plain name and the arguments of `route("/x") {...}`, which is one call in another."""
    name = tree.short_text(node.named_children[0]) if node.named_children else ""
    given: list[Node] = []
    for suffix in (child for child in node.named_children if child.type == "call_suffix"):
        for listed in (child for child in suffix.named_children if child.type == "value_arguments"):
            given.extend(part.named_children[-1] for part in listed.named_children if part.named_children)
    return name, given


def _ktor(tree: SyntaxTree, strings: Strings, node: Node, place: Place) -> Iterator[MapEntry]:
    """Read Ktor's `get("/x") {...}` with the `route("/users") {...}` around it."""
    verb, given = _call(tree, node)
    has_block = any(
        inner.type == "annotated_lambda" for child in node.named_children for inner in child.named_children
    )
    path = strings.value(given[0]) if given else ""
    if verb not in _VERBS or not has_block or path is None:
        return
    around: list[str] = []
    is_routing = False
    for holder in place:
        if holder.type == "function_declaration":
            is_routing = is_routing or re.search(r"\bRout(?:e|ing)\s*\.", tree.text(holder)[:200]) is not None
            continue
        name, outer = _call(tree, holder)
        is_routing = is_routing or name in ("routing", "route", "authenticate")
        if name == "route":
            around.append(strings.value(outer[0]) or "" if outer else "")
    if is_routing:
        method = "WEBSOCKET" if verb == "webSocket" else verb.upper()
        yield MapEntry("route", f"{method} {join_route('/', *around, path)}", INLINE, tree.line(node))
