"""What the readers of scripts share: calls and objects taken apart, names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile
from brain_dagster.codemap.routes.handlers import handler_of, name_around
from brain_dagster.codemap.routes.routers import Router, RouterTable
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree

FUNCTIONS = ("function_declaration", "arrow_function", "function_expression", "function", "method_definition")
CLASSES = ("class_declaration", "class", "abstract_class_declaration")


class ScriptFile:
    """A script while it is walked: its tree, its strings, the routers met so far."""

    def __init__(self, tree: SyntaxTree, file: MappedFile) -> None:
        self.tree = tree
        self.file = file
        self.strings = Strings(tree)
        self.routers = RouterTable()
        self.made_at: dict[int, Router] = {}
        self.queues: dict[str, str] = {}

    def mentions(self, word: str) -> bool:
        """Whether a word occurs anywhere in the file: a cheap hint that a library is in use."""
        return re.search(rf"\b{word}\b", self.file.text) is not None

    def scopes(self, place: Place) -> list[int]:
        """Return the functions around a node as scopes of names, outermost first."""
        return [node.start_byte for node in place if node.type in FUNCTIONS]

    def router(self, name: str, place: Place) -> Router | None:
        """Return the router of this file that a name means here."""
        return self.routers.find(name, self.scopes(place))

    def handler(self, node: Node | None, place: Place) -> str:
        """Return the handler an expression names, qualified if it belongs to the object around."""
        return handler_of(self.tree, node, name_around(self.tree, place, CLASSES))

    def words(self, node: Node | None) -> list[str]:
        """Return the strings of an array, or the one string that stands in its place."""
        if node is None:
            return []
        if node.type == "regex":
            return [self.tree.short_text(node)]
        single = self.strings.value(node)
        found = [single] if single is not None else []
        if node.type == "array":
            found = [word for word in map(self.strings.value, node.named_children) if word is not None]
        return found


def arguments(tree: SyntaxTree, node: Node | None) -> list[Node]:
    """Return the arguments of a call, or of `new`, or of a decorator's call."""
    listed = tree.field(node, "arguments")
    return [child for child in listed.named_children if child.type != "comment"] if listed is not None else []


def member(tree: SyntaxTree, node: Node) -> tuple[Node | None, str]:
    """Return what a call is made on and the name of what is called."""
    called = tree.field(node, "function")
    if called is not None and called.type == "member_expression":
        return tree.field(called, "object"), tree.field_text(called, "property")
    return None, tree.short_text(called)


def properties(tree: SyntaxTree, node: Node | None) -> dict[str, Node]:
    """Return the members of an object literal; a method stands for itself, as does a name alone."""
    found: dict[str, Node] = {}
    for child in node.named_children if node is not None and node.type == "object" else ():
        value = tree.field(child, "value") if child.type == "pair" else child
        name = tree.field(child, "key") or tree.field(child, "name") or child
        if value is not None:
            found[tree.short_text(name).strip("\"'")] = value
    return found


def function_name(tree: SyntaxTree, node: Node) -> str:
    """Return the name of a function given in place, or that it has none."""
    return tree.field_text(node, "name") or INLINE


def parameters(tree: SyntaxTree, function: Node) -> Iterator[str]:
    """Yield the plain names of a function's parameters, in order; empty for one that is taken apart."""
    single = tree.field(function, "parameter")
    listed = tree.field(function, "parameters")
    for child in [single] if single is not None else listed.named_children if listed is not None else ():
        name = tree.field(child, "pattern") or tree.field(child, "left") or child
        yield tree.short_text(name) if name.type == "identifier" else ""
