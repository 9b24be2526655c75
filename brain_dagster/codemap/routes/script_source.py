"""JavaScript and TypeScript sources: one walk over a file's tree for all families of frameworks."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import (
    script_calls,
    script_consumers,
    script_express,
    script_nest,
    script_next,
)
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.routers import then_entries
from brain_dagster.codemap.routes.script_calls import CLASSES, FUNCTIONS, ScriptFile
from brain_dagster.codemap.syntax import SyntaxTree

GRAMMARS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
}
_HINT = Hint(
    words=(
        "@Controller", "@MessagePattern", "@EventPattern", "@GrpcMethod", "@Processor", "@RabbitSubscribe",
        "addService(", "bullmq", "kafkajs", "amqplib",
        *(f"{quote}{library}{quote}" for quote in "'\"" for library in ("bull", "nats")), "@nats-io/",
    ),
    patterns=(
        pattern(r"\.(?:get|post|put|patch|delete|del|head|options|all|ws)\s*\(\s*(?:[\"'`](?:[/*]|\$\{)|\[|/)"),
        pattern(r"\.route\s*\(\s*[\"'`{\[\w]"),
        # A path that is a name, on what is called as routers are.
        *(
            pattern(rf"{router}\w*\s*\.(?:get|post|put|patch|delete|del|head|options|all|ws)\s*\(\s*\w")
            for router in ("app", "fastify", "server", "outer")
        ),
    ),
)  # fmt: skip
# A bundle on a few long lines tells nobody where anything is, and is large.
_MIN_BUNDLE_CHARS = 20_000
_BUNDLE_LINE_CHARS = 500
_AROUND = (*FUNCTIONS, *CLASSES, "call_expression")
_KINDS = (
    *FUNCTIONS,
    *CLASSES,
    "call_expression",
    "new_expression",
    "variable_declarator",
    "assignment_expression",
)


def map_script(file: MappedFile) -> Iterator[MapEntry]:
    """Map a JavaScript or TypeScript source; files without the shape of a route are not parsed."""
    place = script_next.place_of(file.path)
    if len(file.text) > _MIN_BUNDLE_CHARS and len(file.text) > _BUNDLE_LINE_CHARS * file.text.count("\n"):
        return
    has_hint = _HINT.fits(file.text)
    if not has_hint and place is None:
        return
    source = ScriptFile(SyntaxTree(GRAMMARS.get(file.suffix, "javascript"), file), file)
    if place is not None:
        yield from script_next.read_file(source, place)
    if has_hint:
        yield from then_entries(_walk(source), source.routers)


def _walk(source: ScriptFile) -> Iterator[MapEntry]:
    for node, place in source.tree.find_within(_KINDS, _AROUND):
        if node.type in ("variable_declarator", "assignment_expression"):
            script_express.note_router(source, node, place)
            script_consumers.note_queue(source, node)
        elif node.type in CLASSES:
            yield from script_nest.read_class(source, node)
        elif node.type == "call_expression":
            script_express.read_call(source, node, place)
            yield from script_consumers.read_call(source, node, place)
        elif node.type == "new_expression":
            yield from script_consumers.read_worker(source, node, place)
        else:
            _enter_function(source, node)


def _enter_function(source: ScriptFile, node: Node) -> None:
    """Say what the parameters of a function mean inside it: the first one of a plugin is its router."""
    name = source.tree.field_text(node, "name")
    for position, parameter in enumerate(script_calls.parameters(source.tree, node)):
        if position == 0 and name and node.type != "method_definition":
            source.routers.alias(parameter, [node.start_byte], source.routers.find_or_make(f"{name}()", ()))
        else:
            source.routers.hide(parameter, [node.start_byte])
