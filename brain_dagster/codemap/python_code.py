"""Python sources: main guards, click and typer commands, and the routes of its web frameworks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.syntax import SyntaxTree, ancestors, handler_name, join_route

_HINT = re.compile(
    r"__main__|^[ \t]*@[ \t]*(?:[\w.]+\.)?(?:get|post|put|patch|delete|head|options|trace|route|api_route"
    r"|websocket|websocket_route|command|group)\b|\b(?:Route|WebSocketRoute|add_url_rule|add_api_route"
    r"|add_route|urlpatterns)\b",
    re.MULTILINE,
)
_METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "trace"}
_ROUTERS = {"APIRouter", "Blueprint", "Router", "APIBlueprint"}
_ROUTE_CALLS = {"Route": "GET", "WebSocketRoute": "WEBSOCKET", "add_url_rule": "GET", "add_api_route": "GET",
                "add_route": "GET"}  # fmt: skip
_DJANGO_CALLS = {"path", "re_path", "url"}
_KINDS = ("decorated_definition", "assignment", "call", "if_statement")


def map_python(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Python source; files without a trace of entry point or route are not parsed."""
    if file.name == "__main__.py":
        yield MapEntry("entry_point", file.name, "runs with python -m", 1)
    if _HINT.search(file.text) is None:
        return
    tree = SyntaxTree("python", file)
    has_django = "django" in file.text or "urlpatterns" in file.text
    has_commands = re.search(r"\b(?:click|typer)\b", file.text) is not None
    prefixes: dict[str, str] = {}
    for node in tree.find(*_KINDS):
        if node.type == "assignment":
            _note_router(tree, node, prefixes)
        elif node.type == "if_statement":
            yield from _main_guard(tree, node, file)
        elif node.type == "call":
            yield from _route_call(tree, node, prefixes)
            yield from _django_route(tree, node) if has_django else ()
        else:
            yield from _decorated(tree, node, prefixes, has_commands)


def _main_guard(tree: SyntaxTree, node: Node, file: MappedFile) -> Iterator[MapEntry]:
    condition = "".join(tree.field_text(node, "condition").split()).replace("'", '"').strip("()")
    is_guard = condition in ('__name__=="__main__"', '"__main__"==__name__')
    if is_guard and node.parent is not None and node.parent.type == "module":
        yield MapEntry("entry_point", file.name, 'if __name__ == "__main__"', tree.line(node))


def _arguments(tree: SyntaxTree, node: Node | None) -> tuple[list[Node], dict[str, Node]]:
    """Return the positional and the keyword arguments of a call."""
    listed = node.child_by_field_name("arguments") if node is not None else None
    positional: list[Node] = []
    named: dict[str, Node] = {}
    for argument in listed.named_children if listed is not None else ():
        name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
        if argument.type == "keyword_argument" and name is not None and value is not None:
            named[tree.text(name)] = value
        elif argument.type != "comment":
            positional.append(argument)
    return positional, named


def _callee(tree: SyntaxTree, node: Node) -> tuple[str, str]:
    """Return what a call is made on and its last name: `app`, `get`; the first is empty for a plain name."""
    function = tree.field(node, "function")
    if function is not None and function.type == "attribute":
        return tree.field_text(function, "object"), tree.field_text(function, "attribute")
    return "", tree.text(function)


def _note_router(tree: SyntaxTree, node: Node, prefixes: dict[str, str]) -> None:
    made = tree.field(node, "right")
    if made is None or made.type != "call" or _callee(tree, made)[1] not in _ROUTERS:
        return
    _, named = _arguments(tree, made)
    prefix = tree.literal(named.get("prefix") or named.get("url_prefix"))
    prefixes[tree.field_text(node, "left")] = prefix or ""


def _decorated(
    tree: SyntaxTree, node: Node, prefixes: dict[str, str], has_commands: bool
) -> Iterator[MapEntry]:
    handler = tree.field_text(tree.field(node, "definition"), "name")
    for decorator in (child for child in node.named_children if child.type == "decorator"):
        call = decorator.named_children[0] if decorator.named_children else None
        if call is None:
            continue
        owner, verb = _callee(tree, call) if call.type == "call" else _split(tree.text(call))
        if has_commands and owner and verb in ("command", "group"):
            yield _command(tree, call, verb, handler, tree.line(decorator))
        elif call.type == "call":
            for name in _decorator_routes(tree, call, owner, verb, prefixes):
                yield MapEntry("route", name, handler, tree.line(decorator))


