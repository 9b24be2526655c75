"""A walk over a syntax tree that carries down what holds inside a node.

Asking a node for its parent costs a walk from the root; on the deep trees of hostile files that adds up to
the square of their size. What is passed down costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile

Around = TypeVar("Around")


def walk(
    root: Node, file: MappedFile, inherit: Callable[[Node, Around], Around], start: Around
) -> Iterator[tuple[Node, Around]]:
    """Yield every named node, outer before inner, in source order, with what it inherits.

    `inherit(node, around)` returns what holds for the children of `node`.
    Errors  BudgetSpent when the file's time is over.
    """
    waiting = [(root, start)]
    while waiting:
        file.deadline.check()
        node, around = waiting.pop()
        yield node, around
        if node.named_child_count:
            inside = inherit(node, around)
            waiting.extend((child, inside) for child in reversed(node.named_children))
