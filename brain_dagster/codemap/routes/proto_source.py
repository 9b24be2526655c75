"""Protocol buffers: the services of a file, one entry for each of their methods."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.syntax import Place, SyntaxTree

_HINT = re.compile(r"\bservice\b")


def map_proto(file: MappedFile) -> Iterator[MapEntry]:
    """Map a .proto file: `shop.v1.Orders/Place`, with request and response, from each `rpc`."""
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree("proto", file)
    package = ""
    for node, place in tree.find_within(("package", "rpc"), ("service",)):
        if node.type == "package":
            package = f"{tree.short_text(_child(node, 'full_ident'))}."
        elif place:
            yield _method(tree, node, place, package)


def _method(tree: SyntaxTree, node: Node, place: Place, package: str) -> MapEntry:
    service = tree.short_text(_child(place[-1], "service_name"))
    name = tree.short_text(_child(node, "rpc_name"))
    sides: list[str] = []
    is_stream = False
    for child in node.children:
        if child.type == "stream":
            is_stream = True
        elif child.type == "message_or_enum_type":
            sides.append(f"{'stream ' if is_stream else ''}{tree.short_text(child)}")
            is_stream = False
    return MapEntry("rpc", f"{package}{service}/{name}", " -> ".join(sides), tree.line(node))


def _child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.named_children if child.type == kind), None)
