"""Django: patterns with what is included around them, and the viewsets of REST framework's routers."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.routes.python_calls import PythonFile, arguments, callee, first_of, join_patterns
from brain_dagster.codemap.routes.routers import Router
from brain_dagster.codemap.syntax import Place

_PATTERNS = {"path", "re_path", "url"}
_RESTFUL = {"DefaultRouter", "SimpleRouter", "ExtendedDefaultRouter", "ExtendedSimpleRouter"}
_OWNERS = ("", "urls", "django.urls")
_ASSIGNMENTS = ("assignment", "augmented_assignment")


def note_router(source: PythonFile, node: Node) -> None:
    """Remember `router = DefaultRouter()`."""
    made = source.tree.field(node, "right")
    if made is not None and made.type == "call" and callee(source.tree, made)[1] in _RESTFUL:
        source.restful.add(source.tree.short_text(source.tree.field(node, "left")))


def read_call(source: PythonFile, node: Node, place: Place) -> None:
    """Take `path("x/", views.show)`; Django leaves the method to the view, so it is ANY."""
    if not source.has_django:
        return
    owner, name = callee(source.tree, node)
    if name in _PATTERNS and owner in _OWNERS:
        _read_pattern(source, node, name, place)
    elif name == "register" and owner in source.restful:
        _read_viewset(source, node, owner)


def _read_pattern(source: PythonFile, node: Node, name: str, place: Place) -> None:
    positional, named = arguments(source.tree, node)
    pattern = source.strings.value(first_of(positional, named, "route", "regex"))
    view = positional[1] if len(positional) > 1 else named.get("view")
    if pattern is None or view is None:
        return
    router, around = _around(source, place)
    whole = join_patterns(around, pattern)
    included = _included(source, view)
    if included is not None and _is_of_file(source, included):
        child = source.patterns.find_or_make(source.tree.short_text(included).removesuffix(".urls"), ())
        source.patterns.mount(child, router, whole)
    elif included is None or included.type not in ("list", "tuple"):
        detail = (
            (source.view_class(view) or source.handler(view, place))
            if included is None
            else f"include {source.tree.text(included)}"
        )
        source.patterns.add(router, ["ANY"], whole, detail, source.tree.line(node))


def _included(source: PythonFile, view: Node) -> Node | None:
    """Return what `include(...)` includes: a name, a list, or a string that names a module."""
    if view.type != "call" or callee(source.tree, view)[1] != "include":
        return None
    positional, named = arguments(source.tree, view)
    given = first_of(positional, named, "arg")
    # `include((patterns, "app_name"))`
    if given is not None and given.type == "tuple" and given.named_children:
        return given.named_children[0]
    return given


def _is_of_file(source: PythonFile, included: Node) -> bool:
    """Whether it is a list of patterns, or a router, that this file makes."""
    name = source.tree.short_text(included)
    return name.removesuffix(".urls") in source.restful or name in source.pattern_lists


def _around(source: PythonFile, place: Place) -> tuple[Router | None, str]:
    """Return the list that a pattern stands in, and the patterns of the includes around it."""
    whole = ""
    inside_include = False
    for around in reversed(place):
        if around.type == "call":
            name = callee(source.tree, around)[1]
            if name in _PATTERNS and inside_include:
                positional, named = arguments(source.tree, around)
                said = source.strings.value(first_of(positional, named, "route", "regex")) or ""
                whole = join_patterns(said, whole)
            inside_include = name == "include" or (inside_include and name not in _PATTERNS)
        elif around.type in _ASSIGNMENTS:
            listed = source.tree.short_text(source.tree.field(around, "left"))
            return source.patterns.find_or_make(listed, ()), whole
        else:
            break
    return None, whole


def _read_viewset(source: PythonFile, node: Node, owner: str) -> None:
    """Read `router.register("users", UserViewSet)`: what a viewset answers is told by its class alone."""
    positional, named = arguments(source.tree, node)
    prefix = source.strings.value(first_of(positional, named, "prefix"))
    viewset = named.get("viewset") or (positional[1] if len(positional) > 1 else None)
    if prefix is not None and viewset is not None:
        router = source.patterns.find_or_make(owner, ())
        path = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        source.patterns.add(router, ["ANY"], path, source.handler(viewset, ()), source.tree.line(node))
