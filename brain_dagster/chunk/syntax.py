"""Reads syntax trees with a language's row of the table: which statements declare what, and its name.

No function here calls itself, and every node looked at is counted: trees come from hostile files (E6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, cast

from tree_sitter import Node
from tree_sitter_language_pack import get_parser

from brain_dagster.chunk.languages import Language

MAX_NODES = 500_000
MAX_CHILDREN = 200_000  # of one node: the binding makes a list of them, some 100 bytes each
MAX_DEPTH = 256
SEARCH_NODES = 400  # how far a path looks for a descendant
IMPORT_BYTES = 2_000
HEADER_CHARS = 120  # a header places a chunk; twenty parameters with defaults only crowd it out
_TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<[^<>]*>")


class OverBudget(Exception):
    """The tree is larger or deeper than the chunker is willing to read."""


class Role(StrEnum):
    """What a statement is to the chunker."""

    UNIT = "unit"
    CONTAINER = "container"
    NAMESPACE = "namespace"
    VALUE = "value"
    IMPORT = "import"
    COMMENT = "comment"
    ATTRIBUTE = "attribute"
    OTHER = "other"


DECLARED = frozenset((Role.UNIT, Role.CONTAINER, Role.NAMESPACE))


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a scope.

    node      the whole statement, its wrappers included
    inner     the declaration inside the wrappers; the node itself where there are none
    is_open   the statement's parts follow as statements of their own (an `#ifdef`, an ERROR node)
    modules   what an import imports, as written
    """

    node: Node
    inner: Node
    role: Role
    name: str = ""
    is_open: bool = False
    modules: tuple[str, ...] = ()