def _split(dotted: str) -> tuple[str, str]:
    owner, _, name = dotted.rpartition(".")
    return owner, name


def _command(tree: SyntaxTree, call: Node, verb: str, handler: str, line: int) -> MapEntry:
    positional, named = _arguments(tree, call if call.type == "call" else None)
    given = named.get("name") or (positional[0] if positional else None)
    name = tree.literal(given) or handler.replace("_", "-")
    return MapEntry("entry_point", name, f"command line {verb}: {handler}", line)


def _decorator_routes(
    tree: SyntaxTree, call: Node, owner: str, verb: str, prefixes: dict[str, str]
) -> Iterator[str]:
    positional, named = _arguments(tree, call)
    path = tree.literal(positional[0] if positional else named.get("path") or named.get("rule"))
    # A path is what starts with a slash; a router that has a prefix may add nothing to it.
    if path is None or not (path.startswith("/") or (path == "" and owner in prefixes)):
        return
    if verb in _METHODS:
        methods = [verb.upper()]
    elif verb in ("websocket", "websocket_route"):
        methods = ["WEBSOCKET"]
    elif verb in ("route", "api_route"):
        methods = _methods(tree, named.get("methods") or named.get("method")) or ["GET"]
    else:
        return
    for method in methods:
        yield f"{method} {join_route(prefixes.get(owner, ''), path)}"


def _methods(tree: SyntaxTree, node: Node | None) -> list[str]:
    if node is None:
        return []
    single = tree.literal(node)
    found = [single] if single else [tree.literal(item) for item in node.named_children]
    return [method.upper() for method in found if method]


def _route_call(tree: SyntaxTree, node: Node, prefixes: dict[str, str]) -> Iterator[MapEntry]:
    """Read `Route("/x", endpoint, methods=[...])`, inside any `Mount`, and `app.add_..._route("/x", f)`."""
    owner, name = _callee(tree, node)
    if name not in _ROUTE_CALLS:
        return
    positional, named = _arguments(tree, node)
    path = tree.literal(positional[0] if positional else named.get("path") or named.get("rule"))
    if path is None or not path.startswith("/"):
        return
    handler = named.get("endpoint") if name != "add_url_rule" else named.get("view_func")
    if handler is None and len(positional) > 1:
        handler = positional[2 if name == "add_url_rule" and len(positional) > 2 else 1]
    whole = join_route(prefixes.get(owner, ""), *reversed(list(_mounts(tree, node))), path)
    for method in _methods(tree, named.get("methods")) or [_ROUTE_CALLS[name]]:
        yield MapEntry("route", f"{method} {whole}", handler_name(tree.text(handler)), tree.line(node))


def _mounts(tree: SyntaxTree, node: Node) -> Iterator[str]:
    for around in ancestors(node):
        if around.type == "call" and _callee(tree, around)[1] == "Mount":
            positional, named = _arguments(tree, around)
            yield tree.literal(positional[0] if positional else named.get("path")) or ""


def _django_route(tree: SyntaxTree, node: Node) -> Iterator[MapEntry]:
    """Read `path("x/", views.show)`; Django leaves the method to the view, so it is ANY."""
    owner, name = _callee(tree, node)
    positional, _ = _arguments(tree, node)
    if owner not in ("", "urls") or name not in _DJANGO_CALLS or len(positional) < 2:
        return
    pattern = tree.literal(positional[0])
    if pattern is None:
        return
    view = tree.text(positional[1])
    if view.endswith(".as_view()"):
        view = view.removesuffix(".as_view()")
    included = re.fullmatch(r"include\((.*)\)", view, re.DOTALL)
    detail = f"include {included.group(1)}" if included else handler_name(view)
    yield MapEntry(
        "route", f"ANY {join_route(pattern) if name == 'path' else pattern}", detail, tree.line(node)
    )
