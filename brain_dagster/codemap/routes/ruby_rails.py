"""Rails: the routes of config/routes.rb, with namespaces, scopes and resources written out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes.rest import RAILS_ACTIONS, RAILS_SINGULAR_ACTIONS
from brain_dagster.codemap.routes.ruby_calls import options, word, words_of
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, handler_name

_VERBS = {"get", "post", "put", "patch", "delete", "match"}


@dataclass(frozen=True, slots=True)
class _Scope:
    """What holds inside a block: the path so far, the module of controllers, the resource around.

    item is the path of the collection that is around, param how one of it is named in a path.
    """

    path: str = ""
    module: str = ""
    controller: str = ""
    item: str = ""
    param: str = ":id"
    is_in_routes: bool = False


def read_routes(tree: SyntaxTree, file: MappedFile, is_part: bool) -> Iterator[MapEntry]:
    """Yield the routes of a file that draws them, or is a part of one that does."""
    waiting: list[tuple[Node, _Scope]] = [(tree.root, _Scope(is_in_routes=is_part))]
    while waiting:
        file.deadline.check()
        node, scope = waiting.pop()
        inner = scope
        if node.type == "call":
            inner = _inside(tree, node, scope)
            yield from _routes(tree, node, scope) if scope.is_in_routes else ()
        waiting.extend((child, inner) for child in reversed(node.named_children))


def _inside(tree: SyntaxTree, node: Node, scope: _Scope) -> _Scope:
    """Return what holds in the block of a call."""
    name = tree.field_text(node, "method")
    words, named = options(tree, node)
    first = words[0] if words else ""
    path = word(tree, named.get("path")) if "path" in named else first
    if name == "draw":
        return replace(scope, is_in_routes=True)
    if name == "concern":
        # What a concern holds is drawn where it is named, and not where it stands.
        return replace(scope, is_in_routes=False)
    if name in ("namespace", "scope"):
        module = word(tree, named["module"]) if "module" in named else first if name == "namespace" else ""
        controller = word(tree, named.get("controller")) or ("" if name == "namespace" else scope.controller)
        whole = _join(scope.path, path)
        return _Scope(
            whole, _join(scope.module, module).strip("/"), controller, is_in_routes=scope.is_in_routes
        )
    if name in ("resources", "resource") and first:
        return _inside_resource(tree, scope, node, path)
    return _inside_plain(scope, name, first)


def _inside_plain(scope: _Scope, name: str, first: str) -> _Scope:
    """Return what holds inside `controller`, `member`, `collection`, `new` and any other block."""
    if name == "controller" and first:
        return replace(scope, controller=first)
    if name in ("member", "collection", "new") and scope.item:
        ends = {"member": scope.param, "collection": "", "new": "new"}
        return replace(scope, path=_join(scope.item, ends[name]))
    return scope


def _inside_resource(tree: SyntaxTree, scope: _Scope, node: Node, path: str) -> _Scope:
    name = tree.field_text(node, "method")
    words, named = options(tree, node)
    first = words[0]
    whole = _join(scope.path, path)
    controller = word(tree, named.get("controller")) or (first if name == "resources" else _plural(first))
    module = _join(scope.module, word(tree, named.get("module"))).strip("/")
    if name == "resource":
        return replace(scope, path=whole, controller=controller, module=module, item=whole, param="")
    param = word(tree, named.get("param")) or "id"
    nested = _join(whole, f":{_singular(first)}_{param}")
    return replace(scope, path=nested, controller=controller, module=module, item=whole, param=f":{param}")


def _routes(tree: SyntaxTree, node: Node, scope: _Scope) -> Iterator[MapEntry]:
    name = tree.field_text(node, "method")
    if tree.field(node, "receiver") is not None:
        return
    words, named = options(tree, node)
    if name == "root":
        target = _target_of(tree, named) or (words[0] if words else "")
        yield MapEntry("route", f"GET {_join(scope.path, '')}", _target(scope, target), tree.line(node))
    elif name in _VERBS:
        for path in words:
            yield from _plain(tree, node, scope, path, named)
    elif name in ("resources", "resource"):
        for resource in words:
            yield from _resource(tree, node, scope, resource, named)
    elif name == "mount":
        yield from _mounted(tree, node, scope, named)


def _target_of(tree: SyntaxTree, named: dict[str, Node]) -> str:
    """Return the `controller#action` of the options; in place for a redirect or a Rack application."""
    to = named.get("to")
    if to is not None:
        return word(tree, to) or INLINE
    controller, action = word(tree, named.get("controller")), word(tree, named.get("action"))
    return f"{controller}#{action}" if controller and action else f"#{action}" if action else ""


def _plain(
    tree: SyntaxTree, node: Node, scope: _Scope, path: str, named: dict[str, Node]
) -> Iterator[MapEntry]:
    name = tree.field_text(node, "method")
    controller = word(tree, named.get("controller")) or scope.controller
    target = _target_of(tree, named)
    if target == INLINE or "#" in target.lstrip("#"):
        pass
    elif target:
        # `get "login" => :new` and `to: "new"` name the action alone.
        target = f"{controller}#{target.lstrip('#')}"
    elif controller:
        target = f"{controller}#{path.strip('/').partition('(')[0].rpartition('/')[2].replace('-', '_')}"
    else:
        target = "#".join(path.strip("/").partition("(")[0].rsplit("/", 1))
    verbs = words_of(tree, named.get("via"))
    place = replace(scope, path=_place_of(tree, named.get("on"), scope))
    for verb in (verbs or ["any"]) if name == "match" else [name]:
        method = "ANY" if verb in ("any", "all") else verb.upper()
        route = f"{method} {_join(place.path, path)}"
        yield MapEntry("route", route, _target(scope, target), tree.line(node))


def _place_of(tree: SyntaxTree, on: Node | None, scope: _Scope) -> str:
    """Return where `on: :member` or `on: :collection` puts a route."""
    places = {"member": _join(scope.item, scope.param), "collection": scope.item, "new": f"{scope.item}/new"}
    return places.get(word(tree, on), scope.path) if scope.item else scope.path


def _resource(
    tree: SyntaxTree, node: Node, scope: _Scope, resource: str, named: dict[str, Node]
) -> Iterator[MapEntry]:
    is_many = tree.field_text(node, "method") == "resources"
    only = set(words_of(tree, named["only"])) if "only" in named else None
    without = set(words_of(tree, named.get("except")))
    path = _join(scope.path, word(tree, named["path"]) if "path" in named else resource)
    controller = word(tree, named.get("controller")) or (resource if is_many else _plural(resource))
    param = word(tree, named.get("param")) or "id"
    place = replace(scope, module=_join(scope.module, word(tree, named.get("module"))).strip("/"))
    for action, verb, ending in RAILS_ACTIONS if is_many else RAILS_SINGULAR_ACTIONS:
        if (only is None or action in only) and action not in without:
            route = f"{verb} {path.rstrip('/') if ending else path}{ending.replace('{}', f':{param}')}"
            yield MapEntry("route", route, _target(place, f"{controller}#{action}"), tree.line(node))


def _mounted(tree: SyntaxTree, node: Node, scope: _Scope, named: dict[str, Node]) -> Iterator[MapEntry]:
    """Read `mount Sidekiq::Web => "/sidekiq"` and `mount Blog::Engine, at: "/blog"`."""
    listed = tree.field(node, "arguments")
    first = listed.named_children[0] if listed is not None and listed.named_children else None
    if first is None:
        return
    engine, at = first, word(tree, named.get("at"))
    if first.type == "pair":
        key, value = tree.field(first, "key"), tree.field(first, "value")
        if key is None or value is None:
            return
        engine, at = key, word(tree, value)
    if at:
        yield MapEntry(
            "route", f"ANY {_join(scope.path, at)}", handler_name(tree.short_text(engine)), tree.line(node)
        )


def _target(scope: _Scope, target: str) -> str:
    if target == INLINE or not target:
        return target
    # A leading slash leaves the modules around.
    named = f"{scope.module}/{target}" if scope.module and not target.startswith("/") else target.lstrip("/")
    return handler_name(named.replace("/", "::")).replace("::", "/")


def _join(*parts: str) -> str:
    return "/" + "/".join(filter(None, (part.strip("/") for part in parts)))


def _plural(word: str) -> str:
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    return word if word.endswith("s") and not word.endswith("ss") else f"{word}s"


def _singular(word: str) -> str:
    """Return the singular as Rails forms it for regular words."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
