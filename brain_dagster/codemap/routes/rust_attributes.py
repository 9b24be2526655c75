"""Rust routes by attribute: `#[get("/x")]` of actix-web and Rocket, and where they are mounted."""

from __future__ import annotations

import re

from tree_sitter import Node

from brain_dagster.codemap.routes.rust_calls import RustFile
from brain_dagster.codemap.syntax import Place

_VERBS = {"get", "post", "put", "patch", "delete", "head", "options"}
_MAX_ATTRIBUTES = 30


def read_attribute(source: RustFile, node: Node) -> None:
    """Take the route of one attribute over a function."""
    attribute = node.named_children[0] if node.named_children else None
    name = source.tree.short_text(
        attribute.named_children[0] if attribute and attribute.named_children else None
    )
    verb = name.rpartition("::")[2]
    given = source.tree.field(attribute, "arguments")
    if given is None or (verb not in _VERBS and verb != "route"):
        return
    strings = [child for child in given.named_children if child.type == "string_literal"]
    path = source.strings.value(strings[0]) if strings else None
    handler = _function_below(source, node)
    if path is None or not path.startswith("/") or not handler:
        return
    methods = [verb.upper()]
    if verb == "route":
        # actix writes `method = "GET"`, Rocket the bare word.
        said = source.tree.short_text(given)
        methods = (
            re.findall(r"\bmethod\s*=\s*\"(\w+)\"", said) or re.findall(r"\b([A-Z]{3,7})\b", said) or ["ANY"]
        )
    router = source.routers.find_or_make(f"#{handler}", ())
    source.routers.add(router, methods, path, handler, source.tree.line(node))


def _function_below(source: RustFile, node: Node) -> str:
    """Return the name of the function that an attribute, one of several perhaps, stands over."""
    below = node.next_named_sibling
    for _ in range(_MAX_ATTRIBUTES):
        if below is None or (below.type != "attribute_item" and "comment" not in below.type):
            break
        below = below.next_named_sibling
    return (
        source.tree.field_text(below, "name") if below is not None and below.type == "function_item" else ""
    )


def read_mount(source: RustFile, node: Node, place: Place) -> None:
    """Read Rocket's `.mount("/x", routes![show, list])`."""
    call = place[-1] if place and place[-1].type == "call_expression" else None
    if call is None or source.tree.field_text(node, "macro") != "routes":
        return
    _, called, given = source.call(call)
    prefix = source.strings.value(given[0]) if called == "mount" and given else None
    listed = next((child for child in node.named_children if child.type == "token_tree"), None)
    names = re.findall(r"[\w:]+", source.tree.text(listed)[:5_000])
    if prefix is not None:
        for name in names:
            source.routers.mount(source.routers.find_or_make(f"#{name}", ()), None, prefix)
