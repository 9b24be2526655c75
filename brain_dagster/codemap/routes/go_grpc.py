"""gRPC in Go: the methods of a type that embeds, or is registered as, a generated server."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.go_calls import GoFile, call, parameters, receiver

_EMBEDDED = re.compile(r"\b(?:Unimplemented|Unsafe)(\w+)Server\b")
_REGISTER = re.compile(r"^Register(\w+)Server$")
_TYPE = re.compile(r"(\w+)\s*\{")


class Services:
    """The services of one file; which methods belong to them is known when all of it has been read."""

    def __init__(self, source: GoFile) -> None:
        self._source = source
        self._served: dict[str, tuple[str, int]] = {}
        self._methods: list[tuple[str, str, int]] = []

    def note_type(self, node: Node) -> None:
        """Note `type server struct { pb.UnimplementedGreeterServer }`."""
        kind = self._source.tree.field(node, "type")
        if kind is None or kind.type != "struct_type":
            return
        embedded = _EMBEDDED.search(self._source.tree.text(kind)[:2_000])
        if embedded:
            name = self._source.tree.field_text(node, "name")
            self._served.setdefault(name, (embedded.group(1), self._source.tree.line(node)))

    def note_call(self, node: Node) -> None:
        """Note `pb.RegisterGreeterServer(s, &server{})`."""
        _, called, given = call(self._source.tree, node)
        registered = _REGISTER.match(called)
        if registered and len(given) == 2:
            made = _TYPE.search(self._source.tree.short_text(given[1]))
            # What a variable or a field holds is not told here.
            if made is None:
                return
            name = made.group(1)
            self._served.setdefault(name, (registered.group(1), self._source.tree.line(node)))

    def note_method(self, node: Node) -> None:
        """Note a method with the parameters of a generated one: a context and a message, or a stream."""
        if node.type != "method_declaration":
            return
        name = self._source.tree.field_text(node, "name")
        kinds = [kind for _, kind in parameters(self._source.tree, node)]
        is_unary = len(kinds) == 2 and kinds[0].endswith("context.Context") and kinds[1].startswith("*")
        is_stream = bool(kinds) and re.search(r"\w_\w+Server$|grpc\.\w*Stream\w*", kinds[-1]) is not None
        if name[:1].isupper() and (is_unary or is_stream):
            self._methods.append((receiver(self._source.tree, node)[1], name, self._source.tree.line(node)))

    def entries(self) -> Iterator[MapEntry]:
        """Yield `Greeter/SayHello` for each method found, `Greeter/*` where they are in another file."""
        for kind, (service, line) in self._served.items():
            methods = [(name, at) for owner, name, at in self._methods if owner == kind]
            for name, at in methods:
                yield MapEntry("rpc", f"{service}/{name}", f"{kind}.{name}", at)
            if not methods:
                yield MapEntry("rpc", f"{service}/*", kind, line)
