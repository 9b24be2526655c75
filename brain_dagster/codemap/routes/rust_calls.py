"""What the readers of Rust sources share: chains of calls taken apart, routers in scope."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile
from brain_dagster.codemap.routes.routers import RouterTable
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import Place, SyntaxTree, join_route

AROUND = ("call_expression", "let_declaration", "function_item")
# Route tables are written as one chain; the longest seen has some hundred links.
_MAX_CHAIN = 2_000


def join_nested(*parts: str) -> str:
    """Join as axum and Rocket do: `/` below `/users` is `/users`."""
    *before, last = parts
    return join_route(*before) if last == "/" and any(before) else join_route(*parts)


class RustFile:
    """A Rust source while it is walked: its tree, its strings, the routers met so far."""

    def __init__(self, tree: SyntaxTree, file: MappedFile) -> None:
        self.tree = tree
        self.file = file
        self.strings = Strings(tree)
        self.routers = RouterTable(join_nested)
        self._roots: dict[int, Node | None] = {}

    def scopes(self, place: Place) -> list[int]:
        """Return the functions around a node as scopes of names, outermost first."""
        return [node.start_byte for node in place if node.type == "function_item"]

    def call(self, node: Node) -> tuple[Node | None, str, list[Node]]:
        """Return what a call is made on, the last name of what is called, and its arguments."""
        function, listed = self.tree.field(node, "function"), self.tree.field(node, "arguments")
        given = [c for c in listed.named_children if "comment" not in c.type] if listed is not None else []
        if function is not None and function.type == "generic_function":
            function = self.tree.field(function, "function")
        if function is not None and function.type == "field_expression":
            return self.tree.field(function, "value"), self.tree.field_text(function, "field"), given
        return None, self.tree.short_text(function).rpartition("::")[2], given

    def chain(self, node: Node | None) -> Iterator[Node]:
        """Yield the calls of `a().b().c()` from the last to the first."""
        for _ in range(_MAX_CHAIN):
            if node is None or node.type != "call_expression":
                return
            yield node
            node = self.call(node)[0]

    def root(self, node: Node | None) -> Node | None:
        """Return what a chain begins with: its first call, or the name that call is made on."""
        if node is not None and node.id in self._roots:
            return self._roots[node.id]
        calls = list(self.chain(node))
        root = (self.call(calls[-1])[0] or calls[-1]) if calls else node
        # Every link of a chain asks, and all have the same answer.
        self._roots.update((link.id, root) for link in calls)
        return root
