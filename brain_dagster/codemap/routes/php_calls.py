"""What the readers of PHP sources share: calls and their chains, arguments, actions."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, handler_name

CALLS = ("scoped_call_expression", "member_call_expression")
CLASSES = ("class_declaration",)
CLOSURES = ("anonymous_function", "anonymous_function_creation_expression", "arrow_function")
_MAX_CHAIN = 50


class PhpFile:
    """A PHP source while it is walked: its tree and its strings."""

    def __init__(self, tree: SyntaxTree, file: MappedFile) -> None:
        self.tree = tree
        self.file = file
        self.strings = Strings(tree)

    def arguments(self, node: Node) -> list[Node]:
        """Return the values of a call's arguments."""
        listed = self.tree.field(node, "arguments")
        arguments = [child for child in listed.named_children if child.type == "argument"] if listed else []
        return [argument.named_children[-1] for argument in arguments if argument.named_children]

    def chain(self, node: Node | None) -> Iterator[Node]:
        """Yield the calls of `Route::a()->b()->c()` from the last to the first."""
        for _ in range(_MAX_CHAIN):
            if node is None or node.type not in CALLS:
                return
            yield node
            node = self.tree.field(node, "object")

    def words(self, node: Node | None) -> list[str]:
        """Return the strings of an array, its keys left out, or the one string that stands in its place."""
        if node is None:
            return []
        single = self.strings.value(node)
        if single is not None:
            return [single]
        items = [item.named_children[-1] for item in node.named_children if item.named_children]
        return [word for word in map(self.strings.value, items) if word is not None]

    def methods(self, node: Node) -> Iterator[Node]:
        """Yield the methods of a class."""
        body = self.tree.field(node, "body")
        yield from (
            c for c in (body.named_children if body is not None else ()) if c.type == "method_declaration"
        )

    def action(self, node: Node) -> str:
        """Name a handler: `[UserController::class, 'show']` and `'UserController@show'` read the same."""
        if node.type in CLOSURES:
            return INLINE
        plain = self.tree.literal(node)
        if plain is not None:
            return plain
        text = self.tree.short_text(node)
        parts = [part.strip(" \"'\n").removesuffix("::class") for part in text.strip("[] \n").split(",")]
        return handler_name("@".join(filter(None, parts)))
