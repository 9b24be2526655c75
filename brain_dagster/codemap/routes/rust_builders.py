"""Rust routes by call: axum's `Router::new().route("/x", get(f))` and actix-web's scopes and resources."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.routes.routers import Router
from brain_dagster.codemap.routes.rust_calls import RustFile
from brain_dagster.codemap.syntax import INLINE, Place, handler_name, join_route

_VERBS = {"get", "post", "put", "patch", "delete", "head", "options", "trace", "connect"}
_BEGINS = {"scope", "resource"}


def note_router(source: RustFile, node: Node, place: Place) -> None:
    """Remember `let users = Router::new()...`, which the function around may return or nest."""
    value = source.tree.field(node, "value")
    name = source.tree.short_text(source.tree.field(node, "pattern")).removeprefix("mut ").strip()
    if value is None or value.type != "call_expression" or not name.isidentifier():
        return
    root = source.root(value)
    text = source.tree.short_text(root)
    if root is not None and root.type == "call_expression" and text.endswith(("Router::new()", "App::new()")):
        router = source.routers.make(name, source.scopes(place))
        router.holder = source.routers.find_or_make(_function(source, place), ())
    elif text.isidentifier():
        known = source.routers.find(text, source.scopes(place))
        if known is not None:
            source.routers.rename(name, source.scopes(place), known)


def _function(source: RustFile, place: Place) -> str:
    around = next((node for node in reversed(place) if node.type == "function_item"), None)
    return f"{source.tree.field_text(around, 'name')}()"


def read_call(source: RustFile, node: Node, place: Place) -> None:
    """Take the route that a call registers, or the router that it nests."""
    owner, called, given = source.call(node)
    if owner is None:
        return
    if called == "route" and given:
        _read_route(source, node, owner, given, place)
    elif called in ("nest", "merge", "nest_service", "service"):
        _read_mount(source, node, owner, place)
    elif called == "to" and given:
        _read_resource(source, node, owner, given, place)


def _read_route(source: RustFile, node: Node, owner: Node, given: list[Node], place: Place) -> None:
    router, prefix = _place(source, node, owner, place)
    path = source.strings.value(given[0]) if len(given) > 1 else ""
    if (
        path is None
        or (path and not path.startswith("/"))
        or (len(given) == 1 and not _is_resource(source, owner))
    ):
        return
    for verb, handler, at in _answers(source, given[-1]):
        whole = join_route(prefix, path) if prefix else path
        line = source.tree.line(at)
        source.routers.add(router, [verb], whole, handler, line, column=at.start_byte)


def _read_resource(source: RustFile, node: Node, owner: Node, given: list[Node], place: Place) -> None:
    """Read actix-web's `web::resource("/x").to(f)`, which answers every method."""
    if _is_resource(source, owner):
        router, prefix = _place(source, node, owner, place)
        source.routers.add(router, ["ANY"], prefix, _name(source, given[0]), source.tree.line(node))


def _is_resource(source: RustFile, owner: Node) -> bool:
    root = source.root(owner)
    return root is not None and root.type == "call_expression" and source.call(root)[1] == "resource"


def _answers(source: RustFile, node: Node) -> list[tuple[str, str, Node]]:
    """Return verb, handler and place for each link of `get(show).post(add)` and `web::get().to(show)`."""
    found: list[tuple[str, str, Node]] = []
    handler = ""
    for link in source.chain(node):
        _, called, given = source.call(link)
        # A chain starts where its first link does; the line is that of the link's own name.
        at = source.tree.field(source.tree.field(link, "function"), "field") or link
        verb = called.removesuffix("_service")
        if called == "to" and given:
            handler = _name(source, given[0])
        elif called == "method" and given and handler:
            found.append((source.tree.short_text(given[0]).rpartition("::")[2].upper(), handler, at))
        elif verb in _VERBS or verb in ("any", "route"):
            name = _name(source, given[0]) if given else handler
            if name and not (verb == "route" and found):
                found.append((verb.upper() if verb in _VERBS else "ANY", name, at))
    return found[::-1]


def _name(source: RustFile, node: Node) -> str:
    text = source.tree.short_text(node)
    return INLINE if node.type == "closure_expression" or not text else handler_name(text)


def _place(source: RustFile, node: Node, owner: Node, place: Place) -> tuple[Router | None, str]:
    """Return the router that a chain hangs on, and the prefixes of scopes and nests it stands in."""
    prefix = _begin(source, owner)
    root = source.root(owner)
    name = source.tree.short_text(root)
    if name.isidentifier():
        return source.routers.find(name, source.scopes(place)), prefix
    for around in reversed(place):
        if around.type == "let_declaration":
            let = source.tree.short_text(source.tree.field(around, "pattern")).removeprefix("mut ").strip()
            return source.routers.find(let, source.scopes(place)), prefix
        if around.type == "function_item":
            return source.routers.find_or_make(f"{source.tree.field_text(around, 'name')}()", ()), prefix
        listed = source.tree.field(around, "arguments")
        # The links behind this one in its own chain are around it too, but do not hold it.
        if listed is None or listed.start_byte > node.start_byte:
            continue
        outer, called, given = source.call(around)
        if called == "nest" and given:
            prefix = (
                join_route(source.strings.value(given[0]) or "", prefix)
                if prefix
                else source.strings.value(given[0]) or ""
            )
        elif called == "service":
            begun = _begin(source, outer)
            prefix = join_route(begun, prefix) if begun else prefix
    return None, prefix


def _begin(source: RustFile, owner: Node | None) -> str:
    """Return the path that a chain begins with: `web::scope("/x")`, `web::resource("/x")`."""
    root = source.root(owner)
    if root is None or root.type != "call_expression":
        return ""
    _, called, given = source.call(root)
    return source.strings.value(given[0]) or "" if called in _BEGINS and given else ""


def _read_mount(source: RustFile, node: Node, owner: Node, place: Place) -> None:
    """Read `nest("/users", users)`, `merge(admin())`, and `service(show)` of a function with an attribute."""
    _, called, given = source.call(node)
    prefix = source.strings.value(given[0]) if called.startswith("nest") and len(given) > 1 else ""
    child = given[-1] if given else None
    name = source.tree.short_text(child)
    if prefix is None or child is None:
        return
    router, around = _place(source, node, owner, place)
    whole = join_route(around, prefix) if around and prefix else around or prefix
    if called == "service":
        source.routers.mount(
            source.routers.find_or_make(f"#{name}", ()) if name.isidentifier() else None, router, whole
        )
        return
    mounted = source.routers.find(name, source.scopes(place)) if name.isidentifier() else None
    if name.endswith("()") and name[:-2].isidentifier():
        mounted = source.routers.find_or_make(name, ())
    source.routers.mount(mounted, router, whole)
