"""Go routes: net/http, gorilla, gin, echo, chi, fiber, httprouter and what follows their shape."""

from __future__ import annotations

import re

from tree_sitter import Node

from brain_dagster.codemap.routes.go_calls import FUNCTIONS, GoFile, call, parameters, receiver
from brain_dagster.codemap.routes.routers import Router
from brain_dagster.codemap.syntax import Place, join_route

_VERBS = {"get", "post", "put", "patch", "delete", "head", "options", "connect", "trace"}
_ANY = {"Any", "All", "ANY"}
_MAKERS = {"NewRouter", "NewMux", "NewServeMux", "Default", "New", "Classic"}
# The links of gorilla's chains that say where a route is, and those that say who answers.
_GORILLA_ENDS = {"Handler", "HandlerFunc"}
_HANDLERS = {"identifier", "selector_expression", "func_literal", "call_expression", "composite_literal",
             "unary_expression"}  # fmt: skip
_CLIENT = re.compile(r"(?:^|\.)(?:http|resty|req|cache|redis|rdb|kv|etcd)$|[cC]lient$|[cC]lient\(\)$")
_MAX_CHAIN = 20


def note_router(source: GoFile, node: Node, place: Place) -> None:
    """Remember `v1 := r.Group("/v1")`, `s := r.PathPrefix("/v1").Subrouter()` and `r := chi.NewRouter()`."""
    right = source.tree.field(node, "right")
    made = right.named_children[0] if right is not None and right.named_children else None
    left = source.tree.short_text(source.tree.field(node, "left")).partition(",")[0].strip()
    if made is None or made.type != "call_expression" or not left:
        return
    owner, called, _ = call(source.tree, made)
    if called in _MAKERS:
        router = source.routers.make(left, source.scopes(place))
        # What `r.Mount("/admin", adminRouter())` mounts is made in a function of that name.
        router.holder = source.routers.find_or_make(_function_around(source, place), ())
        return
    parent, prefix = _group(source, made, place)
    if prefix is not None:
        source.routers.make(left, source.scopes(place), prefix, parent)
    elif called == "With" or (called == "Use" and owner is not None):
        known = source.router(owner, place)
        if known is not None:
            source.routers.make(left, source.scopes(place), "", known)


def _function_around(source: GoFile, place: Place) -> str:
    around = next(
        (node for node in reversed(place) if node.type in FUNCTIONS and node.type != "func_literal"), None
    )
    name = source.tree.field_text(around, "name")
    return f"{receiver(source.tree, around)[1]}.{name}()".removeprefix(".")


def _group(source: GoFile, made: Node, place: Place) -> tuple[Router | None, str | None]:
    """Return the router and the prefix of a call that makes a group; no prefix for any other call."""
    owner, called, given = call(source.tree, made)
    if called == "Subrouter" and owner is not None:
        parent, prefix, _ = _chain(source, owner, place)
        return parent, prefix
    if called in ("Group", "Party", "Namespace") and given:
        return source.router(owner, place), source.strings.value(given[0])
    return None, None


def _chain(source: GoFile, node: Node | None, place: Place) -> tuple[Router | None, str | None, list[str]]:
    """Return router, path and methods of `r.Methods("GET").Path("/x")`, read from its end to its start."""
    path: str | None = None
    methods: list[str] = []
    for _ in range(_MAX_CHAIN):
        if node is None or node.type != "call_expression":
            break
        owner, called, given = call(source.tree, node)
        if called in ("Path", "PathPrefix") and given:
            said = source.strings.value(given[0])
            path = said if path is None else join_route(said or "", path)
        elif called == "Methods":
            methods = [word for word in map(source.word, given) if word]
        elif called == "Group" and given:
            said = source.strings.value(given[0])
            path = said if path is None else join_route(said or "", path)
        node = owner
    return source.router(node, place), path, methods


def read_call(source: GoFile, node: Node, place: Place) -> None:
    """Take the route that a call registers, the group that it opens, or the router that it hands on."""
    owner, called, given = call(source.tree, node)
    if owner is None:
        _hand_on(source, called, given, place)
        return
    if called in ("Route", "Group", "Mount") and len(given) + (called == "Group") > 1:
        _nest(source, owner, given, place)
    elif called in _GORILLA_ENDS and len(given) == 1:
        router, path, methods = _chain(source, owner, place)
        if path is not None:
            _add(source, node, router, methods=methods or ["ANY"], path=path, handler=given[0], place=place)
    else:
        _hand_on(source, called, given, place)
        _read_route(source, node, place)


def _nest(source: GoFile, owner: Node, given: list[Node], place: Place) -> None:
    """Read chi's `r.Route("/x", func(r chi.Router) {...})`, `r.Group(func...)`, `r.Mount("/x", users)`."""
    prefix = source.strings.value(given[0])
    parent, around, _ = _chain(source, owner, place)
    prefix = join_route(around, prefix or "") if around else prefix
    inner = given[-1]
    if inner.type == "func_literal":
        name = next((name for name, _ in parameters(source.tree, inner)), "")
        source.routers.make(name, [inner.start_byte], prefix or "", parent)
    elif prefix is not None:
        source.routers.mount(_mounted(source, inner, place), parent, prefix)


