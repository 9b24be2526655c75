"""Python routes by decorator: Flask, FastAPI, Quart, Sanic, Bottle, aiohttp's route tables, Flask-RESTX."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.routes.python_calls import VERBS, PythonFile, arguments, callee, first_of
from brain_dagster.codemap.syntax import Place

_ROUTES = {"route", "api_route", "view", "resource"}
# `@mock.patch("/etc/hosts")` replaces something while a test runs.
_MOCKS = {"mock", "mocker", "unittest.mock", "respx", "responses"}
_SOCKETS = {"websocket", "websocket_route"}


def read_decorator(source: PythonFile, call: Node, definition: Node, handler: str, place: Place) -> None:
    """Take the routes of one decorator, `@app.get("/x")`, over a function or a class of views."""
    owner, verb = callee(source.tree, call)
    if owner in _MOCKS or (verb not in VERBS and verb not in _ROUTES and verb not in _SOCKETS):
        return
    positional, named = arguments(source.tree, call)
    router = source.router(owner, place)
    # A path is what starts with a slash; a router of this file may add nothing to its own.
    paths = [
        path
        for path in _paths(source, first_of(positional, named, "path", "rule", "uri"), positional)
        if path.startswith("/") or (path == "" and router is not None)
    ]
    for path in paths:
        if definition.type == "class_definition":
            views = source.views(handler) if verb in _ROUTES else []
        else:
            methods = named.get("methods") or named.get("method")
            views = [(method, handler) for method in _methods(source, verb, methods)]
        for method, view in views:
            source.routers.add(router, [method], path, view, source.tree.line(call))


def _paths(source: PythonFile, given: Node | None, positional: list[Node]) -> list[str]:
    if given is None:
        return []
    # Flask-RESTX takes several paths, Odoo a list of them.
    if given.type in ("list", "tuple"):
        return source.words(given)
    paths = [source.strings.value(given), *(source.strings.value(other) for other in positional[1:])]
    return [path for path in paths if path is not None]


def _methods(source: PythonFile, verb: str, given: Node | None) -> list[str]:
    if verb in VERBS:
        return [verb.upper()]
    if verb in _SOCKETS:
        return ["WEBSOCKET"]
    by_default = "ANY" if verb == "view" else "GET"
    return [method.upper() for method in source.words(given)] or [by_default]
