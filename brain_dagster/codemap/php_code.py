"""PHP sources: Laravel's `Route::get(...)`, with the prefixes of the groups around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.rest import LARAVEL_ACTIONS, LARAVEL_API_ACTIONS
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, ancestors, handler_name

_HINT = re.compile(r"\bRoute::")
_VERBS = {"get", "post", "put", "patch", "delete", "options", "any", "view", "redirect"}
_RESOURCES = {"resource": LARAVEL_ACTIONS, "apiResource": LARAVEL_API_ACTIONS}
_CALLS = ("scoped_call_expression", "member_call_expression")
_CLOSURES = {"anonymous_function", "anonymous_function_creation_expression", "arrow_function"}
_MAX_CHAIN = 50


def map_php(file: MappedFile) -> Iterator[MapEntry]:
    """Map a PHP source; files that never name Laravel's router are not parsed."""
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree("php", file)
    for node in tree.find(*_CALLS):
        if _is_of_router(tree, node):
            yield from _routes(tree, node)


def _arguments(tree: SyntaxTree, node: Node) -> list[Node]:
    listed = tree.field(node, "arguments")
    arguments = [child for child in listed.named_children if child.type == "argument"] if listed else []
    return [argument.named_children[-1] for argument in arguments if argument.named_children]


def _chain(tree: SyntaxTree, node: Node | None) -> Iterator[Node]:
    """Yield the calls of `Route::a()->b()->c()` from the last to the first."""
    for _ in range(_MAX_CHAIN):
        if node is None or node.type not in _CALLS:
            return
        yield node
        node = tree.field(node, "object")


def _is_of_router(tree: SyntaxTree, node: Node) -> bool:
    first = list(_chain(tree, node))[-1]
    return tree.field_text(first, "scope").rpartition("\\")[2] == "Route"


def _routes(tree: SyntaxTree, node: Node) -> Iterator[MapEntry]:
    called, given = tree.field_text(node, "name"), _arguments(tree, node)
    prefix = "/".join(reversed(list(_prefixes(tree, node))))
    if called == "match" and len(given) > 2:
        methods = [tree.literal(child.named_children[-1]) for child in given[0].named_children]
        verbs, given = [method.upper() for method in methods if method], given[1:]
    elif called in _VERBS:
        verbs = ["ANY"] if called in ("any", "redirect") else ["GET" if called == "view" else called.upper()]
    else:
        yield from _resource(tree, node, called, given, prefix)
        return
    path = tree.literal(given[0]) if given else None
    if path is None or len(given) < 2:
        return
    for verb in verbs:
        yield MapEntry("route", f"{verb} {_laravel(prefix, path)}", _action(tree, given[1]), tree.line(node))


def _resource(
    tree: SyntaxTree, node: Node, called: str, given: list[Node], prefix: str
) -> Iterator[MapEntry]:
    name = tree.literal(given[0]) if given else None
    if called not in _RESOURCES or name is None or len(given) < 2:
        return
    controller = _action(tree, given[1])
    item = name.rpartition("/")[2].replace("-", "_")
    item = f"{{{item[:-1] if item.endswith('s') else item}}}"
    for action, verb, ending in _RESOURCES[called]:
        path = _laravel(prefix, name, ending.replace("{}", item))
        yield MapEntry("route", f"{verb} {path}", f"{controller}@{action}", tree.line(node))


def _laravel(*parts: str) -> str:
    """Join as Laravel does: slashes between the parts, none at the end."""
    return "/" + "/".join(filter(None, (part.strip("/") for part in parts)))


def _prefixes(tree: SyntaxTree, node: Node) -> Iterator[str]:
    """Yield the prefixes that hold for a call, innermost first: of its own chain and of groups around it."""
    yield from _prefixes_of_chain(tree, node)
    for around in ancestors(node):
        if around.type in _CALLS and tree.field_text(around, "name") == "group":
            yield from _prefixes_of_chain(tree, around)


def _prefixes_of_chain(tree: SyntaxTree, node: Node) -> Iterator[str]:
    for link in _chain(tree, node):
        given = _arguments(tree, link)
        name = tree.field_text(link, "name")
        if name == "prefix" and given:
            yield tree.literal(given[0]) or ""
        elif name == "group" and len(given) > 1:
            declared = re.search(r"[\"']prefix[\"']\s*=>\s*[\"']([^\"']*)[\"']", tree.text(given[0]))
            yield declared.group(1) if declared else ""


def _action(tree: SyntaxTree, node: Node) -> str:
    """Name a handler: `[UserController::class, 'show']` and `'UserController@show'` read the same."""
    if node.type in _CLOSURES:
        return INLINE
    plain = tree.literal(node)
    if plain is not None:
        return plain
    parts = [part.strip(" \"'").removesuffix("::class") for part in tree.text(node).strip("[] ").split(",")]
    return handler_name("@".join(filter(None, parts)))
