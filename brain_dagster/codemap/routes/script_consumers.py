"""Scripts that consume messages, KafkaJS, amqplib, NATS, Bull and BullMQ, and gRPC services of grpc-js."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.handlers import name_around
from brain_dagster.codemap.routes.script_calls import FUNCTIONS, ScriptFile, arguments, member, properties
from brain_dagster.codemap.syntax import INLINE, Place

_QUEUE = re.compile(r"^new\s+(?:\w+\.)?(?:Queue|Bull)\b")


def note_queue(source: ScriptFile, node: Node) -> None:
    """Remember `const mails = new Queue("mails")`, whose jobs `mails.process(...)` takes."""
    name_field, value_field = ("name", "value") if node.type == "variable_declarator" else ("left", "right")
    value = source.tree.field(node, value_field)
    if value is None or value.type != "new_expression":
        return
    given = arguments(source.tree, value)
    if given and _QUEUE.match(source.tree.text(value)[:80]):
        queue = source.strings.value(given[0])
        if queue:
            source.queues[source.tree.short_text(source.tree.field(node, name_field))] = queue


def read_worker(source: ScriptFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the consumer of BullMQ's `new Worker("mails", send)`; a browser's worker names a file."""
    made = source.tree.short_text(source.tree.field(node, "constructor"))
    given = arguments(source.tree, node)
    if made.rpartition(".")[2] != "Worker" or len(given) < 2 or not source.mentions("bullmq"):
        return
    queue = source.strings.value(given[0])
    if queue:
        yield MapEntry("consumer", queue, source.handler(given[1], place), source.tree.line(node))


def read_call(source: ScriptFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the consumers and the rpcs that a call registers."""
    owner, called = member(source.tree, node)
    given = arguments(source.tree, node)
    if owner is None or not given:
        return
    line = source.tree.line(node)
    if called == "addService" and len(given) > 1:
        yield from _service(source, given, place)
    elif called == "process" and source.tree.short_text(owner) in source.queues:
        queue = source.queues[source.tree.short_text(owner)]
        yield MapEntry("consumer", queue, source.handler(given[-1], place), line)
    elif called == "consume" and len(given) > 1 and source.mentions("amqp(?:lib)?"):
        for queue in source.words(given[0]):
            yield MapEntry("consumer", queue, source.handler(given[1], place), line)
    elif called == "subscribe":
        for topic in _topics(source, given):
            handler = source.handler(given[1], place) if len(given) > 1 and given[1].type in FUNCTIONS else ""
            yield MapEntry("consumer", topic, handler or _function_around(source, place), line)


def _topics(source: ScriptFile, given: list[Node]) -> list[str]:
    named = properties(source.tree, given[0])
    if named and source.mentions("kafkajs|kafka"):
        return source.words(named.get("topic") or named.get("topics"))
    if not named and re.search(r"""["'](?:nats|@nats-io/[\w-]+)["']""", source.file.text):
        return source.words(given[0])
    return []


def _service(source: ScriptFile, given: list[Node], place: Place) -> Iterator[MapEntry]:
    """Read `server.addService(shop.Orders.service, {place: place})`; methods begin in upper case."""
    service = source.tree.short_text(given[0]).removesuffix(".service").rpartition(".")[2]
    for name, value in properties(source.tree, given[1]).items():
        if re.fullmatch(r"\w+", service) and re.fullmatch(r"\w+", name):
            is_method = value.type == "method_definition"
            handler = name if is_method else source.handler(value, place)
            yield MapEntry("rpc", f"{service}/{name[:1].upper()}{name[1:]}", handler, source.tree.line(value))


def _function_around(source: ScriptFile, place: Place) -> str:
    around = next((node for node in reversed(place) if node.type in FUNCTIONS), None)
    name = source.tree.field_text(around, "name")
    holder = name_around(source.tree, place, ("class_declaration",))
    return ".".join(filter(None, [holder, name])) or INLINE
