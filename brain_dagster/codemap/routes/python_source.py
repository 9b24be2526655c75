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
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.python_calls import VERBS, PythonFile, arguments, callee
from brain_dagster.codemap.syntax import Place, SyntaxTree

_HINT = Hint(
    words=(
        "urlpatterns", "DefaultRouter", "SimpleRouter", "Route(", "_pb2_grpc", "Servicer)", "RequestHandler",
        "tornado", "KafkaConsumer", "basic_consume", "def lambda_handler",
        *(f".add_{what}(" for what in ("route", "api_route", "url_rule", "view", "resource", *VERBS)),
        ".add_websocket_route(", ".add_api_websocket_route(",
        *(f"web.{what}(" for what in ("view", "route", *VERBS)),
    ),
    patterns=(
        pattern(
            r"^[ \t]*@[ \t]*(?:[\w.]+\.)?(?:get|post|put|patch|delete|head|options|trace|route|api_route|view"
            r"|resource|websocket|websocket_route|command|group|task|shared_task|periodic_task|actor|job|agent"
            r"|subscriber)\b"
        ),
    ),
)  # fmt: skip
_DJANGO_HINT = re.compile(r"\b(?:path|re_path|url)\s*\(\s*r?[\"']")
_KINDS = (
    "decorated_definition",
    "assignment",
    "call",
    "tuple",
    "class_definition",
    "function_definition",
)
_AROUND = ("function_definition", "class_definition", "call", "assignment", "augmented_assignment")


def map_python(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Python source; files without a trace of entry point or route are not parsed."""
    if file.name == "__main__.py":
        yield MapEntry("entry_point", file.name, "runs with python -m", 1)
    has_guard = "__main__" in file.text
    if not has_guard and not _has_hint(file.text):
        return
    source = PythonFile(SyntaxTree("python", file), file)
    if has_guard:
        yield from _main_guards(source)
    if _has_hint(file.text):
        yield from source.then_routes(_walk(source))


def _has_hint(text: str) -> bool:
    """Whether a text may hold anything but a main guard."""
    if _HINT.fits(text):
        return True
    if "django" in text and _DJANGO_HINT.search(text) is not None:
        return True
    return ".subscribe(" in text and ("kafka" in text or "nats" in text)


def _walk(source: PythonFile) -> Iterator[MapEntry]:
    for node, place in source.tree.find_within(_KINDS, _AROUND):
        if node.type == "assignment":
            python_registrations.note_router(source, node, place)
            python_django.note_router(source, node)
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


def _main_guards(source: PythonFile) -> Iterator[MapEntry]:
    """Read `if __name__ == "__main__"` at the margin; a __main__.py is an entry point by its name already."""
    if source.file.name == "__main__.py":
        return
    for node in source.tree.root.named_children:
        source.file.deadline.check()
        said = source.tree.field_text(node, "condition")[:100] if node.type == "if_statement" else ""
        condition = "".join(said.split()).replace("'", '"').strip("()")
        if condition in ('__name__=="__main__"', '"__main__"==__name__'):
            yield MapEntry(
                "entry_point", source.file.name, 'if __name__ == "__main__"', source.tree.line(node)
            )


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
        yield from python_consumers.read_decorator(source, call, handler, line)
        if call.type == "call" and definition is not None:
            python_decorators.read_decorator(source, call, definition, handler, place)


def _command(source: PythonFile, call: Node, verb: str, handler: str, line: int) -> MapEntry:
    positional, named = arguments(source.tree, call if call.type == "call" else None)
    given = named.get("name") or (positional[0] if positional else None)
    name = source.strings.value(given) or handler.rpartition(".")[2].replace("_", "-")
    return MapEntry("entry_point", name, f"command line {verb}: {handler}", line)
