"""Python consumers of messages: Celery, Dramatiq, RQ, Huey, Kafka, RabbitMQ, NATS, FastStream, Faust."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.python_calls import PythonFile, arguments, callee, first_of
from brain_dagster.codemap.syntax import Place

# Decorators that name no queue: the task is known by its own name. Each with the library it needs.
_TASKS = {"task": "(?:celery|huey)", "shared_task": "celery", "actor": "dramatiq", "periodic_task": "huey"}
# Decorators whose first argument is the queue or the topic.
_LISTENERS = {"job": "rq", "agent": "faust", "subscriber": "faststream"}
_KAFKA = {"KafkaConsumer", "AIOKafkaConsumer"}


def read_decorator(source: PythonFile, call: Node, handler: str, line: int) -> Iterator[MapEntry]:
    """Yield the consumer that a decorator makes of a function, `@app.task(name="mail.send")`."""
    _, verb = callee(source.tree, call)
    positional, named = arguments(source.tree, call if call.type == "call" else None)
    if verb in _TASKS and source.mentions(_TASKS[verb]) and handler:
        given = named.get("name") or named.get("actor_name")
        yield MapEntry("consumer", source.strings.value(given) or handler, handler, line)
    elif verb in _LISTENERS and call.type == "call" and source.mentions(_LISTENERS[verb]):
        listed = positional or [named[key] for key in ("queue", "topic", "queue_name") if key in named]
        for topic in (topic for node in listed for topic in source.words(node)):
            yield MapEntry("consumer", topic, handler, line)


def read_call(source: PythonFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the consumers that a call subscribes, named by topic, queue or subject."""
    owner, name = callee(source.tree, node)
    if name not in _KAFKA and name not in ("subscribe", "basic_consume"):
        return
    positional, named = arguments(source.tree, node)
    here = _function_around(source, place)
    topics: list[str] = []
    handler = here
    if name in _KAFKA:
        topics = [topic for given in positional for topic in source.words(given)]
    elif name == "basic_consume":
        topics, handler = _rabbit(source, positional, named, place)
    elif source.mentions(r"(?:confluent_kafka|kafka|aiokafka)"):
        topics = source.words(first_of(positional, named, "topics"))
    elif source.mentions("nats") and owner:
        topics = source.words(first_of(positional, named, "subject"))
        handler = source.handler(named.get("cb"), place) or here
    for topic in topics:
        yield MapEntry("consumer", topic, handler, source.tree.line(node))


def _rabbit(
    source: PythonFile, positional: list[Node], named: dict[str, Node], place: Place
) -> tuple[list[str], str]:
    """Return queue and handler of pika's `basic_consume`; before pika 1.0 the handler came first."""
    strings = [given for given in positional if source.strings.value(given) is not None]
    others = [given for given in positional if source.strings.value(given) is None]
    queue = named.get("queue") or (strings[0] if strings else None)
    handler = (
        named.get("on_message_callback") or named.get("consumer_callback") or (others[0] if others else None)
    )
    return source.words(queue), source.handler(handler, place)


def _function_around(source: PythonFile, place: Place) -> str:
    for position in range(len(place) - 1, -1, -1):
        if place[position].type == "function_definition":
            return source.qualified(place[position], place[:position])
    return ""
