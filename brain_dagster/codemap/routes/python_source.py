"""Python sources: one walk over a file's tree, from which every family of frameworks takes what it knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import (
    python_consumers,
    python_decorators,
    python_django,
    python_grpc,
    python_registrations,
    python_tornado,
)
from brain_dagster.codemap.routes.python_calls import PythonFile, arguments, callee
from brain_dagster.codemap.syntax import Place, SyntaxTree

_HINT = re.compile(
    r"__main__|^[ \t]*@[ \t]*(?:[\w.]+\.)?(?:get|post|put|patch|delete|head|options|trace|route|api_route|view"
    r"|websocket|websocket_route|command|group|task|shared_task|actor|job|agent|subscriber)\b"
    r"|\b(?:Route|WebSocketRoute|add_\w+|urlpatterns|path|url|web\.\w+|tornado|subscribe|basic_consume"
    r"|KafkaConsumer|AIOKafkaConsumer|\w+Servicer|lambda_handler)\b",
    re.MULTILINE,
)
_KINDS = (
    "decorated_definition",
    "assignment",
    "call",
    "if_statement",
    "tuple",
    "class_definition",
    "function_definition",
)
_AROUND = ("function_definition", "class_definition", "call", "assignment", "augmented_assignment")


def map_python(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Python source; files without a trace of entry point or route are not parsed."""
    if file.name == "__main__.py":
        yield MapEntry("entry_point", file.name, "runs with python -m", 1)
    if _HINT.search(file.text) is None:
        return
    source = PythonFile(SyntaxTree("python", file), file)
    yield from source.then_routes(_walk(source))


def _walk(source: PythonFile) -> Iterator[MapEntry]:
    for node, place in source.tree.find_within(_KINDS, _AROUND):
        if node.type == "assignment":
            python_registrations.note_router(source, node, place)
            python_django.note_router(source, node)
        elif node.type == "if_statement":
            yield from _main_guard(source, node)
        elif node.type == "call":
            python_registrations.read_call(source, node, place)
            python_django.read_call(source, node, place)
            python_tornado.read_call(source, node, place)
            yield from python_consumers.read_call(source, node, place)
        elif node.type == "tuple":
            python_tornado.read_tuple(source, node, place)
        elif node.type == "class_definition":
            yield from python_grpc.read_class(source, node)
        elif node.type == "function_definition":
            source.hide_parameters(node)
            yield from _lambda_handler(source, node, place)
        else:
            yield from _decorated(source, node, place)


def _main_guard(source: PythonFile, node: Node) -> Iterator[MapEntry]:
    condition = "".join(source.tree.field_text(node, "condition")[:100].split()).replace("'", '"').strip("()")
    is_guard = condition in ('__name__=="__main__"', '"__main__"==__name__')
    if is_guard and node.parent is not None and node.parent.type == "module":
        yield MapEntry("entry_point", source.file.name, 'if __name__ == "__main__"', source.tree.line(node))


def _lambda_handler(source: PythonFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Read `def lambda_handler(event, context)`, the name that AWS gives the function of a new project."""
    if place or source.tree.field_text(node, "name") != "lambda_handler":
        return
    parameters = source.tree.field(node, "parameters")
    if parameters is not None and len(parameters.named_children) == 2:
        yield MapEntry("entry_point", "lambda_handler", "AWS Lambda handler", source.tree.line(node))


def _decorated(source: PythonFile, node: Node, place: Place) -> Iterator[MapEntry]:
    definition = source.tree.field(node, "definition")
    handler = source.qualified(definition, place)
    for decorator in (child for child in node.named_children if child.type == "decorator"):
        call = decorator.named_children[0] if decorator.named_children else None
        if call is None:
            continue
        owner, verb = callee(source.tree, call)
        line = source.tree.line(decorator)
        if source.has_commands and owner and verb in ("command", "group"):
            yield _command(source, call, verb, handler, line)
            continue
        yield from python_consumers.read_decorator(source, call, owner, verb, handler, line)
        if call.type == "call" and definition is not None:
            python_decorators.read_decorator(source, call, definition, handler, place, line)


def _command(source: PythonFile, call: Node, verb: str, handler: str, line: int) -> MapEntry:
    positional, named = arguments(source.tree, call if call.type == "call" else None)
    given = named.get("name") or (positional[0] if positional else None)
    name = source.strings.value(given) or handler.rpartition(".")[2].replace("_", "-")
    return MapEntry("entry_point", name, f"command line {verb}: {handler}", line)