class SyntaxReader:
    """The tree of one text and what the language's row makes of it."""

    def __init__(self, language: Language, content: bytes) -> None:
        self.language = language
        # A lone \r ends a line here, but starts none for most grammars (E4). Offsets stay as they are.
        self.content = re.sub(rb"\r(?!\n)", b"\n", content)
        tree = get_parser(cast(Any, language.grammar)).parse(self.content)
        self.root = tree.root_node
        self._left = MAX_NODES

    def spend(self, nodes: int = 1) -> None:
        """Count nodes looked at; raises OverBudget."""
        self._left -= nodes
        if self._left < 0:
            raise OverBudget(f"more than {MAX_NODES:,} nodes to look at")

    def children(self, node: Node) -> list[Node]:
        """Return the named children of a node; raises OverBudget."""
        count = node.named_child_count
        if count > MAX_CHILDREN:
            raise OverBudget(f"a node with {count:,} parts at line {node.start_point.row + 1}")
        self.spend(count)
        return node.named_children

    def statements(self, nodes: Sequence[Node]) -> Iterator[Statement]:
        """Yield the statements of a scope in order, looking through what may hold declarations."""
        stack = [iter(nodes)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            if (node.is_error or node.type in self.language.transparent) and self._holds_declarations(node):
                if len(stack) > MAX_DEPTH:
                    raise OverBudget(f"nested deeper than {MAX_DEPTH} at line {node.start_point.row + 1}")
                yield Statement(node, node, Role.OTHER, is_open=True)
                stack.append(iter(self.children(node)))
            else:
                yield self.classify(node)

    def classify(self, node: Node) -> Statement:
        """Return what a statement is and what it declares."""
        kind = node.type
        if kind in self.language.comments:
            return Statement(node, node, Role.COMMENT)
        if kind in self.language.attributes:
            return Statement(node, node, Role.ATTRIBUTE)
        modules = self.imported(node)
        if modules is not None:
            return Statement(node, node, Role.IMPORT, modules=modules)
        inner, role = self._unwrap(node)
        return Statement(node, inner, role, self.name(inner) if role is not Role.OTHER else "")

    def imported(self, node: Node) -> tuple[str, ...] | None:
        """Return the modules a statement imports, or None if it is no import."""
        pattern = self.language.imports.get(node.type)
        if pattern is None:
            return None
        end = min(node.end_byte, node.start_byte + IMPORT_BYTES)
        text = self.content[node.start_byte : end].decode(errors="ignore")
        found = _compiled(pattern).findall(text)
        return tuple("".join(module.split()) for module in found if module) if found else None

    def body(self, node: Node) -> Node | None:
        """Return the node whose children are the members of a declaration."""
        return self.find(node, self.language.bodies.get(node.type, "body"))

    def members(self, node: Node) -> list[Node] | None:
        """Return the statements inside a declaration, with the comments before the first; None if no body."""
        body = self.body(node)
        if body is None:
            return None
        # Some grammars hang comments above the first member beside the body, not into it.
        before = [child for child in self.children(node) if self._leads_body(child, body)]
        return before + self.children(body)

    def _leads_body(self, child: Node, body: Node) -> bool:
        return child.type in self.language.comments and child.end_byte <= body.start_byte

    def name(self, node: Node) -> str:
        """Return the name a declaration gives, with dots between the parts of a path; `` if none."""
        parts = []
        for path in self._name_paths(node):
            found = None if path.startswith("=") else self.find(node, path)
            parts.append(path[1:] if path.startswith("=") else self._name_text(found) if found else "")
        return ".".join(filter(None, parts))[:200]

    def header(self, node: Node) -> str:
        """Return the line that introduces a declaration, e.g. `class Client(Base):`, without its brace.

        It begins on the line of the name, below annotations and above the body.
        """
        paths = (path for path in self._name_paths(node) if not path.startswith("="))
        name = next(filter(None, (self.find(node, path) for path in paths)), None)
        start = node.start_byte
        if name is not None:
            start = max(start, self.content.rfind(b"\n", 0, name.start_byte) + 1)
        members = self.members(node) or []
        body = self.body(node)
        inside = [part.start_byte for part in (body, *members[:1]) if part is not None]
        end = min((offset for offset in inside if offset > start), default=node.end_byte)
        text = " ".join(self.content[start : min(end, start + 600)].decode(errors="ignore").split())
        return text.removesuffix("{").rstrip()[:HEADER_CHARS]

    def find(self, node: Node, path: str) -> Node | None:
        """Return the node at a path of the table, or None."""
        for steps in _parsed_path(path):
            found: Node | None = node
            for kind, names in steps:
                if found is None:
                    break
                found = self._step(found, kind, names)
            if found is not None:
                return found
        return None

    def _step(self, node: Node, kind: str, names: frozenset[str]) -> Node | None:
        if kind == "field":
            return node.child_by_field_name(next(iter(names)))
        if kind == ">":
            return next((child for child in self.children(node) if child.type in names), None)
        stack = [node]
        for _ in range(SEARCH_NODES):
            if not stack:
                return None
            node = stack.pop()
            if node.type in names:
                return node
            if node.named_child_count <= SEARCH_NODES:
                stack.extend(reversed(self.children(node)))
        return None

    def _unwrap(self, node: Node) -> tuple[Node, Role]:
        """Follow wrappers inwards while they lead to a declaration; return it and its role."""
        best, role, inner = node, self._role(node), node
        for _ in range(4):
            path = self.language.wrappers.get(inner.type)
            found = self.find(inner, path) if path else None
            if found is None:
                break
            inner = found
            found_role = self._role(inner)
            if found_role is not Role.OTHER:
                best, role = inner, found_role
        return best, role

    def _role(self, node: Node) -> Role:
        language, kind = self.language, node.type
        condition = language.only_with.get(kind)
        if condition is not None and not self._holds(node, condition):
            return Role.VALUE if kind in language.values else Role.OTHER
        if kind in language.namespaces:
            return Role.NAMESPACE if self.body(node) is not None else Role.OTHER
        if kind in language.containers:
            return Role.CONTAINER
        if kind in language.units or condition is not None:
            return Role.UNIT
        return Role.VALUE if kind in language.values else Role.OTHER

    def _holds(self, node: Node, condition: str) -> bool:
        path, _, kinds = condition.partition(" = ")
        found = self.find(node, path)
        return found is not None and found.type in kinds.split()

    def _holds_declarations(self, node: Node) -> bool:
        """Tell whether a declaration stands somewhere inside statements that may hold some."""
        stack = [node]
        for _ in range(SEARCH_NODES):
            if not stack:
                return False
            for child in self.children(stack.pop()):
                if child.is_error or child.type in self.language.transparent:
                    stack.append(child)
                elif self._unwrap(child)[1] in DECLARED:
                    return True
        return False

    def _name_paths(self, node: Node) -> list[str]:
        return self.language.names.get(node.type, "name").split(" ")

    def _name_text(self, node: Node) -> str:
        end = min(node.end_byte, node.start_byte + 300)
        text = self.content[node.start_byte : end].decode(errors="ignore")
        if "operator" in text:
            head = text.partition("(")[0].rstrip()  # the type of a cast comes with its parameters
            text = f"{head}()" if head.endswith("operator") else head
        elif "<" in text:
            for _ in range(3):  # C<Pair<int>>::get is named C.get
                text = _TEMPLATE_ARGUMENTS.sub("", text)
        words = text.split()
        # A macro the grammar does not know ends up in the name: `ALWAYS_INLINE blend`.
        first = next((i for i, word in enumerate(words) if "operator" in word), len(words) - 1)
        return "".join(words[first:]).replace("::", ".").replace("\\", ".").strip("\"'`$:.")


Step = tuple[str, frozenset[str]]


@cache
def _parsed_path(path: str) -> tuple[tuple[Step, ...], ...]:
    return tuple(tuple(map(_parsed_step, option.split("/"))) for option in path.split("|"))


def _parsed_step(step: str) -> Step:
    if step[0] in "@>":
        return step[0], frozenset(step[1:].split(","))
    return "field", frozenset((step,))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
