"""Gradle's build scripts, in Groovy and in Kotlin, as the statements they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from brain_dagster.codemap.base import MappedFile
from brain_dagster.codemap.manifests.walk import walk
from brain_dagster.codemap.syntax import SyntaxTree

# Blocks that only decide whether what is in them happens.
_TRANSPARENT = {"if", "else", "for", "while", "try"}
# `implementation(platform(project(":x")))` nests three calls.
_MAX_NESTED = 4
# A list of more lines than this is no list of projects.
_MOST_HELD = 2_000
_HOLDS_STATEMENTS = {"source_file", "statements", "control_structure_body", "lambda_literal"}


@dataclass(slots=True)
class Said:
    """What stands in an argument list: strings with their lines, `name: string`, calls, and dotted names.

    A list is a call of no name.
    """

    strings: list[tuple[str, int]] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[str, Said]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a build script.

    called       what is called or assigned: `implementation`, `rootProject.name`, `mainClass.set`
    block        the name of the block around it, conditions left aside; empty at the top
    """

    called: str
    said: Said
    block: str
    line: int


def statements(file: MappedFile) -> Iterator[Statement]:
    """Yield the statements of a script, in source order, those inside blocks included."""
    if file.suffix == ".kts":
        yield from _kotlin_statements(SyntaxTree("kotlin", file), file)
    else:
        yield from _groovy_statements(SyntaxTree("groovy", file), file)


def _groovy_statements(tree: SyntaxTree, file: MappedFile) -> Iterator[Statement]:
    def inherit(node: Node, around: str) -> str:
        if node.type != "block" or not node.named_children:
            return around
        name, _ = _groovy_head(tree, node.named_children[0])
        return around if name in _TRANSPARENT else name

    held: list[Node] = []
    for node, around in walk(tree.root, file, inherit, ""):
        if node.type not in ("command", "end_command") or not node.named_children:
            continue
        # The grammar ends a statement with its line; one that ends in a comma goes on in the next one.
        held += node.named_children
        if held[-1].type == "arg_spliter" and len(held) < _MOST_HELD:
            continue
        called, said = _groovy_statement(tree, held)
        if called:
            yield Statement(called, said, around, tree.line(held[0]))
        held = []


def _groovy_statement(tree: SyntaxTree, parts: list[Node]) -> tuple[str, Said]:
    """Return what a statement calls, and with what; of `a("b:c:1") {}` the call heads a block."""
    first = parts[0]
    if first.type == "block" and first.named_children:
        first = first.named_children[0]
    called, said = _groovy_head(tree, first)
    return called, _groovy_said(tree, parts[1:]) if said is None else said


def _groovy_head(tree: SyntaxTree, head: Node) -> tuple[str, Said | None]:
    """Return what a statement calls; its arguments only if they are in parentheses."""
    if head.type != "unit":
        return "", None
    words: list[str] = []
    for part in head.named_children:
        if part.type == "func":
            name, *arguments = part.named_children or [part]
            words.append(tree.text(name))
            return ".".join(words), _groovy_said(tree, arguments)
        words.append(tree.text(part))
    return ".".join(words), None


def _groovy_said(tree: SyntaxTree, nodes: list[Node], depth: int = 0) -> Said:
    if nodes and nodes[0].type == "arg_block":
        nodes = nodes[0].named_children
    said, key = Said(), ""
    for node in nodes:
        if node.type == "list" and depth < _MAX_NESTED:
            said.calls.append(("", _groovy_said(tree, node.named_children, depth + 1)))
        elif node.type == "arg_spliter":
            key = said.names.pop() if tree.text(node).strip() == ":" and said.names else ""
        elif node.type == "string":
            _add_string(said, key, _quoted(tree, node), tree.line(node))
        elif node.type == "unit":
            called, inside = _groovy_head(tree, node) if depth < _MAX_NESTED else ("", None)
            if inside is not None:
                said.calls.append((called, inside))
            elif called:
                said.names.append(called)
    return said


def _add_string(said: Said, key: str, text: str | None, line: int) -> None:
    if text is None:
        return
    if key:
        said.named[key] = text
    else:
        said.strings.append((text, line))


def _kotlin_statements(tree: SyntaxTree, file: MappedFile) -> Iterator[Statement]:
    def inherit(node: Node, around: tuple[str, bool]) -> tuple[str, bool]:
        if node.type == "call_expression" and _lambda(node) is not None:
            return _kotlin_called(tree, node), True
        # What is an argument, or called on, is no statement of its own.
        return around[0], node.type in _HOLDS_STATEMENTS

    for node, (block, is_statement) in walk(tree.root, file, inherit, ("", True)):
        if not is_statement or node.type not in ("call_expression", "assignment"):
            continue
        if node.type == "assignment" and len(node.named_children) > 1:
            said = Said()
            _add_string(said, "", _kotlin_string(tree, node.named_children[-1]), tree.line(node))
            yield Statement(tree.text(node.named_children[0]), said, block, tree.line(node))
        elif node.type == "call_expression":
            yield Statement(_kotlin_called(tree, node), _kotlin_said(tree, node), block, tree.line(node))


def _suffix(call: Node) -> Node | None:
    return next((child for child in call.named_children if child.type == "call_suffix"), None)


def _lambda(call: Node) -> Node | None:
    suffix = _suffix(call)
    inside = suffix.named_children if suffix is not None else []
    return next((child for child in inside if child.type == "annotated_lambda"), None)


def _inner(call: Node) -> Node:
    """Return the call itself of `f("x") { ... }`, which may be a call on a call."""
    first = call.named_children[0] if call.named_children else call
    return first if first.type == "call_expression" else call


def _kotlin_called(tree: SyntaxTree, call: Node) -> str:
    of = _inner(call)
    first = of.named_children[0] if of.named_children else of
    quoted = _kotlin_string(tree, first)
    return quoted if quoted is not None else tree.text(first)


def _kotlin_said(tree: SyntaxTree, call: Node, depth: int = 0) -> Said:
    said, suffix = Said(), _suffix(_inner(call))
    inside = suffix.named_children if suffix is not None else []
    listed = next((child for child in inside if child.type == "value_arguments"), None)
    for argument in listed.named_children if listed is not None else ():
        *before, value = argument.named_children or [argument]
        key = tree.text(before[0]) if before else ""
        if value.type == "call_expression" and depth < _MAX_NESTED:
            said.calls.append((_kotlin_called(tree, value), _kotlin_said(tree, value, depth + 1)))
        elif value.type in ("navigation_expression", "simple_identifier"):
            said.names.append(tree.text(value))
        else:
            _add_string(said, key, _kotlin_string(tree, value), tree.line(value))
    return said


def _kotlin_string(tree: SyntaxTree, node: Node) -> str | None:
    return _quoted(tree, node) if node.type == "string_literal" else None


def _quoted(tree: SyntaxTree, node: Node) -> str:
    """Return what stands between the quotes as it is written, variables included."""
    text = tree.short_text(node)
    width = 3 if text[:3] in ('"""', "'''") else 1
    return text[width:-width].strip()
