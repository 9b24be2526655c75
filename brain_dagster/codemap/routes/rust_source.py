"""Rust sources: routes of axum, actix-web and Rocket, and gRPC services of tonic."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import rust_attributes, rust_builders
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.routers import then_entries
from brain_dagster.codemap.routes.rust_calls import AROUND, RustFile
from brain_dagster.codemap.syntax import SyntaxTree

_HINT = Hint(
    words=("tonic::async_trait", "routes!["),
    patterns=(
        pattern(r"#\[\s*(?:\w+::)?(?:get|post|put|patch|delete|head|options|route)\s*\("),
        pattern(r"\.\s*(?:route|service)\s*\("),
    ),
)
_KINDS = ("attribute_item", "call_expression", "let_declaration", "impl_item", "macro_invocation")


def map_rust(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Rust source; files without the shape of a route are not parsed."""
    if not _HINT.fits(file.text):
        return
    source = RustFile(SyntaxTree("rust", file), file)
    yield from then_entries(_walk(source), source.routers)


def _walk(source: RustFile) -> Iterator[MapEntry]:
    for node, place in source.tree.find_within(_KINDS, AROUND):
        if node.type == "attribute_item":
            rust_attributes.read_attribute(source, node)
        elif node.type == "macro_invocation":
            rust_attributes.read_mount(source, node, place)
        elif node.type == "let_declaration":
            rust_builders.note_router(source, node, place)
        elif node.type == "call_expression":
            rust_builders.read_call(source, node, place)
        else:
            yield from _service(source, node)


def _service(source: RustFile, node: Node) -> Iterator[MapEntry]:
    """Read tonic's `impl Greeter for MyGreeter`, which an attribute marks; methods are in snake case."""
    before = node.prev_named_sibling
    if (
        before is None
        or before.type != "attribute_item"
        or "tonic::async_trait" not in source.tree.short_text(before)
    ):
        return
    service = source.tree.field_text(node, "trait").rpartition("::")[2]
    kind = source.tree.field_text(node, "type")
    body = source.tree.field(node, "body")
    for method in body.named_children if body is not None else ():
        name = source.tree.field_text(method, "name")
        if method.type == "function_item" and "Request<" in source.tree.field_text(method, "parameters"):
            called = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
            yield MapEntry("rpc", f"{service}/{called}", f"{kind}.{name}", source.tree.line(method))
