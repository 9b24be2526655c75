"""Go sources: `func main`, and the routes of net/http, gorilla, gin, echo, chi and fiber."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, ancestors, handler_name, join_route

_HINT = re.compile(
    r"^func main\(|\.(?:Handle|HandleFunc|Method|MethodFunc|[A-Z][A-Za-z]+)\(\s*[\"`]", re.MULTILINE
)
_VERBS = {"get", "post", "put", "patch", "delete", "head", "options"}
_ANY = {"Any", "All", "ANY"}
_KINDS = (
    "package_clause",
    "function_declaration",
    "short_var_declaration",
    "assignment_statement",
    "call_expression",
)


def map_go(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Go source; files without a trace of entry point or route are not parsed."""
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree("go", file)
    package = ""
    groups: dict[str, str] = {}
    for node in tree.find(*_KINDS):
        if node.type == "package_clause":
            package = tree.text(node).removeprefix("package").strip()
        elif node.type == "function_declaration":
            if package == "main" and tree.field_text(node, "name") == "main":
                yield MapEntry("entry_point", "main", "func main() of package main", tree.line(node))
        elif node.type == "call_expression":
            yield from _routes(tree, node, groups)
        else:
            _note_group(tree, node, groups)


def _call(tree: SyntaxTree, node: Node) -> tuple[str, str, list[Node]]:
    """Return receiver, method and arguments of a method call; empty for a plain call."""
    function, arguments = tree.field(node, "function"), tree.field(node, "arguments")
    given = [child for child in arguments.named_children if child.type != "comment"] if arguments else []
    return tree.field_text(function, "operand"), tree.field_text(function, "field"), given


def _note_group(tree: SyntaxTree, node: Node, groups: dict[str, str]) -> None:
    """Remember `v1 := r.Group("/v1")` and gorilla's `s := r.PathPrefix("/v1").Subrouter()`."""
    right = tree.field(node, "right")
    made = right.named_children[0] if right is not None and right.named_children else None
    if made is None or made.type != "call_expression":
        return
    owner, method, given = _call(tree, made)
    inner = re.fullmatch(r"(\w+)\.PathPrefix\(\"([^\"]*)\"\)", owner)
    if method == "Subrouter" and inner:
        owner, prefix = inner.group(1), inner.group(2)
    elif method == "Group" and given and tree.literal(given[0]) is not None:
        prefix = tree.literal(given[0]) or ""
    else:
        return
    groups[tree.field_text(node, "left")] = join_route(groups.get(owner, ""), prefix)


def _routes(tree: SyntaxTree, node: Node, groups: dict[str, str]) -> Iterator[MapEntry]:
    owner, called, given = _call(tree, node)
    methods, path, rest = _method_and_path(tree, node, called, given)
    if path is None or not path.startswith("/") or not rest:
        return
    prefix = groups.get(owner, "") or join_route(*reversed(list(_mounts(tree, node))))
    whole = join_route(prefix, path) if prefix != "/" else path
    handler = rest[-1]
    detail = INLINE if handler.type == "func_literal" else handler_name(tree.text(handler))
    for method in methods:
        yield MapEntry("route", f"{method} {whole}", detail, tree.line(node))


def _method_and_path(
    tree: SyntaxTree, node: Node, called: str, given: list[Node]
) -> tuple[list[str], str | None, list[Node]]:
    """Return methods, path and the arguments behind them; the path is None for what is no route."""
    first = tree.literal(given[0]) if given else None
    if first is None:
        return [], None, []
    if called in ("Handle", "HandleFunc"):
        return _handled(tree, node, called, given, first)
    if called in ("Method", "MethodFunc", "Add"):
        return [first.upper()], tree.literal(given[1]) if len(given) > 1 else None, given[2:]
    is_verb = called.lower() in _VERBS
    return [called.upper() if is_verb else "ANY"], first if is_verb or called in _ANY else None, given[1:]


def _handled(
    tree: SyntaxTree, node: Node, called: str, given: list[Node], first: str
) -> tuple[list[str], str | None, list[Node]]:
    """Tell apart net/http's `"GET /x"` (since Go 1.22) and `"/x"`, and gin's `Handle("GET", "/x", f)`."""
    method, space, path = first.partition(" ")
    if space:
        return [method], path.strip(), given[1:]
    if called == "Handle" and len(given) > 2:
        return [first], tree.literal(given[1]), given[2:]
    return _restricted(tree, node) or ["ANY"], first, given[1:]


def _restricted(tree: SyntaxTree, node: Node) -> list[str]:
    """Return the methods of gorilla's `r.HandleFunc("/x", f).Methods("GET", "POST")`."""
    selector = node.parent
    if selector is None or tree.field_text(selector, "field") != "Methods" or selector.parent is None:
        return []
    _, _, given = _call(tree, selector.parent)
    return [method for method in map(tree.literal, given) if method]


def _mounts(tree: SyntaxTree, node: Node) -> Iterator[str]:
    """Yield the prefixes of chi's `r.Route("/x", func(r) {...})` around a call, innermost first."""
    for around in ancestors(node):
        if around.type == "call_expression":
            _, method, given = _call(tree, around)
            if method == "Route" and given:
                yield tree.literal(given[0]) or ""
