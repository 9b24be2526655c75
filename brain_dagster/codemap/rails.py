"""Rails: the routes of config/routes.rb, with namespaces, scopes and resources written out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.rest import RAILS_ACTIONS, RAILS_SINGULAR_ACTIONS
from brain_dagster.codemap.syntax import SyntaxTree, handler_name

_HINT = re.compile(r"\broutes\.draw\b")
_VERBS = {"get", "post", "put", "patch", "delete", "match"}


@dataclass(frozen=True, slots=True)
class _Scope:
    """What holds inside a block: the path so far, the module of controllers, the resource around."""

    path: str = ""
    module: str = ""
    controller: str = ""
    item: str = ""
    is_in_routes: bool = False


def map_rails(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Ruby source that draws routes; any other is not parsed."""
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree("ruby", file)
    waiting: list[tuple[Node, _Scope]] = [(tree.root, _Scope())]
    while waiting:
        file.deadline.check()
        node, scope = waiting.pop()
        inner = scope
        if node.type == "call":
            inner = _inside(tree, node, scope)
            yield from _routes(tree, node, scope) if scope.is_in_routes else ()
        waiting.extend((child, inner) for child in reversed(node.named_children))


def _options(tree: SyntaxTree, node: Node) -> tuple[list[str], dict[str, Node]]:
    """Return the plain words (strings and symbols) and the named options of a call."""
    words: list[str] = []
    named: dict[str, Node] = {}
    listed = tree.field(node, "arguments")
    for argument in listed.named_children if listed is not None else ():
        if argument.type == "pair":
            key, value = tree.field(argument, "key"), tree.field(argument, "value")
            # `get "/x" => "a#b"` is a pair whose key is the path.
            if key is not None and value is not None and key.type == "string":
                words.append(_word(tree, key))
                named.setdefault("to", value)
            elif value is not None:
                named[tree.text(key).strip(":")] = value
        elif _word(tree, argument):
            words.append(_word(tree, argument))
    return words, named


def _word(tree: SyntaxTree, node: Node | None) -> str:
    if node is None:
        return ""
    return tree.text(node).removeprefix(":") if node.type == "simple_symbol" else tree.literal(node) or ""


def _inside(tree: SyntaxTree, node: Node, scope: _Scope) -> _Scope:
    """Return what holds in the block of a call."""
    name = tree.field_text(node, "method")
    words, named = _options(tree, node)
    first = words[0] if words else ""
    path = _word(tree, named.get("path")) or first
    if name == "draw":
        return replace(scope, is_in_routes=True)
    if name in ("namespace", "scope"):
        module = first if name == "namespace" else _word(tree, named.get("module"))
        return replace(scope, path=_join(scope.path, path), module=_join(scope.module, module).strip("/"))
    if name in ("resources", "resource") and first:
        whole = _join(scope.path, path)
        nested = _join(whole, f":{_singular(first)}_id") if name == "resources" else whole
        return replace(scope, path=nested, controller=first, item=whole if name == "resources" else "")
    if name in ("member", "collection") and scope.item:
        return replace(scope, path=_join(scope.item, ":id") if name == "member" else scope.item)
    return scope


def _routes(tree: SyntaxTree, node: Node, scope: _Scope) -> Iterator[MapEntry]:
    name = tree.field_text(node, "method")
    if tree.field(node, "receiver") is not None:
        return
    words, named = _options(tree, node)
    if name == "root":
        target = _word(tree, named.get("to")) or (words[0] if words else "")
        yield MapEntry("route", f"GET {_join(scope.path, '')}", _target(scope, target), tree.line(node))
    elif name in _VERBS and words:
        yield from _plain(tree, node, scope, words, named)
    elif name in ("resources", "resource"):
        for resource in words:
            yield from _resource(tree, node, scope, resource, named)


def _plain(
    tree: SyntaxTree, node: Node, scope: _Scope, words: list[str], named: dict[str, Node]
) -> Iterator[MapEntry]:
    name = tree.field_text(node, "method")
    target = _word(tree, named.get("to"))
    action = words[0].rpartition("/")[2]
    if not target and scope.controller:
        target = f"{scope.controller}#{action}"
    elif not target:
        target = words[0].strip("/").replace("/", "#")
    via = named.get("via")
    verbs = [_word(tree, child) for child in (via.named_children or [via])] if via is not None else []
    scope = replace(scope, path=_place_of(tree, named.get("on"), scope))
    for verb in (verbs or ["any"]) if name == "match" else [name]:
        verb_name = "ANY" if verb in ("any", "all") else verb.upper()
        yield MapEntry("route", f"{verb_name} {_join(scope.path, words[0])}", _target(scope, target),
                       tree.line(node))  # fmt: skip


def _place_of(tree: SyntaxTree, on: Node | None, scope: _Scope) -> str:
    """Return where `on: :member` or `on: :collection` puts a route."""
    places = {"member": _join(scope.item, ":id"), "collection": scope.item}
    return places.get(_word(tree, on), scope.path) if scope.item else scope.path


def _resource(
    tree: SyntaxTree, node: Node, scope: _Scope, resource: str, named: dict[str, Node]
) -> Iterator[MapEntry]:
    is_many = tree.field_text(node, "method") == "resources"
    only, without = (_words_of(tree, named.get(option)) for option in ("only", "except"))
    path = _join(scope.path, _word(tree, named.get("path")) or resource)
    controller = _word(tree, named.get("controller")) or (resource if is_many else f"{resource}s")
    for action, verb, ending in RAILS_ACTIONS if is_many else RAILS_SINGULAR_ACTIONS:
        if (only is None or action in only) and (without is None or action not in without):
            route = f"{verb} {path}{ending.replace('{}', ':id')}"
            yield MapEntry("route", route, _target(scope, f"{controller}#{action}"), tree.line(node))


def _words_of(tree: SyntaxTree, node: Node | None) -> set[str] | None:
    """Return the names in `[:index, :show]`, `%i[index show]` or `:index`; None for no option."""
    return None if node is None else set(re.findall(r"\w+", re.sub(r"^%[iIwW]", "", tree.text(node))))


def _target(scope: _Scope, target: str) -> str:
    named = f"{scope.module}/{target}" if scope.module and target else target
    return handler_name(named.replace("/", "::")).replace("::", "/") if named else ""


def _join(*parts: str) -> str:
    return "/" + "/".join(filter(None, (part.strip("/") for part in parts)))


def _singular(word: str) -> str:
    """Return the singular as Rails forms it for regular words."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
