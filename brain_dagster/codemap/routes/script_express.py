"""Routes by call: Express, Koa, Fastify, Hono, Hapi and what follows their shape; mounting included."""

from __future__ import annotations

import re

from tree_sitter import Node

from brain_dagster.codemap.routes.routers import Router
from brain_dagster.codemap.routes.script_calls import (
    FUNCTIONS,
    ScriptFile,
    arguments,
    member,
    parameters,
    properties,
)
from brain_dagster.codemap.syntax import INLINE, Place

_METHODS = {"get", "post", "put", "patch", "delete", "del", "head", "options", "all", "ws"}
_VERBS = {"all": "ANY", "del": "DELETE", "ws": "WEBSOCKET"}
_MAKES_ROUTER = re.compile(
    r"^(?:new\s+)?(?:[\w.]+\.)?(?:express|fastify|Fastify|Router|router|KoaRouter|Hono|OpenAPIHono|polka|restify"
    r"|createServer|require\(['\"](?:express|fastify|koa-router|@koa/router)['\"]\)(?:\.Router)?)"
    r"\s*(?:<[^>]*>)?\s*\("
)
_ROUTER_NAME = re.compile(
    r"^(?:this\.|self\.|that\.|exports\.)?_?(?:app|router|server|fastify|\w+(?:App|Router))$"
)
# What a browser calls `router` sends requests with the same words.
_OF_BROWSERS = r"(?:inertiajs|vue-router|react-router|angular)"
_NO_HANDLERS = {"object", "string", "number", "template_string", "true", "false", "null", "array"}
_MAX_CHAIN = 50


def note_router(source: ScriptFile, node: Node, place: Place) -> None:
    """Remember `const users = express.Router()`, with the prefix that Koa and Hono give in place."""
    name_field, value_field = ("name", "value") if node.type == "variable_declarator" else ("left", "right")
    value = source.tree.field(node, value_field)
    name = source.tree.short_text(source.tree.field(node, name_field))
    if value is None or not name:
        return
    if value.type in FUNCTIONS:
        _note_plugin(source, name, value)
        return
    root = _first_call(source, value)
    if root is None or not _MAKES_ROUTER.match(source.tree.text(root)[:120]):
        return
    options = [properties(source.tree, given) for given in arguments(source.tree, root)]
    own = next((option["prefix"] for option in options if "prefix" in option), None)
    prefix = source.strings.value(own) or _base_path(source, value)
    router = source.routers.make(name, source.scopes(place), prefix)
    router.is_made = True
    # Routes may be chained to the very call that makes it, `new Hono().get(...)`.
    source.made_at[root.start_byte] = router


def _first_call(source: ScriptFile, value: Node) -> Node | None:
    """Return the call or the `new` that a chain begins with."""
    root, _ = _root(source, value)
    return root if root is not None and root.type in ("call_expression", "new_expression") else None


def _base_path(source: ScriptFile, value: Node) -> str:
    """Return the prefix of Hono's `new Hono().basePath("/api")`."""
    node: Node | None = value
    for _ in range(_MAX_CHAIN):
        if node is None or node.type != "call_expression":
            break
        owner, called = member(source.tree, node)
        given = arguments(source.tree, node)
        if called == "basePath" and given:
            return source.strings.value(given[0]) or ""
        node = owner
    return ""


def _note_plugin(source: ScriptFile, name: str, function: Node) -> None:
    """Remember `const plugin = async (fastify) => {...}` for the place that registers it."""
    first = next(parameters(source.tree, function), "")
    if first:
        source.routers.alias(first, [function.start_byte], source.routers.find_or_make(f"{name}()", ()))


def read_call(source: ScriptFile, node: Node, place: Place) -> None:
    """Take the route that a call declares, or the router that it mounts."""
    owner, called = member(source.tree, node)
    if owner is None:
        return
    if called in _METHODS:
        _read_route(source, node, owner, called, place)
    elif called in ("use", "register", "route", "mount"):
        _read_mount(source, node, owner, called, place)


def _read_route(source: ScriptFile, node: Node, owner: Node, called: str, place: Place) -> None:
    root, chained = _root(source, owner)
    router = _router(source, root, place)
    is_router = _is_router(source, root, place)
    # The parameter of a plugin is a router if the plugin is registered on one, perhaps further down.
    if not is_router and router is None:
        return
    given = arguments(source.tree, node)
    paths = chained if chained is not None else source.words(given[0]) if given else []
    rest = given if chained is not None else given[1:]
    # `app.get("title")` reads a setting and `client.get("/x", {...})` sends a request: neither is a route.
    paths = [path for path in paths if path.startswith(("/", "*"))]
    handler = _handler(source, rest[-1], place) if rest else None
    if not paths or handler is None:
        return
    called_name = source.tree.field(source.tree.field(node, "function"), "property")
    at = called_name or node
    for path in paths:
        method = _VERBS.get(called, called.upper())
        line, column = source.tree.line(at), at.start_byte
        source.routers.add(router, [method], path, handler, line, column=column, if_made=not is_router)


