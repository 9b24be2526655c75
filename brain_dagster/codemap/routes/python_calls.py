"""What the readers of Python sources share: calls taken apart, classes with their methods, names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes.handlers import handler_of, name_around
from brain_dagster.codemap.routes.routers import Router, RouterTable, then_entries
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import Place, SyntaxTree

_MAX_WRAPPERS = 8
VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")


class PythonFile:
    """A Python source while it is walked: its tree, its strings, the routers and classes met so far."""

    def __init__(self, tree: SyntaxTree, file: MappedFile) -> None:
        self.tree = tree
        self.file = file
        self.strings = Strings(tree)
        self.routers = RouterTable()
        self.patterns = RouterTable(join_patterns, rooted_pattern)
        self.restful: set[str] = set()

    def mentions(self, word: str) -> bool:
        """Whether a word occurs anywhere in the file: a cheap hint that a framework is in use."""
        return re.search(rf"\b{word}\b", self.file.text) is not None

    @cached_property
    def has_commands(self) -> bool:
        """Whether click or typer is in use, whose decorators have common names."""
        return self.mentions("(?:click|typer)")

    @cached_property
    def has_django(self) -> bool:
        """Whether `path(...)` means Django's."""
        return "django" in self.file.text or "urlpatterns" in self.file.text

    @cached_property
    def has_tornado(self) -> bool:
        """Whether a pair of a pattern and a class may be a route."""
        return self.mentions("tornado") or self.mentions("RequestHandler")

    @cached_property
    def is_view_of(self) -> dict[str, list[str]]:
        """The classes of this file and the HTTP verbs they have methods for, in their order."""
        found: dict[str, list[str]] = {}
        for node in self.tree.find("class_definition"):
            names = list(_method_names(self.tree, node))
            verbs = [name.removeprefix("on_") for name in names if name.removeprefix("on_") in VERBS]
            found[self.tree.field_text(node, "name")] = verbs
        return found

    @cached_property
    def pattern_lists(self) -> set[str]:
        """The names that this file gives to lists, which Django may include."""
        lists = (n for n in self.tree.find("assignment") if "list" in _type(self.tree.field(n, "right")))
        return {self.tree.short_text(self.tree.field(node, "left")) for node in lists}

    def views(self, name: str) -> list[tuple[str, str]]:
        """Return `(GET, Users.get)` for each verb that a class of this file answers; else ANY."""
        verbs = self.is_view_of.get(name.rpartition(".")[2], [])
        return [(verb.upper(), f"{name}.{verb}") for verb in verbs] or [("ANY", name)]

    def scopes(self, place: Place) -> list[int]:
        """Return the functions around a node as scopes of names, outermost first."""
        return [node.start_byte for node in place if node.type == "function_definition"]

    def router(self, owner: str, place: Place) -> Router | None:
        """Return the router a call is made on; aiohttp's `app.router` is the application itself."""
        return self.routers.find(owner.removesuffix(".router"), self.scopes(place)) or self.routers.find(
            owner, self.scopes(place)
        )

    def hide_parameters(self, function: Node) -> None:
        """Forget, inside a function, what its parameters' names mean outside of it."""
        listed = self.tree.field(function, "parameters")
        for parameter in listed.named_children if listed is not None else ():
            name = parameter if parameter.type == "identifier" else self.tree.field(parameter, "name")
            if name is None and parameter.named_children:
                name = parameter.named_children[0]
            if name is not None:
                self.routers.hide(self.tree.short_text(name), [function.start_byte])

    def qualified(self, definition: Node | None, place: Place) -> str:
        """Return `Class.method` for a method, the name for anything else."""
        name = self.tree.field_text(definition, "name")
        holder = next((node for node in reversed(place) if node.type.endswith("_definition")), None)
        if holder is not None and holder.type == "class_definition":
            return f"{self.tree.field_text(holder, 'name')}.{name}"
        return name

    def handler(self, node: Node | None, place: Place) -> str:
        """Return the handler an expression names, qualified if it belongs to the object around."""
        return handler_of(self.tree, node, name_around(self.tree, place, ("class_definition",)))

    def view_class(self, node: Node | None) -> str:
        """Return the class of `Users.as_view()`, however it is wrapped; empty for anything else."""
        for _ in range(_MAX_WRAPPERS):
            if node is None or node.type != "call":
                break
            owner, name = callee(self.tree, node)
            if name == "as_view" and owner:
                return owner
            positional, named = arguments(self.tree, node)
            if len(positional) != 1 or named:
                break
            node = positional[0]
        return ""

    def words(self, node: Node | None) -> list[str]:
        """Return the strings of a list, a tuple or a set, or the one string that stands in its place."""
        if node is None:
            return []
        single = self.strings.value(node)
        found = [single] if single else [self.strings.value(item) for item in node.named_children]
        return [word for word in found if word]

    def then_routes(self, found: Iterator[MapEntry]) -> Iterator[MapEntry]:
        """Yield what a walk finds, then the routes it collected."""
        yield from then_entries(then_entries(found, self.routers), self.patterns)


def _type(node: Node | None) -> str:
    return "" if node is None else node.type


def _method_names(tree: SyntaxTree, node: Node) -> Iterator[str]:
    body = tree.field(node, "body")
    for child in body.named_children if body is not None else ():
        inner = tree.field(child, "definition") if child.type == "decorated_definition" else child
        if inner is not None and inner.type == "function_definition":
            yield tree.field_text(inner, "name")


def join_patterns(*parts: str) -> str:
    """Join Django's patterns: it puts them one behind the other and adds no slash."""
    whole = ""
    for part in filter(None, parts):
        whole = f"{whole}{part.removeprefix('^')}" if whole else part
    return whole


def rooted_pattern(pattern: str) -> str:
    """Show a pattern as a path: it matches behind a slash that nobody writes; an anchored one stays."""
    return pattern if pattern.startswith("^") else f"/{pattern.removeprefix('/')}"


def arguments(tree: SyntaxTree, node: Node | None) -> tuple[list[Node], dict[str, Node]]:
    """Return the positional and the keyword arguments of a call."""
    listed = tree.field(node, "arguments")
    positional: list[Node] = []
    named: dict[str, Node] = {}
    for argument in listed.named_children if listed is not None else ():
        name, value = tree.field(argument, "name"), tree.field(argument, "value")
        if argument.type == "keyword_argument" and name is not None and value is not None:
            named[tree.text(name)] = value
        elif argument.type != "comment":
            positional.append(argument)
    return positional, named


def callee(tree: SyntaxTree, node: Node) -> tuple[str, str]:
    """Return what a call is made on and its last name: `app`, `get`; the first is empty for a plain name."""
    function = tree.field(node, "function") if node.type == "call" else node
    if function is not None and function.type == "attribute":
        return tree.short_text(tree.field(function, "object")), tree.field_text(function, "attribute")
    return "", tree.short_text(function)


def first_of(positional: Sequence[Node], named: dict[str, Node], *names: str) -> Node | None:
    """Return the first positional argument, or the first of these keyword arguments that is given."""
    if positional:
        return positional[0]
    return next((named[name] for name in names if name in named), None)
