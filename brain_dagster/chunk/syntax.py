"""Reads syntax trees with a language's row of the table: which statements declare what, and its name.

No function here calls itself, and every node looked at is counted: trees come from hostile files (E6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from brain_dagster.chunk.language import kinds
from brain_dagster.chunk.languages import Language
from brain_dagster.chunk.spelling import (
    MAX_NAME,
    compiled,
    name_text,
    parsed_path,
    parsed_pieces,
    rewritten,
)
from brain_dagster.chunk.statements import DECLARED, Role, Statement
from brain_dagster.chunk.trees import OverBudget, parsed

MAX_NODES = 500_000
MAX_CHILDREN = 200_000  # of one node: the binding makes a list of them, some 100 bytes each
MAX_DEPTH = 256
SEARCH_NODES = 400  # how far a path looks for a descendant
IMPORT_BYTES = 2_000
FORM_BYTES = 600  # where the text of a statement tells what it is
HEADER_CHARS = 120  # a header places a chunk; twenty parameters with defaults only crowd it out


class SyntaxReader:
    """The tree of one text and what the language's row makes of it."""

    def __init__(self, language: Language, content: bytes) -> None:
        self.language = language
        # A lone \r ends a line here, but starts none for most grammars (E4). Offsets stay as they are.
        self.content = rewritten(re.sub(rb"\r(?!\n)", b"\n", content), language.rewrites)
        text = language.view(self.content) if language.view else self.content
        self.root = parsed(language.grammar, text).root_node
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

    def statements(self, nodes: Sequence[Node], units: frozenset[str] = frozenset()) -> Iterator[Statement]:
        """Yield the statements of a scope in order, looking through what may hold declarations.

        `units` are kinds that are units in this scope, whatever they say.
        """
        last: Statement | None = None
        for statement in self._parts(nodes, units):
            if last is not None and statement.node.type in self.language.tails and self._lacks_tail(last):
                role = Role.UNIT if last.role is Role.VALUE else last.role
                tails = (*last.tails, statement.node)
                last = replace(last, role=role, tails=tails, spilled=statement.spilled)
                continue
            if last is not None:
                yield last
            last = statement
        if last is not None:
            yield last

    def _lacks_tail(self, statement: Statement) -> bool:
        return not statement.is_open and statement.role not in (Role.COMMENT, Role.ATTRIBUTE, Role.IMPORT)

    def _parts(self, nodes: Sequence[Node], units: frozenset[str]) -> Iterator[Statement]:
        """Yield statements as the grammar has them: tails by themselves, spilled comments behind."""
        stack = [iter(nodes)]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            if self._is_transparent(node) and self._holds_declarations(node):
                if len(stack) > MAX_DEPTH:
                    raise OverBudget(f"nested deeper than {MAX_DEPTH} at line {node.start_point.row + 1}")
                yield Statement(node, node, Role.OTHER, is_open=True)
                stack.append(iter(self.children(node)))
            elif node.type in self.language.groups:
                if len(stack) > MAX_DEPTH:
                    raise OverBudget(f"nested deeper than {MAX_DEPTH} at line {node.start_point.row + 1}")
                stack.append(iter(self.children(node)))
            else:
                comments = self._spilled(node) if node.type in self.language.spills else []
                statement = self.classify(node, units)
                yield replace(statement, spilled=self._end_before(comments)) if comments else statement
                yield from (Statement(comment, comment, Role.COMMENT) for comment in comments)

    def _spilled(self, node: Node) -> list[Node]:
        """Return the comments behind a statement that the grammar counts as part of it."""
        end, parent = node.end_byte, node
        for _ in range(MAX_DEPTH):
            children = self.children(parent)
            if not children or self.content[children[-1].end_byte : end].strip():
                return []
            parent = children[-1]
            if parent.type in self.language.comments:
                first = len(children)
                while first > 0 and children[first - 1].type in self.language.comments:
                    first -= 1
                return children[first:]
        return []

    def _end_before(self, comments: Sequence[Node]) -> int:
        end = comments[0].start_byte
        while end > 0 and self.content[end - 1] in b" \t\r\n":
            end -= 1
        return end

    def classify(self, node: Node, units: frozenset[str] = frozenset()) -> Statement:
        """Return what a statement is and what it declares."""
        kind = node.type
        if kind not in self.language.known and kind not in units:
            return Statement(node, node, Role.OTHER)
        if kind in self.language.comments:
            return Statement(node, node, Role.COMMENT)
        if kind in self.language.attributes:
            return Statement(node, node, Role.ATTRIBUTE)
        modules = self.imported(node)
        if modules is not None:
            return Statement(node, node, Role.IMPORT, modules=modules)
        inner, role = self._unwrap(node)
        if role is Role.OTHER and kind in self.language.sections:
            return Statement(node, inner, role, section=self.name(inner))
        if role is Role.OTHER and kind in units:
            role = Role.UNIT
        name = self.name(inner) if role is not Role.OTHER else ""
        return Statement(node, inner, role, name, repeats=inner.type in self.language.repeats)

    def units_inside(self, node: Node, role: Role) -> frozenset[str]:
        """Return the kinds that are units inside a declaration, whatever they say."""
        return kinds(self.language.members.get(node.type, "") if role is Role.CONTAINER else "")

    def imported(self, node: Node) -> tuple[str, ...] | None:
        """Return the modules a statement imports, or None if it is no import."""
        pattern = self.language.imports.get(node.type)
        if pattern is None:
            return None
        end = min(node.end_byte, node.start_byte + IMPORT_BYTES)
        text = self.content[node.start_byte : end].decode(errors="ignore")
        found = compiled(pattern).findall(text)
        single = self.language.modules.get(node.type)
        if single is not None:
            found = [module for part in found for module in compiled(single).findall(part)]
        return tuple("".join(module.split()) for module in found if module) if found else None

    def form(self, node: Node) -> tuple[Role, re.Match[str]] | None:
        """Return the role that the text of a statement gives it, and what was found there."""
        forms = self.language.forms.get(node.type, ())
        if not forms:
            return None
        end = min(node.end_byte, node.start_byte + FORM_BYTES)
        text = self.content[node.start_byte : end].decode(errors="ignore")
        tried = ((Role(role), compiled(pattern).search(text)) for role, pattern in forms)
        return next(((role, found) for role, found in tried if found is not None), None)

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
        form = self.form(node)
        if form is not None and any(form[1].groups()):
            return ".".join(name_text(part) for part in form[1].groups() if part)[:MAX_NAME]
        parts = (self._name_part(node, path) for path in self._name_paths(node))
        return ".".join(filter(None, parts))[:MAX_NAME]

    def _name_part(self, node: Node, path: str) -> str:
        if path.startswith("="):
            return path[1:]
        if path.startswith("*"):
            pieces = parsed_pieces(path)
            found = ((pieces[child.type], child) for child in self.children(node) if child.type in pieces)
            return "".join(text or self._name_text(child) for text, child in found)
        path, _, otherwise = path.partition("|=")
        named = self.find(node, path)
        return self._name_text(named) if named is not None else otherwise

    def _name_start(self, node: Node) -> int:
        """Return where the name of a declaration stands; its own start if it has none."""
        form = self.form(node)
        if form is not None and form[1].groups() and form[1][1]:
            return node.start_byte + len(form[1].string[: form[1].start(1)].encode())
        for path in self._name_paths(node):
            place = path.partition("|=")[0]
            if path.startswith("*"):
                place = ">" + ",".join(parsed_pieces(path))
            found = None if path.startswith("=") else self.find(node, place)
            if found is not None:
                return found.start_byte
        return node.start_byte

    def header(self, node: Node) -> str:
        """Return the line that introduces a declaration, e.g. `class Client(Base):`, without its brace.

        It begins on the line of the name, below annotations and above the body.
        """
        named = self._name_start(node)
        line = self.content.rfind(b"\n", 0, named) + 1
        start = max(node.start_byte, line)
        before = self.content[line:start].decode(errors="ignore").strip()
        if before and self.language.lead and compiled(self.language.lead).fullmatch(before):
            start = line
        end = self._header_end(node, start, named)
        text = self.content[start : min(end, start + 600)].decode(errors="ignore")
        if self.language.header and self.body(node) is None:
            found = compiled(self.language.header).match(text)
            text = found[0] if found is not None else text
        text = " ".join(re.split(r"\{\s*\n", text, maxsplit=1)[0].split())
        return text.removesuffix("{").rstrip()[:HEADER_CHARS]

    def _header_end(self, node: Node, start: int, named: int) -> int:
        members = self.members(node) or []
        body = self.body(node)
        if body is not None and body.start_byte <= named < body.end_byte:
            # The members stand beside the name: the header is the line of the name.
            end = self.content.find(b"\n", named, node.end_byte)
            return end if end >= 0 else node.end_byte
        inside = [part.start_byte for part in (body, *members[:1]) if part is not None]
        return min((offset for offset in inside if offset > start), default=node.end_byte)

    def find(self, node: Node, path: str) -> Node | None:
        """Return the node at a path of the table, or None."""
        for steps in parsed_path(path):
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
        if kind == "<":
            children = reversed(self.children(node))
            return next((child for child in children if not names or child.type in names), None)
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
        form = self.form(node)
        if form is not None:
            return form[0]
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

    def _is_transparent(self, node: Node) -> bool:
        if node.is_error:
            return True
        return node.type in self.language.transparent and self.form(node) is None

    def _holds_declarations(self, node: Node) -> bool:
        """Tell whether a declaration stands somewhere inside statements that may hold some."""
        stack = [node]
        for _ in range(SEARCH_NODES):
            if not stack:
                return False
            for child in self.children(stack.pop()):
                if self._is_transparent(child) or child.type in self.language.groups:
                    stack.append(child)
                elif child.type in self.language.declaring and self._unwrap(child)[1] in DECLARED:
                    return True
        return False

    def may_declare_inside(self, nodes: Sequence[Node]) -> bool:
        """Tell whether a declaration may stand among statements; no is certain, and saves reading them."""
        language = self.language
        stack = list(nodes)
        for _ in range(SEARCH_NODES):
            if not stack:
                return False
            node = stack.pop()
            kind = node.type
            if kind in language.declaring or node.is_error:
                return True
            if kind in language.transparent or kind in language.groups:
                stack.extend(self.children(node))
        return True

    def _name_paths(self, node: Node) -> list[str]:
        return self.language.names.get(node.type, "name").split(" ")

    def _name_text(self, node: Node) -> str:
        end = min(node.end_byte, node.start_byte + 300)
        text = self.content[node.start_byte : end].decode(errors="ignore")
        return name_text(text)
