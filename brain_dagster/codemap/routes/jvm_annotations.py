"""What annotations mean in Java and in Kotlin: Spring, JAX-RS, Micronaut, listeners of queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import SyntaxTree, join_route

_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
_SPRING = {f"{verb.title()}Mapping": verb for verb in _VERBS[:5]}
_MICRONAUT = {verb.title(): verb for verb in _VERBS}
_CLIENTS = {"FeignClient", "Client", "RegisterRestClient"}
# Annotations of listeners with the arguments that may name what they listen to.
_LISTENERS: dict[str, tuple[str, ...]] = {
    "KafkaListener": ("topics", "topicPattern"),
    "RabbitListener": ("queues", "queuesToDeclare"),
    "JmsListener": ("destination",),
    "SqsListener": ("", "value", "queueNames"),
    "PulsarListener": ("topics",),
    "StreamListener": ("", "value", "target"),
    "RocketMQMessageListener": ("topic",),
    "Incoming": ("", "value"),
    "Topic": ("", "value"),
    "Queue": ("", "value"),
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation of a declaration; what it says without a name is under the empty name."""

    node: Node
    arguments: dict[str, list[Node]]


Annotations = Mapping[str, Annotation]


class AnnotationReader:
    """Reads routes and consumers from the annotations of methods and of the classes around them."""

    def __init__(self, tree: SyntaxTree, strings: Strings) -> None:
        self._tree = tree
        self._strings = strings

    def entries(self, own: Annotations, of_class: Annotations, handler: str) -> Iterator[MapEntry]:
        """Yield what the annotations of one method say it answers."""
        for name, annotation in own.items():
            line = self._tree.line(annotation.node)
            for topic in self._topics(name, annotation):
                yield MapEntry("consumer", topic, handler, line)
            # An interface for calling somebody else's service names the routes of that one.
            if not _CLIENTS & of_class.keys():
                for route in self._routes(name, annotation, own, of_class):
                    yield MapEntry("route", route, handler, line)

    def class_entries(self, of_class: Annotations, name: str) -> Iterator[MapEntry]:
        """Yield the consumer that a class is as a whole, `@RocketMQMessageListener(topic = "x")`."""
        for called in _LISTENERS.keys() & of_class.keys() - {"Topic", "Queue"}:
            for topic in self._topics(called, of_class[called]):
                yield MapEntry("consumer", topic, name, self._tree.line(of_class[called].node))

    def _topics(self, name: str, annotation: Annotation) -> list[str]:
        nodes = [node for key in _LISTENERS.get(name, ()) for node in annotation.arguments.get(key, [])]
        return [topic for topic in map(self._strings.value, nodes) if topic and not topic.startswith("${")]

    def _routes(
        self, name: str, annotation: Annotation, own: Annotations, of_class: Annotations
    ) -> Iterator[str]:
        if name in _SPRING or name == "RequestMapping":
            verbs = [_SPRING[name]] if name in _SPRING else self._request_methods(annotation)
            around, paths = of_class.get("RequestMapping"), self._paths(annotation)
        elif name in _VERBS and ("Path" in own or "Path" in of_class):
            verbs, around = [name], of_class.get("Path")
            paths = self._paths(own["Path"]) if "Path" in own else [""]
        elif name in _MICRONAUT and "Controller" in of_class:
            verbs, around, paths = [_MICRONAUT[name]], of_class["Controller"], self._paths(annotation)
        else:
            return
        for prefix in self._paths(around):
            for path in paths:
                yield from (f"{verb} {join_route('/', prefix, path)}" for verb in verbs)

    def _paths(self, annotation: Annotation | None) -> list[str]:
        """Return the paths an annotation gives, the empty one if it gives none; none that cannot be read."""
        arguments = annotation.arguments if annotation is not None else {}
        nodes = next((arguments[key] for key in ("", "value", "path", "uri") if key in arguments), [])
        if not nodes:
            return [""]
        return [path for path in map(self._strings.value, nodes) if path is not None]

    def _request_methods(self, annotation: Annotation) -> list[str]:
        named = [
            self._tree.short_text(node).rpartition(".")[2] for node in annotation.arguments.get("method", [])
        ]
        return [name for name in named if name in _VERBS] or ["ANY"]
