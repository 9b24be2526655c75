"""Laravel's `Route::get(...)`, with the prefixes and controllers of the groups around it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.php_calls import CALLS, PhpFile
from brain_dagster.codemap.routes.rest import LARAVEL_ACTIONS, LARAVEL_API_ACTIONS
from brain_dagster.codemap.syntax import Place

_VERBS = {"get", "post", "put", "patch", "delete", "options", "any", "view", "redirect"}
_RESOURCES = {"resource": LARAVEL_ACTIONS, "apiResource": LARAVEL_API_ACTIONS}


def is_of_router(source: PhpFile, node: Node) -> bool:
    """Whether a chain of calls begins with `Route::`."""
    first = list(source.chain(node))[-1]
    return source.tree.field_text(first, "scope").rpartition("\\")[2] == "Route"


def read_call(source: PhpFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the routes of one call on the router."""
    called, given = source.tree.field_text(node, "name"), source.arguments(node)
    prefix = "/".join(reversed(list(_prefixes(source, node, place))))
    if called == "match" and len(given) > 2:
        verbs, given = [method.upper() for method in source.words(given[0])], given[1:]
    elif called in _VERBS:
        verbs = ["ANY"] if called in ("any", "redirect") else ["GET" if called == "view" else called.upper()]
    else:
        yield from _resource(source, node, place, prefix)
        return
    path = source.strings.value(given[0]) if given else None
    if path is None or len(given) < 2:
        return
    action = source.action(given[1])
    controller = _controller(source, node, place)
    if controller and action.isidentifier():
        action = f"{controller}@{action}"
    line = source.tree.line(source.tree.field(node, "name") or node)
    yield from (MapEntry("route", f"{verb} {_join(prefix, path)}", action, line) for verb in verbs)


def _resource(source: PhpFile, node: Node, place: Place, prefix: str) -> Iterator[MapEntry]:
    called, given = source.tree.field_text(node, "name"), source.arguments(node)
    name = source.strings.value(given[0]) if given else None
    if called not in _RESOURCES or name is None or len(given) < 2:
        return
    controller = source.action(given[1])
    only, without = _limits(source, node, place)
    *parents, last = name.split(".")
    nested = "".join(f"{parent}/{{{_singular(parent)}}}/" for parent in parents)
    item = f"{{{_singular(last.rpartition('/')[2])}}}"
    line = source.tree.line(source.tree.field(node, "name") or node)
    for action, verb, ending in _RESOURCES[called]:
        if (not only or action in only) and action not in without:
            path = _join(prefix, f"{nested}{last}", ending.replace("{}", item))
            yield MapEntry("route", f"{verb} {path}", f"{controller}@{action}", line)


def _limits(source: PhpFile, node: Node, place: Place) -> tuple[list[str], list[str]]:
    """Return the actions of `->only([...])` and of `->except([...])` behind a resource."""
    limits: dict[str, list[str]] = {"only": [], "except": []}
    inner = node
    for around in reversed(place):
        if around.type not in CALLS or source.tree.field(around, "object") != inner:
            break
        name, given = source.tree.field_text(around, "name"), source.arguments(around)
        if name in limits and given:
            limits[name] = source.words(given[0])
        inner = around
    return limits["only"], limits["except"]


def _singular(word: str) -> str:
    word = word.replace("-", "_")
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _join(*parts: str) -> str:
    """Join as Laravel does: slashes between the parts, none at the end."""
    return "/" + "/".join(filter(None, (part.strip("/") for part in parts)))


def _prefixes(source: PhpFile, node: Node, place: Place) -> Iterator[str]:
    """Yield the prefixes that hold for a call, innermost first: of its own chain and of groups around it."""
    yield from _prefixes_of_chain(source, node)
    for around in _groups(source, node, place):
        yield from _prefixes_of_chain(source, around)


def _groups(source: PhpFile, node: Node, place: Place) -> Iterator[Node]:
    """Yield the `group(...)` calls whose closure a call stands in, innermost first."""
    for around in reversed(place):
        listed = source.tree.field(around, "arguments") if around.type in CALLS else None
        is_inside = listed is not None and listed.start_byte <= node.start_byte
        if is_inside and source.tree.field_text(around, "name") == "group":
            yield around


def _controller(source: PhpFile, node: Node, place: Place) -> str:
    """Return the class of `Route::controller(Users::class)->group(...)` around a call."""
    for around in _groups(source, node, place):
        for link in source.chain(around):
            given = source.arguments(link)
            if source.tree.field_text(link, "name") == "controller" and given:
                return source.action(given[0])
    return ""


def _prefixes_of_chain(source: PhpFile, node: Node) -> Iterator[str]:
    for link in source.chain(node):
        given = source.arguments(link)
        name = source.tree.field_text(link, "name")
        if name == "prefix" and given:
            yield source.strings.value(given[0]) or ""
        elif name == "group" and len(given) > 1:
            yield _option(source, given[0], "prefix")


def _option(source: PhpFile, node: Node, name: str) -> str:
    """Return one value of `['prefix' => 'admin', ...]`."""
    for item in node.named_children:
        parts = item.named_children
        if len(parts) == 2 and source.strings.value(parts[0]) == name:
            return source.strings.value(parts[1]) or ""
    return ""
