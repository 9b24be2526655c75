"""gRPC in Python: the methods of a class that implements a generated servicer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.python_calls import PythonFile

_SERVICER = re.compile(r"(?:[\w.]+_pb2_grpc\.)(\w+)Servicer|(\w+)Servicer")


def read_class(source: PythonFile, node: Node) -> Iterator[MapEntry]:
    """Yield `Greeter/SayHello` for methods of `class Hello(pb.GreeterServicer)`; no package is known here."""
    bases = source.tree.field(node, "superclasses")
    matches = [
        _SERVICER.fullmatch(source.tree.short_text(base)) for base in (bases.named_children if bases else ())
    ]
    service = next((match.group(1) or match.group(2) for match in matches if match), "")
    name = source.tree.field_text(node, "name")
    # What the generated module itself declares is the description, not an implementation.
    if not service or "_pb2_grpc" in source.file.name:
        return
    body = source.tree.field(node, "body")
    for child in body.named_children if body is not None else ():
        method = source.tree.field(child, "definition") if child.type == "decorated_definition" else child
        if method is not None and method.type == "function_definition" and _is_rpc(source, method):
            called = source.tree.field_text(method, "name")
            yield MapEntry("rpc", f"{service}/{called}", f"{name}.{called}", source.tree.line(method))


def _is_rpc(source: PythonFile, method: Node) -> bool:
    """Whether it has a name and parameters as generated ones have: `SayHello(self, request, context)`."""
    listed = source.tree.field(method, "parameters")
    names = [source.tree.short_text(child) for child in (listed.named_children if listed is not None else ())]
    is_called_so = source.tree.field_text(method, "name")[:1].isupper()
    return is_called_so and len(names) == 3 and re.match(r"_|req|msg|message", names[1]) is not None
