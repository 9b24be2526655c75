"""Measures how much of a syntax tree is errors, without walking all of it (fault E7)."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

MAX_NODES = 2_000
MAX_CHILDREN = 20_000


def error_bytes(root: Node) -> int:
    """Return how many bytes the grammar could not place, as far as a limited search finds."""
    total = 0
    for node in _nodes_with_errors(root):
        if node.is_error:
            total += node.end_byte - node.start_byte
        elif node.is_missing:
            total += 1
    return total


def first_error_line(root: Node) -> int:
    """Return the line of the first syntax error that a limited search finds."""
    found = next((node for node in _nodes_with_errors(root) if _is_innermost(node, root)), root)
    return found.start_point.row + 1


def _is_innermost(node: Node, root: Node) -> bool:
    """An ERROR at the root only says that there is one somewhere inside, if there is."""
    if node.is_missing:
        return True
    return node.is_error and (node.id != root.id or not _with_errors(node))


def _nodes_with_errors(root: Node) -> Iterator[Node]:
    """Yield nodes that are or hold errors, in reading order; looks into no ERROR but the root."""
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        yield node
        if node.id == root.id or not node.is_error:
            stack.extend(reversed(_with_errors(node)))


def _with_errors(node: Node) -> list[Node]:
    if not node.has_error or node.child_count > MAX_CHILDREN:
        return []
    return [child for child in node.children if child.has_error or child.is_missing]
