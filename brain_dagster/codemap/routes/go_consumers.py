"""Go consumers of messages: NATS, AMQP, Kafka (sarama, confluent, kafka-go) and asynq tasks."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.go_calls import FUNCTIONS, GoFile, call, receiver
from brain_dagster.codemap.syntax import INLINE, Place

_KAFKA = "(?:kafka|sarama)"


def read_call(source: GoFile, node: Node, place: Place) -> Iterator[MapEntry]:
    """Yield the consumers that a call subscribes, named by topic, queue or subject."""
    owner, called, given = call(source.tree, node)
    if owner is None or not given:
        return
    here = _function_around(source, place)
    topics: list[str | None] = []
    handler = here
    if called in ("Subscribe", "QueueSubscribe") and source.mentions("nats"):
        topics = [source.strings.value(given[0])]
        handler = source.handler(given[-1], place) if len(given) > 1 else here
    elif called == "Consume" and source.mentions("(?:amqp|amqp091|rabbitmq)"):
        topics = [source.strings.value(given[0])]
    elif called in ("SubscribeTopics", "Subscribe") and source.mentions(_KAFKA):
        topics = [*source.words(given[0]), source.strings.value(given[0])]
    elif called == "ConsumePartition" and source.mentions(_KAFKA):
        topics = [source.strings.value(given[0])]
    elif called == "NewReader" and source.mentions(_KAFKA):
        topics = _of_config(source, given[0])
    elif called == "HandleFunc" and source.mentions("asynq") and len(given) == 2:
        topics, handler = [source.strings.value(given[0])], source.handler(given[1], place)
    for topic in topics:
        if topic and not topic.startswith("/"):
            yield MapEntry("consumer", topic, handler, source.tree.line(node))


def _of_config(source: GoFile, config: Node) -> list[str | None]:
    """Return the topic of kafka-go's `ReaderConfig{Topic: "orders"}`."""
    body = source.tree.field(config, "body")
    found: list[str | None] = []
    for pair in body.named_children if body is not None else ():
        parts = pair.named_children
        if len(parts) == 2 and source.tree.short_text(parts[0]) == "Topic":
            value = parts[1].named_children[0] if parts[1].named_children else parts[1]
            found.append(source.strings.value(value) or source.strings.value(parts[1]))
    return found


def _function_around(source: GoFile, place: Place) -> str:
    around = next(
        (node for node in reversed(place) if node.type in FUNCTIONS and node.type != "func_literal"), None
    )
    name = source.tree.field_text(around, "name")
    return ".".join(filter(None, [receiver(source.tree, around)[1], name])) or INLINE
