"""Swift's Package.swift, as far as it is a plain declaration."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.syntax import SyntaxTree

_EXECUTABLES = {".executable": "executable product", ".executableTarget": "executable target"}


def read_swift_package(file: MappedFile) -> Iterator[MapEntry]:
    """Read a Package.swift: the package, the packages it depends on, its executables.

    Errors  NotParsable when the file calls no `Package(...)`.
    """
    tree = SyntaxTree("swift", file)
    found: list[MapEntry] = []
    manifest: MapEntry | None = None
    for call in tree.find("call_expression"):
        called, named, unnamed = _call(tree, call)
        name = _string(tree, named.get("name"))
        if called == "Package":
            manifest = manifest or MapEntry("manifest", file.name, described(name), tree.line(call))
        elif called == ".package":
            found.extend(_dependency(tree, call, named, unnamed))
        elif called in _EXECUTABLES and name:
            found.append(MapEntry("entry_point", name, _EXECUTABLES[called], tree.line(call)))
    if manifest is None:
        raise NotParsable
    yield manifest
    yield from found


def _call(tree: SyntaxTree, call: Node) -> tuple[str, dict[str, Node], list[Node]]:
    """Return what is called, and its arguments with and without a label."""
    named: dict[str, Node] = {}
    unnamed: list[Node] = []
    suffix = next((child for child in call.named_children if child.type == "call_suffix"), None)
    listed = suffix.named_children[0] if suffix is not None and suffix.named_children else None
    for argument in listed.named_children if listed is not None else ():
        value = tree.field(argument, "value")
        if value is not None:
            label = tree.field_text(argument, "name")
            named.setdefault(label, value)
            unnamed += [] if label else [value]
    return tree.text(call.named_children[0]) if call.named_children else "", named, unnamed


def _dependency(
    tree: SyntaxTree, call: Node, named: dict[str, Node], unnamed: list[Node]
) -> Iterator[MapEntry]:
    places = (_string(tree, named.get(key)) for key in ("url", "path", "id"))
    place = next(filter(None, places), "")
    if not place:
        return
    rules = [f"{key}: {tree.text(node)}" for key, node in named.items()
             if key in ("from", "exact", "branch", "revision")]  # fmt: skip
    rules += [tree.text(node) for node in unnamed]
    spec = ", ".join(rules).replace('"', "")
    kind = "path" if "path" in named else ""
    yield MapEntry("dependency", place.removesuffix(".git"), with_purpose(spec, kind), tree.line(call))


def _string(tree: SyntaxTree, node: Node | None) -> str:
    """Return what a plain string says; empty for anything else."""
    if node is None or node.type != "line_string_literal" or len(node.named_children) != 1:
        return ""
    part = node.named_children[0]
    return tree.text(part) if part.type == "line_str_text" else ""
