"""What starts a function in the cloud: the events of a serverless.yml and of an AWS SAM template."""

from __future__ import annotations

from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.manifests.yaml_tree import YamlNode
from brain_dagster.codemap.syntax import join_route

_HTTP_EVENTS = {"http", "httpApi"}
_QUEUE_EVENTS = {"sqs": "arn", "sns": "topicName", "kafka": "topic", "stream": "arn"}
_SAM_APIS = {"Api", "HttpApi"}


def serverless_events(function: YamlNode, handler: str) -> Iterator[MapEntry]:
    """Yield the routes and consumers of one function of a serverless.yml."""
    for event in (function.at("events") or YamlNode(1)).items:
        for kind, line, value in event.entries():
            if kind in _HTTP_EVENTS:
                yield from _http(value, handler, line)
            elif kind in _QUEUE_EVENTS:
                yield from _queue(value.at(_QUEUE_EVENTS[kind]) or value, handler, line)


def _http(value: YamlNode, handler: str, line: int) -> Iterator[MapEntry]:
    """Read `http: GET /users` and `http: {path: users, method: get}`; `*` answers everything."""
    method, _, path = value.text.partition(" ")
    if not value.text:
        stated = [value.at(key) for key in ("method", "path")]
        method, path = (node.text if node is not None else "" for node in stated)
    elif not path:
        method, path = "*", value.text
    if path and "${" not in path:
        verb = "ANY" if method.lower() in ("*", "any", "") else method.upper()
        whole = path if path == "*" else join_route("/", path.strip())
        yield MapEntry("route", f"{verb} {whole}", handler, line)


def _queue(value: YamlNode, handler: str, line: int) -> Iterator[MapEntry]:
    """Read the name of a queue or a topic, which in an ARN is the last part."""
    name = value.text.rpartition(":")[2].removeprefix("stream/")
    if name and "${" not in value.text:
        yield MapEntry("consumer", name, handler, line)


def sam_events(properties: YamlNode, handler: str) -> Iterator[MapEntry]:
    """Yield the routes of one function of a SAM template."""
    for _, line, event in (properties.at("Events") or YamlNode(1)).entries():
        kind, path, method = (
            event.at(*keys) for keys in (("Type",), ("Properties", "Path"), ("Properties", "Method"))
        )
        if kind is not None and kind.text in _SAM_APIS and path is not None and path.text:
            verb = method.text.upper() if method is not None and method.text else "ANY"
            yield MapEntry("route", f"{verb} {join_route('/', path.text)}", handler, line)
