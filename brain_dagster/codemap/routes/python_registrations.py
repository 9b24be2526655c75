"""Python routes by call: Starlette, Flask's rules, `add_...` of FastAPI and aiohttp, Falcon, mounting."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.routes.python_calls import VERBS, PythonFile, arguments, callee, first_of
from brain_dagster.codemap.routes.routers import Router
from brain_dagster.codemap.syntax import Place, join_route

_ROUTERS = {"APIRouter", "Blueprint", "Router", "APIBlueprint", "Namespace", "RouteTableDef", "FastAPI",
            "Flask", "Quart", "Sanic", "Starlette", "Application", "Bottle"}  # fmt: skip
_ROUTES = {"Route": "GET", "APIRoute": "GET", "WebSocketRoute": "WEBSOCKET", "APIWebSocketRoute": "WEBSOCKET"}
_ADDS = {
    "add_api_route": "GET",
    "add_route": "GET",
    "add_url_rule": "GET",
    "add_websocket_route": "WEBSOCKET",
    "add_api_websocket_route": "WEBSOCKET",
    "add_view": "ANY",
}
_FLASK_MOUNTS = {"register_blueprint", "blueprint"}
_MOUNTS = {"include_router", "mount", "add_subapp"}
_METHOD_NAMES = {*(verb.upper() for verb in VERBS), "*"}


def note_router(source: PythonFile, node: Node, place: Place) -> None:
    """Remember `bp = Blueprint("x", __name__, url_prefix="/x")` and the like."""
    made = source.tree.field(node, "right")
    if made is None or made.type != "call" or callee(source.tree, made)[1] not in _ROUTERS:
        return
    _, named = arguments(source.tree, made)
    prefix = source.strings.value(named.get("prefix") or named.get("url_prefix"))
    name = source.tree.short_text(source.tree.field(node, "left"))
    router = source.routers.make(name, source.scopes(place), prefix or "")
    # `Starlette(routes=routes)` hangs a list of routes, which is a router here, on the application.
    listed = source.tree.short_text(named.get("routes"))
    if listed.isidentifier():
        source.routers.mount(source.routers.find_or_make(listed, source.scopes(place)), router, "")


def read_call(source: PythonFile, node: Node, place: Place) -> None:
    """Take the route that a call registers, or the router that it mounts."""
    owner, name = callee(source.tree, node)
    if name in _ROUTES:
        _read_route(source, node, name, place)
    elif name in _ADDS and owner:
        _read_add(source, node, owner, name, place)
    elif name.startswith("add_") and name[4:] in (*VERBS, "resource") and owner:
        _read_verb(source, node, owner, name[4:], place)
    elif owner == "web" and name in (*VERBS, "view", "route"):
        _read_web(source, node, name, place)
    elif owner and (name in _FLASK_MOUNTS or name in _MOUNTS or name == "add_routes"):
        _read_mount(source, node, owner, name, place)
    elif name == "Mount":
        _read_listed_mount(source, node, place)


def _read_route(source: PythonFile, node: Node, name: str, place: Place) -> None:
    """Read `Route("/x", endpoint, methods=[...])` inside any `Mount` and any list with a name."""
    positional, named = arguments(source.tree, node)
    path = source.strings.value(first_of(positional, named, "path"))
    if path is None or not path.startswith("/"):
        return
    endpoint = named.get("endpoint") or (positional[1] if len(positional) > 1 else None)
    router, prefix = _list_around(source, place)
    methods = source.words(named.get("methods"))
    _add(
        source,
        node,
        place,
        router=router,
        methods=methods,
        by_default=_ROUTES[name],
        path=join_route(prefix, path),
        endpoint=endpoint,
    )


def _add(
    source: PythonFile,
    node: Node,
    place: Place,
    *,
    router: Router | None,
    methods: list[str],
    by_default: str,
    path: str,
    endpoint: Node | None,
) -> None:
    """Hang a route on a router; a class of views of this file tells its methods by its own."""
    view_class = source.view_class(endpoint)
    handler = view_class or _handler(source, endpoint, place)
    views = [(method.upper().replace("*", "ANY"), handler) for method in methods] or [(by_default, handler)]
    if not methods and (view_class or handler in source.is_view_of):
        views = source.views(handler)
    for method, view in views:
        source.routers.add(router, [method], path, view, source.tree.line(node))


def _handler(source: PythonFile, endpoint: Node | None, place: Place) -> str:
    """Name a handler; `Users()`, an object of a class of this file, is its class."""
    if endpoint is not None and endpoint.type == "call":
        owner, name = callee(source.tree, endpoint)
        if not owner and name in source.is_view_of:
            return name
    return source.handler(endpoint, place)


def _read_add(source: PythonFile, node: Node, owner: str, name: str, place: Place) -> None:
    """Read `add_url_rule`, `add_api_route` and every framework's own `add_route`."""
    positional, named = arguments(source.tree, node)
    given = source.strings.value(first_of(positional, named, "path", "rule", "url_rule", "uri"))
    methods = source.words(named.get("methods"))
    if given in _METHOD_NAMES and len(positional) > 1:
        methods, positional = [given], positional[1:]
        given = source.strings.value(positional[0])
    elif given is None and name == "add_route" and len(positional) > 1:
        # Sanic names the handler first.
        positional = [positional[1], positional[0], *positional[2:]]
        given = source.strings.value(positional[0])
    router = source.router(owner, place)
    if given is None or not (given.startswith("/") or (given == "" and router is not None)):
        return
    endpoint = named.get("view_func") or named.get("endpoint") or named.get("handler") or named.get("route")
    if name == "add_url_rule" and "view_func" not in named:
        endpoint = positional[2] if len(positional) > 2 else endpoint
    elif endpoint is None and len(positional) > 1:
        endpoint = positional[1]
    _add(
        source,
        node,
        place,
        router=router,
        methods=methods,
        by_default=_ADDS[name],
        path=given,
        endpoint=endpoint,
    )