def _handler(source: ScriptFile, node: Node, place: Place) -> str | None:
    """Name the handler; None for an argument that cannot be one."""
    if node.type == "object":
        given = properties(source.tree, node).get("handler")
        return None if given is None else _named(source, given, place)
    return None if node.type in _NO_HANDLERS else _named(source, node, place)


def _named(source: ScriptFile, node: Node, place: Place) -> str:
    return INLINE if node.type == "method_definition" else source.handler(node, place)


def _root(source: ScriptFile, owner: Node | None) -> tuple[Node | None, list[str] | None]:
    """Return what a chain of calls begins with, and the paths of `.route("/x")` if it has that link."""
    chained: list[str] | None = None
    for _ in range(_MAX_CHAIN):
        if owner is None or owner.type != "call_expression":
            break
        inner, called = member(source.tree, owner)
        if inner is None or called not in (*_METHODS, "route", "use", "register", "basePath"):
            break
        if called == "route" and chained is None:
            given = arguments(source.tree, owner)
            chained = source.words(given[0]) if given else []
        owner = inner
    return owner, chained


def _is_router(source: ScriptFile, root: Node | None, place: Place) -> bool:
    if root is None:
        return False
    name = source.tree.short_text(root)
    router = source.router(name, place)
    if router is not None and router.is_made:
        return True
    if root.type in ("new_expression", "call_expression"):
        return _MAKES_ROUTER.match(source.tree.text(root)[:120]) is not None
    return _ROUTER_NAME.match(name) is not None and not source.mentions(_OF_BROWSERS)


def _router(source: ScriptFile, root: Node | None, place: Place) -> Router | None:
    if root is not None and root.start_byte in source.made_at and root.type != "identifier":
        return source.made_at[root.start_byte]
    return source.router(source.tree.short_text(root), place)


def _read_mount(source: ScriptFile, node: Node, owner: Node, called: str, place: Place) -> None:
    """Read `app.use("/x", auth, users)`, `fastify.register(plugin, {prefix})`, routes given as objects."""
    given = arguments(source.tree, node)
    root, _ = _root(source, owner)
    if called == "route" and given and given[0].type in ("object", "array"):
        _read_objects(source, given[0], root, place)
        return
    parent = _router(source, root, place)
    prefix = source.strings.value(given[0]) if given else None
    if called == "register":
        option = properties(source.tree, given[1]).get("prefix") if len(given) > 1 else None
        prefix = source.strings.value(option)
    for child in given:
        _mount(source, child, parent, prefix or "", place)


def _mount(source: ScriptFile, child: Node, parent: Router | None, prefix: str, place: Place) -> None:
    # Koa mounts `users.routes()`, Express `users`, Fastify a function that is given a router.
    if child.type in FUNCTIONS:
        first = next(parameters(source.tree, child), "")
        if first:
            inner = source.routers.make(first, [child.start_byte], prefix, parent)
            inner.is_made = parent is not None and parent.is_made
        return
    name = source.tree.short_text(child).removesuffix(".routes()")
    mounted = source.router(name, place) or source.routers.find(f"{name}()", ())
    if mounted is None and re.fullmatch(r"\w+", name):
        mounted = source.routers.find_or_make(f"{name}()", ())
    source.routers.mount(mounted, parent, prefix)


def _read_objects(source: ScriptFile, node: Node, root: Node | None, place: Place) -> None:
    """Read Fastify's `fastify.route({method, url, handler})` and Hapi's `server.route([{method, path}])`."""
    for item in [node] if node.type == "object" else node.named_children:
        options = properties(source.tree, item)
        paths = source.words(options.get("url") or options.get("path"))
        methods = source.words(options.get("method"))
        handler = options.get("handler")
        if not paths or not methods or not paths[0].startswith("/"):
            continue
        name = _named(source, handler, place) if handler is not None else ""
        verbs = [method.upper().replace("*", "ANY") for method in methods]
        source.routers.add(_router(source, root, place), verbs, paths[0], name, source.tree.line(item))
