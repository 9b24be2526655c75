"""Go sources: one walk over a file's tree for `main`, routes, gRPC services and consumers."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import go_consumers, go_grpc, go_routes
from brain_dagster.codemap.routes.go_calls import FUNCTIONS, GoFile, call, parameters
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.routers import then_entries
from brain_dagster.codemap.syntax import SyntaxTree

_HINT = Hint(
    words=("lambda.Start(", "ReaderConfig{"),
    patterns=(
        pattern(r"^func main\("),
        pattern(r"Unimplemented\w+Server\b"),
        pattern(r"\.Register\w+Server\("),
        pattern(r"\.(?:Queue)?Subscribe(?:Topics)?\("),
        pattern(r"\.Consume(?:Partition)?\("),
        pattern(
            r"\.(?:Handle|HandleFunc|Handler|HandlerFunc|Methods?|MethodFunc|Path|PathPrefix|Add|Match|Get|Post|Put"
            r"|Patch|Delete|Head|Options|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any|ANY|All|Route|Group)\(\s*"
            r"(?:[\"`]|http\.Method|\[\]string|(?!ctx\b)\w+\s*[,+])"
        ),
    ),
)
_KINDS = (
    *FUNCTIONS,
    "package_clause",
    "short_var_declaration",
    "assignment_statement",
    "call_expression",
    "type_spec",
)


def map_go(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Go source; files without a trace of entry point or route are not parsed."""
    if not _HINT.fits(file.text):
        return
    source = GoFile(SyntaxTree("go", file), file)
    yield from then_entries(_walk(source), source.routers)


def _walk(source: GoFile) -> Iterator[MapEntry]:
    package = ""
    services = go_grpc.Services(source)
    for node, place in source.tree.find_within(_KINDS, (*FUNCTIONS, "call_expression")):
        if node.type == "package_clause":
            package = source.tree.text(node).removeprefix("package").strip()
        elif node.type == "call_expression":
            go_routes.read_call(source, node, place)
            services.note_call(node)
            yield from go_consumers.read_call(source, node, place)
            yield from _lambda(source, node)
        elif node.type in ("short_var_declaration", "assignment_statement"):
            go_routes.note_router(source, node, place)
        elif node.type == "type_spec":
            services.note_type(node)
        else:
            if package == "main" and _is_main(source, node):
                yield MapEntry("entry_point", "main", "func main() of package main", source.tree.line(node))
            services.note_method(node)
            _enter_function(source, node)
    yield from services.entries()


def _is_main(source: GoFile, node: Node) -> bool:
    return node.type == "function_declaration" and source.tree.field_text(node, "name") == "main"


def _enter_function(source: GoFile, node: Node) -> None:
    """Let the parameters of a function mean what its callers in this file give it."""
    name = source.tree.field_text(node, "name")
    for position, (parameter, _) in enumerate(parameters(source.tree, node)):
        if name:
            given = source.routers.find_or_make(f"{name}({position})", ())
            source.routers.alias(parameter, [node.start_byte], given)
        else:
            source.routers.hide(parameter, [node.start_byte])


def _lambda(source: GoFile, node: Node) -> Iterator[MapEntry]:
    """Read `lambda.Start(handle)` of the AWS runtime."""
    owner, called, given = call(source.tree, node)
    if called == "Start" and source.tree.short_text(owner) == "lambda" and len(given) == 1:
        yield MapEntry(
            "entry_point", source.handler(given[0], ()), "AWS Lambda handler", source.tree.line(node)
        )
