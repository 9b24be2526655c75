"""Where programs of Rust, Kotlin, Scala and C# begin; the other readers of sources find their own mains."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.manifests.walk import walk
from brain_dagster.codemap.syntax import SyntaxTree

_RUST_HINT = re.compile(r"\bfn\s+main\b")
_KOTLIN_HINT = re.compile(r"\bfun\s+main\b")
_SCALA_HINT = re.compile(r"\bdef\s+main\b|@main\b|\bextends\s+\w*App")
_SCALA_APPS = {"App", "IOApp", "IOApp.Simple", "ZIOApp", "ZIOAppDefault"}
# The first statement of a file without a class around it; most C# files have none at the margin.
_TOP_LEVEL_HINT = re.compile(
    r"^(?:var |await |return |if |try\b|[A-Z][\w.]*\.\w+\(|[\w<>]+ \w+ = )", re.MULTILINE
)


def map_rust_main(file: MappedFile) -> Iterator[MapEntry]:
    """Map the files that Cargo builds into binaries by their place: src/main.rs and those of src/bin."""
    parts = file.path.split("/")
    if parts[-2:] == ["src", "main.rs"]:
        name = parts[-3] if len(parts) > 2 else "main"
    elif parts[-3:-1] == ["src", "bin"]:
        name = file.name.removesuffix(".rs")
    elif len(parts) > 3 and parts[-4:-2] == ["src", "bin"] and file.name == "main.rs":
        name = parts[-2]
    else:
        return
    if _RUST_HINT.search(file.text) is None:
        return
    tree = SyntaxTree("rust", file)
    for node in tree.root.named_children:
        if node.type == "function_item" and tree.field_text(node, "name") == "main":
            yield MapEntry("entry_point", name, "fn main()", tree.line(node))


def map_kotlin_main(file: MappedFile) -> Iterator[MapEntry]:
    """Map `fun main` at the top of a file, and those of objects that are static for the JVM.

    The name is what the JVM is told: the class that Kotlin makes of a file is named after it.
    """
    if _KOTLIN_HINT.search(file.text) is None or file.suffix == ".kts":
        return
    tree = SyntaxTree("kotlin", file)
    of_file = file.name.removesuffix(".kt")

    def inherit(node: Node, around: str) -> str:
        if node.type in ("object_declaration", "class_declaration", "companion_object"):
            return next((tree.text(c) for c in node.named_children if c.type == "type_identifier"), around)
        return "" if node.type == "function_body" else around

    for node, around in walk(tree.root, file, inherit, f"{of_file[:1].upper()}{of_file[1:]}Kt"):
        if node.type != "function_declaration" or not around:
            continue
        parts = {child.type: child for child in node.named_children}
        is_main = tree.text(parts.get("simple_identifier")) == "main" and "user_type" not in parts
        is_static = "JvmStatic" in tree.text(parts.get("modifiers"))
        if is_main and (is_static or around.endswith("Kt")):
            yield MapEntry("entry_point", f"{around}.main", "fun main", tree.line(node))


def map_scala_main(file: MappedFile) -> Iterator[MapEntry]:
    """Map objects that are applications, their `def main`, and functions marked `@main`."""
    if _SCALA_HINT.search(file.text) is None:
        return
    tree = SyntaxTree("scala", file)

    def inherit(node: Node, around: str) -> str:
        return tree.field_text(node, "name") if node.type == "object_definition" else around

    for node, around in walk(tree.root, file, inherit, ""):
        if node.type == "object_definition":
            extends = tree.field(node, "extend")
            parents = extends.named_children if extends is not None else []
            if any(tree.text(parent) in _SCALA_APPS for parent in parents):
                name = tree.field_text(node, "name")
                yield MapEntry("entry_point", name, f"object {name} is an App", tree.line(node))
        elif node.type == "function_definition":
            name = tree.field_text(node, "name")
            marks = [tree.text(c) for c in node.named_children if c.type == "annotation"]
            if "@main" in marks:
                yield MapEntry("entry_point", name, "@main def", tree.line(node))
            elif name == "main" and around and "Array[String]" in tree.field_text(node, "parameters"):
                yield MapEntry("entry_point", f"{around}.main", "def main", tree.line(node))


def map_dotnet_top_level(file: MappedFile) -> Iterator[MapEntry]:
    """Map the file whose statements stand outside of any class: a C# program has at most one."""
    if _TOP_LEVEL_HINT.search(file.text) is None:
        return
    tree = SyntaxTree("csharp", file)
    first = next((node for node in tree.root.named_children if node.type == "global_statement"), None)
    if first is not None:
        yield MapEntry("entry_point", file.name, "top-level statements", tree.line(first))
