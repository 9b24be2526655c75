"""Slim, Lumen and what follows their shape: `$app->get('/x', ...)` and groups with a prefix around it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.php_calls import CALLS, PhpFile
from brain_dagster.codemap.syntax import Place

_VERBS = {"get", "post", "put", "patch", "delete", "options", "any"}
_ROUTERS = {"$app", "$router", "$this->app", "$this->router", "$r", "$routes", "$group", "$api", "$route"}


def read_call(source: PhpFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the routes of `$app->get('/x', Show::class)` and of `$app->map(['GET', 'POST'], '/x', ...)`."""
    called = source.tree.field_text(node, "name")
    if called not in _VERBS and called not in ("map", "addRoute", "match"):
        return
    owner = source.tree.short_text(source.tree.field(node, "object"))
    prefixes = [_prefix(source, around) for around in place if _holds(source, around, node)]
    # Inside a group's closure `$this` is the group; elsewhere `$this->post(...)` may be a test's request.
    if owner not in _ROUTERS and not (owner == "$this" and prefixes):
        return
    given = source.arguments(node)
    verbs = ["ANY"] if called == "any" else [called.upper()]
    if called not in _VERBS and given:
        verbs, given = [word.upper() for word in source.words(given[0])], given[1:]
    path = source.strings.value(given[0]) if len(given) > 1 else None
    if path is None or None in prefixes or not (path.startswith("/") or (path == "" and prefixes)):
        return
    # Groups are joined as they are written, so that `/users` and an empty path make `/users`.
    whole = "".join(filter(None, [*prefixes, path]))
    line = source.tree.line(source.tree.field(node, "name") or node)
    yield from (MapEntry("route", f"{verb} {whole}", source.action(given[1]), line) for verb in verbs)


def _holds(source: PhpFile, around: Node, node: Node) -> bool:
    """Whether a call is a group, and the node stands among its arguments."""
    listed = source.tree.field(around, "arguments") if around.type in CALLS else None
    is_inside = listed is not None and listed.start_byte <= node.start_byte
    return is_inside and source.tree.field_text(around, "name") in ("group", "addGroup", "mount")


def _prefix(source: PhpFile, group: Node) -> str | None:
    """Return the prefix of `group('/x', ...)` or of Lumen's `group(['prefix' => 'x'], ...)`."""
    given = source.arguments(group)
    if not given:
        return None
    if given[0].type != "array_creation_expression":
        return source.strings.value(given[0])
    for item in given[0].named_children:
        parts = item.named_children
        if len(parts) == 2 and source.strings.value(parts[0]) == "prefix":
            said = source.strings.value(parts[1])
            return None if said is None else f"/{said.strip('/')}"
    return ""