def _mounted(source: GoFile, node: Node, place: Place) -> Router | None:
    """Return the router that a name means, or that a function or a method of this file makes."""
    if node.type != "call_expression":
        return source.router(node, place)
    owner, called, _ = call(source.tree, node)
    kind = source.tree.field_text(owner, "type") if owner is not None else ""
    return source.routers.find_or_make(f"{kind}.{called}()".removeprefix("."), ())


def _hand_on(source: GoFile, called: str, given: list[Node], place: Place) -> None:
    """Read `registerUsers(v1)` and `registerUsers(r.Group("/v1"))`: the parameter means that router."""
    for position, argument in enumerate(given):
        if argument.type == "call_expression":
            parent, prefix = _group(source, argument, place)
        else:
            parent, prefix = source.router(argument, place) if argument.type == "identifier" else None, ""
        if prefix is not None and (parent is not None or prefix):
            inner = source.routers.find_or_make(f"{called}({position})", ())
            source.routers.mount(inner, parent, prefix)


def _read_route(source: GoFile, node: Node, place: Place) -> None:
    owner, called, given = call(source.tree, node)
    methods, path, rest = _method_and_path(source, node, called, given, place)
    is_request = called.lower() in _VERBS and _CLIENT.search(source.tree.short_text(owner)) is not None
    if path is None or not rest or is_request:
        return
    router, around, _ = _chain(source, owner, place)
    if not path.startswith("/") and not (path == "" and (router is not None or around)):
        return
    handlers = [argument for argument in rest if argument.type in _HANDLERS]
    # `client.Post("/x", "application/json", body)` and `cache.Get("/x", &found)` are given what no route is.
    if not methods or len(handlers) < len(rest) or source.tree.text(rest[-1])[:1] == "&":
        return
    # echo lists its middleware behind the handler, everyone else before it.
    handler = rest[0] if "labstack/echo" in source.file.text else rest[-1]
    whole = join_route(around, path) if around else path
    _add(source, node, router, methods=methods, path=whole, handler=handler, place=place)


def _add(
    source: GoFile,
    node: Node,
    router: Router | None,
    *,
    methods: list[str],
    path: str,
    handler: Node,
    place: Place,
) -> None:
    source.routers.add(
        router, methods, path, source.handler(handler, place), source.tree.line(_word(source, node))
    )


def _word(source: GoFile, node: Node) -> Node:
    """Return the name of what is called: in a chain over several lines it stands on its own line."""
    return source.tree.field(source.tree.field(node, "function"), "field") or node


def _method_and_path(
    source: GoFile, node: Node, called: str, given: list[Node], place: Place
) -> tuple[list[str], str | None, list[Node]]:
    """Return methods, path and the arguments behind them; the path is None for what is no route."""
    if called == "Match" and len(given) > 2:
        return source.words(given[0]), source.strings.value(given[1]), given[2:]
    first = source.word(given[0]) if given else None
    if first is None:
        return [], None, []
    if called in ("Handle", "HandleFunc"):
        return _handled(source, node, given, first, place)
    if called in ("Method", "MethodFunc", "Add", "Handler", "HandlerFunc") and len(given) > 2:
        return [first.upper()], source.strings.value(given[1]), given[2:]
    is_verb = called.lower() in _VERBS and (called.isupper() or called.istitle())
    methods = [called.upper()] if is_verb else ["ANY"]
    return methods, first if is_verb or called in _ANY else None, given[1:]


def _handled(
    source: GoFile, node: Node, given: list[Node], first: str, place: Place
) -> tuple[list[str], str | None, list[Node]]:
    """Tell apart net/http's `"GET /x"` (since Go 1.22) and `"/x"`, and gin's `Handle("GET", "/x", f)`."""
    method, space, path = first.partition(" ")
    if space and method.isupper():
        return [method], path.strip(), given[1:]
    if len(given) > 2 and first.isupper():
        return [first], source.strings.value(given[1]), given[2:]
    return _restricted(source, node, place) or ["ANY"], first, given[1:]


def _restricted(source: GoFile, node: Node, place: Place) -> list[str]:
    """Return the methods of gorilla's `r.HandleFunc("/x", f).Methods("GET")`, wherever in the chain."""
    inner = node
    for around in reversed(place):
        owner, called, given = (
            call(source.tree, around) if around.type == "call_expression" else (None, "", [])
        )
        if owner is None or owner != inner:
            break
        if called == "Methods":
            return [word for word in map(source.word, given) if word]
        inner = around
    # The methods may also come first: `r.Methods("GET").HandleFunc(...)`.
    return []
