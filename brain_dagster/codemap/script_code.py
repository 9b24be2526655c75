"""JavaScript and TypeScript sources: the routes of Express and of what follows its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, handler_name

GRAMMARS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "all"}
_HINT = re.compile(r"\.\s*(?:get|post|put|patch|delete|head|options|all|route)\s*\(\s*[\"'`]")
_MAKES_ROUTER = re.compile(
    r"^(?:new\s+)?(?:[\w.]+\.)?(?:express|fastify|Fastify|Router|Hono|polka|restify)\b"
)
_ROUTER_NAME = re.compile(r"^(?:app|router|server|\w+(?:App|Router))$")
_FUNCTIONS = {"arrow_function", "function_expression", "function"}
_MAX_CHAIN = 50


def map_script(file: MappedFile) -> Iterator[MapEntry]:
    """Map a JavaScript or TypeScript source; files without the shape of a route are not parsed."""
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree(GRAMMARS.get(file.suffix, "javascript"), file)
    routers: set[str] = set()
    for node in tree.find("call_expression", "variable_declarator"):
        if node.type == "variable_declarator":
            if _MAKES_ROUTER.match(tree.field_text(node, "value")[:80]):
                routers.add(tree.field_text(node, "name"))
        else:
            yield from _route(tree, node, routers)


def _route(tree: SyntaxTree, node: Node, routers: set[str]) -> Iterator[MapEntry]:
    member = tree.field(node, "function")
    if member is None or member.type != "member_expression":
        return
    method = tree.field_text(member, "property")
    if method not in _METHODS:
        return
    arguments = tree.field(node, "arguments")
    given = [child for child in arguments.named_children if child.type != "comment"] if arguments else []
    owner = tree.field(member, "object")
    path = _chained_path(tree, owner, routers)
    if path is None:
        path = tree.literal(given[0]) if given and _is_router(tree, owner, routers) else None
        given = given[1:]
    # `app.get("title")` reads a setting and `client.get("/x", {...})` sends a request: neither is a route.
    if path is None or not path.startswith(("/", "*")) or not given or given[-1].type == "object":
        return
    verb = "ANY" if method == "all" else method.upper()
    line = tree.line(member.child_by_field_name("property") or member)
    yield MapEntry("route", f"{verb} {path}", _handler(tree, given[-1]), line)


def _is_router(tree: SyntaxTree, owner: Node | None, routers: set[str]) -> bool:
    name = tree.text(owner)
    return name in routers or _ROUTER_NAME.match(name.removeprefix("this.")) is not None


def _chained_path(tree: SyntaxTree, owner: Node | None, routers: set[str]) -> str | None:
    """Return the path of `router.route("/x").get(a).post(b)`, seen from any link of the chain."""
    for _ in range(_MAX_CHAIN):
        if owner is None or owner.type != "call_expression":
            return None
        member = tree.field(owner, "function")
        if tree.field_text(member, "property") == "route":
            arguments = tree.field(owner, "arguments")
            first = arguments.named_children[0] if arguments and arguments.named_children else None
            return tree.literal(first) if _is_router(tree, tree.field(member, "object"), routers) else None
        owner = tree.field(member, "object")
    return None


def _handler(tree: SyntaxTree, node: Node) -> str:
    if node.type in _FUNCTIONS:
        return tree.field_text(node, "name") or INLINE
    return handler_name(tree.text(node))