def _read_verb(source: PythonFile, node: Node, owner: str, verb: str, place: Place) -> None:
    """Read aiohttp's `router.add_get("/x", f)` and Flask-RESTful's `api.add_resource(Users, "/users")`."""
    positional, named = arguments(source.tree, node)
    router = source.router(owner, place)
    if verb == "resource":
        for given in positional[1:]:
            path = source.strings.value(given)
            if path is not None and path.startswith("/"):
                _add(
                    source,
                    node,
                    place,
                    router=router,
                    methods=[],
                    by_default="ANY",
                    path=path,
                    endpoint=positional[0],
                )
        return
    path = source.strings.value(first_of(positional, named, "path"))
    handler = named.get("handler") or (positional[1] if len(positional) > 1 else None)
    if path is not None and path.startswith("/") and handler is not None:
        _add(
            source, node, place, router=router, methods=[verb], by_default="GET", path=path, endpoint=handler
        )


def _read_web(source: PythonFile, node: Node, verb: str, place: Place) -> None:
    """Read aiohttp's `web.get("/x", f)`, which stands in a list."""
    positional, _ = arguments(source.tree, node)
    method = source.strings.value(positional[0]) if verb == "route" and positional else None
    if method:
        positional = positional[1:]
    path = source.strings.value(positional[0]) if positional else None
    if path is None or not path.startswith("/") or len(positional) < 2:
        return
    router, prefix = _list_around(source, place)
    by_default = "ANY" if verb == "view" else verb.upper()
    methods = [method] if method else [] if verb == "view" else [verb]
    _add(
        source,
        node,
        place,
        router=router,
        methods=methods,
        by_default=by_default,
        path=join_route(prefix, path),
        endpoint=positional[1],
    )


def _list_around(source: PythonFile, place: Place) -> tuple[Router | None, str]:
    """Return the router that a route in a list hangs on, and the prefixes of the mounts around it."""
    prefix = ""
    for around in reversed(place):
        if around.type == "call":
            owner, name = callee(source.tree, around)
            if name == "Mount":
                positional, named = arguments(source.tree, around)
                said = source.strings.value(first_of(positional, named, "path"))
                prefix = join_route(said or "", prefix) if prefix else said or ""
            elif name == "add_routes":
                return source.router(owner, place), prefix
        elif around.type == "assignment":
            listed = source.tree.short_text(source.tree.field(around, "left"))
            return source.routers.find_or_make(listed, source.scopes(place)), prefix
        elif around.type == "function_definition":
            break
    return None, prefix


def _read_mount(source: PythonFile, node: Node, owner: str, name: str, place: Place) -> None:
    """Read `include_router(users, prefix="/users")`, `register_blueprint(bp)`, `mount("/x", app)`."""
    positional, named = arguments(source.tree, node)
    if name in ("mount", "add_subapp"):
        said = source.strings.value(first_of(positional, named, "path", "prefix"))
        child = positional[1] if len(positional) > 1 else named.get("app")
    else:
        said = source.strings.value(named.get("prefix") or named.get("url_prefix"))
        child = first_of(positional, named, "router", "blueprint", "routes")
    word = source.tree.short_text(child)
    if word.isidentifier() or word.startswith("self."):
        replaces = name in _FLASK_MOUNTS and said is not None
        mounted = source.routers.find(word, source.scopes(place))
        parent = source.router(owner, place)
        source.routers.mount(mounted, parent, said or "", replaces_own=replaces)


def _read_listed_mount(source: PythonFile, node: Node, place: Place) -> None:
    """Read `Mount("/x", routes=routes)` and `Mount("/x", app=app)` of something that has a name here."""
    positional, named = arguments(source.tree, node)
    said = source.strings.value(first_of(positional, named, "path"))
    child = named.get("routes") or named.get("app") or (positional[1] if len(positional) > 1 else None)
    word = source.tree.short_text(child)
    if said is None or not word.isidentifier():
        return
    router, prefix = _list_around(source, place)
    listed = source.routers.find_or_make(word, source.scopes(place))
    source.routers.mount(listed, router, join_route(prefix, said))
