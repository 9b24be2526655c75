"""NestJS: controllers by decorator, message patterns, queues and gRPC methods."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.script_calls import ScriptFile, arguments, properties
from brain_dagster.codemap.syntax import join_route

_VERBS = {"Get": "GET", "Post": "POST", "Put": "PUT", "Patch": "PATCH", "Delete": "DELETE", "Head": "HEAD",
          "Options": "OPTIONS", "All": "ANY", "Sse": "GET"}  # fmt: skip
_PATTERNS = {"MessagePattern", "EventPattern"}
# A decorator's name, its arguments and its node.
Decorator = tuple[str, list[Node], Node]


def read_class(source: ScriptFile, node: Node) -> Iterator[MapEntry]:
    """Yield the routes, consumers and rpcs that the decorators of a class and its methods declare."""
    name = source.tree.field_text(node, "name")
    own = {called: given for called, given, _ in _decorators_of_class(source, node)}
    prefixes = _paths(source, own["Controller"]) if "Controller" in own else []
    queue = _queue(source, own.get("Processor"))
    body = source.tree.field(node, "body")
    waiting: list[Decorator] = []
    has_process = False
    for child in body.named_children if body is not None else ():
        if child.type == "decorator":
            waiting.append(_decorator(source, child))
        elif child.type == "method_definition":
            handler = f"{name}.{source.tree.field_text(child, 'name')}"
            for decorator in waiting:
                has_process = has_process or decorator[0] == "Process"
                yield from _entries(source, decorator, prefixes, queue, handler)
            # BullMQ's workers have one method of this name for all jobs of their queue.
            if queue and not has_process and handler.endswith(".process"):
                yield MapEntry("consumer", queue, handler, source.tree.line(child))
            waiting = []
        elif child.type != "comment":
            waiting = []


def _decorators_of_class(source: ScriptFile, node: Node) -> Iterator[Decorator]:
    """Yield the decorators of a class; before `export` they are its statement's."""
    holders = [node]
    if node.parent is not None and node.parent.type == "export_statement":
        holders.append(node.parent)
    for holder in holders:
        for child in holder.named_children:
            if child.type == "decorator":
                yield _decorator(source, child)


def _decorator(source: ScriptFile, node: Node) -> Decorator:
    call = node.named_children[0] if node.named_children else node
    called = source.tree.field(call, "function") if call.type == "call_expression" else call
    return source.tree.short_text(called), arguments(source.tree, call), node


def _paths(source: ScriptFile, given: list[Node]) -> list[str]:
    """Return the paths of `@Get(":id")`, `@Get(["a", "b"])` or `@Controller({path: "x"})`."""
    if not given:
        return [""]
    named = properties(source.tree, given[0])
    if given[0].type == "object" and "path" not in named:
        return [""]
    return source.words(named.get("path") or given[0])


def _queue(source: ScriptFile, given: list[Node] | None) -> str:
    if not given:
        return ""
    named = properties(source.tree, given[0])
    return source.strings.value(named.get("name") or given[0]) or ""


def _entries(
    source: ScriptFile, decorator: Decorator, prefixes: list[str], queue: str, handler: str
) -> Iterator[MapEntry]:
    called, given, node = decorator
    line = source.tree.line(node)
    if called in _VERBS:
        for prefix in prefixes:
            for path in _paths(source, given):
                yield MapEntry("route", f"{_VERBS[called]} {join_route('/', prefix, path)}", handler, line)
    elif called in _PATTERNS and given:
        yield from (MapEntry("consumer", topic, handler, line) for topic in _topics(source, given[0]))
    elif called == "Process" and queue:
        yield MapEntry("consumer", queue, handler, line)
    elif called == "RabbitSubscribe" and given:
        named = properties(source.tree, given[0])
        for topic in source.words(named.get("queue") or named.get("routingKey")):
            yield MapEntry("consumer", topic, handler, line)
    elif called in ("GrpcMethod", "GrpcStreamMethod") and given:
        service = source.strings.value(given[0])
        method = (
            source.strings.value(given[1]) if len(given) > 1 else _upper_first(handler.rpartition(".")[2])
        )
        if service and method:
            yield MapEntry("rpc", f"{service}/{method}", handler, line)


def _topics(source: ScriptFile, node: Node) -> list[str]:
    """Return the topics of a pattern; `{cmd: "sum"}` is named by its values."""
    named = properties(source.tree, node)
    if not named:
        return source.words(node)
    values = [source.strings.value(value) for value in named.values()]
    return [" ".join(value for value in values if value)] if all(values) else []


def _upper_first(word: str) -> str:
    return word[:1].upper() + word[1:]
