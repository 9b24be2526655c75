"""What the readers of Go sources share: calls taken apart, receivers, routers in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile
from brain_dagster.codemap.routes.handlers import handler_of
from brain_dagster.codemap.routes.routers import Router, RouterTable
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree

FUNCTIONS = ("function_declaration", "method_declaration", "func_literal")


class GoFile:
    """A Go source while it is walked: its tree, its strings, the routers met so far."""

    def __init__(self, tree: SyntaxTree, file: MappedFile) -> None:
        self.tree = tree
        self.file = file
        self.strings = Strings(tree)
        self.routers = RouterTable()

    def mentions(self, word: str) -> bool:
        """Whether a word occurs anywhere in the file: a cheap hint that a library is in use."""
        return re.search(rf"\b{word}\b", self.file.text) is not None

    def scopes(self, place: Place) -> list[int]:
        """Return the functions around a node as scopes of names, outermost first."""
        return [node.start_byte for node in place if node.type in FUNCTIONS]

    def router(self, node: Node | None, place: Place) -> Router | None:
        """Return the router of this file that an expression names here."""
        return self.routers.find(self.tree.short_text(node), self.scopes(place))

    def word(self, node: Node | None) -> str | None:
        """Return a string, a constant of this file, or the method that `http.MethodGet` stands for."""
        text = self.tree.short_text(node)
        if text.startswith("http.Method"):
            return text.removeprefix("http.Method").upper()
        return self.strings.value(node)

    def words(self, node: Node | None) -> list[str]:
        """Return the strings of `[]string{"a", "b"}`."""
        body = self.tree.field(node, "body")
        items = [item.named_children[-1] if item.named_children else item for item in _items(body)]
        return [word for word in map(self.word, items) if word is not None]

    def handler(self, node: Node | None, place: Place) -> str:
        """Return the handler an expression names; a method of the receiver is `Type.method`."""
        if node is not None and node.type == "selector_expression":
            receiver, kind = receiver_of(self.tree, place)
            if receiver and self.tree.field_text(node, "operand") == receiver:
                return f"{kind}.{self.tree.field_text(node, 'field')}"
        if node is not None and node.type == "func_literal":
            return INLINE
        found = handler_of(self.tree, node)
        receiver, kind = receiver_of(self.tree, place)
        owner, _, method = found.partition(".")
        return f"{kind}.{method}" if receiver and owner == receiver and method.isidentifier() else found


def _items(body: Node | None) -> Iterator[Node]:
    for child in body.named_children if body is not None else ():
        if child.type != "comment":
            yield child


def call(tree: SyntaxTree, node: Node) -> tuple[Node | None, str, list[Node]]:
    """Return what a call is made on, the name of what is called, and its arguments."""
    function, listed = tree.field(node, "function"), tree.field(node, "arguments")
    given = (
        [child for child in listed.named_children if child.type != "comment"] if listed is not None else []
    )
    if function is not None and function.type == "selector_expression":
        return tree.field(function, "operand"), tree.field_text(function, "field"), given
    return None, tree.short_text(function), given


def parameters(tree: SyntaxTree, function: Node) -> Iterator[tuple[str, str]]:
    """Yield name and type of each parameter, in order."""
    listed = tree.field(function, "parameters")
    for declared in listed.named_children if listed is not None else ():
        kind = tree.field_text(declared, "type")[:100]
        for name in declared.children_by_field_name("name"):
            yield tree.short_text(name), kind


def receiver_of(tree: SyntaxTree, place: Place) -> tuple[str, str]:
    """Return name and type of the receiver of the method around a node; empty outside of methods."""
    method = next((node for node in reversed(place) if node.type == "method_declaration"), None)
    return receiver(tree, method)


def receiver(tree: SyntaxTree, method: Node | None) -> tuple[str, str]:
    """Return name and type of a method's receiver: `s`, `Server` for `func (s *Server) ...`."""
    text = tree.short_text(tree.field(method, "receiver"))
    named = re.fullmatch(r"\(\s*(?:(\w+)\s+)?\*?\s*(\w+)(?:\[.*\])?\s*\)", text)
    return (named.group(1) or "", named.group(2)) if named else ("", "")
