"""C# sources: Main, ASP.NET's attributes and minimal APIs, Azure Functions, gRPC services, consumers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.routers import RouterTable, then_entries
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree, handler_name, join_route

_HINT = Hint(
    words=("Main(", "AcceptVerbs", "WebApplication", "Trigger(", "ServerCallContext", "IConsumer<", "[Route"),
    patterns=(
        pattern(r"\[\s*(?:Http[A-Z]\w+|Route)\b"),
        pattern(r"\.Map(?:Get|Post|Put|Patch|Delete|Methods|Group)?\s*\("),
    ),
)
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_ATTRIBUTES = {f"Http{verb.title()}": verb for verb in _VERBS}
_CALLS = {f"Map{verb.title()}": verb for verb in _VERBS[:5]} | {"Map": "ANY", "MapMethods": ""}
_TYPES = ("class_declaration", "record_declaration", "interface_declaration", "struct_declaration")
_TRIGGERS = {"ServiceBusTrigger", "QueueTrigger", "EventHubTrigger", "KafkaTrigger", "RabbitMQTrigger"}
_MAX_CHAIN = 20


class _DotnetFile:
    """A C# source while it is walked."""

    def __init__(self, file: MappedFile) -> None:
        self.tree = SyntaxTree("csharp", file)
        self.file = file
        self.strings = Strings(self.tree)
        self.routers = RouterTable()


def map_dotnet(file: MappedFile) -> Iterator[MapEntry]:
    """Map a C# source; files without a trace of entry point or route are not parsed."""
    if not _HINT.fits(file.text):
        return
    source = _DotnetFile(file)
    yield from then_entries(_walk(source), source.routers)


def _walk(source: _DotnetFile) -> Iterator[MapEntry]:
    kinds = ("method_declaration", "invocation_expression", "variable_declarator")
    for node, place in source.tree.find_within(kinds, _TYPES):
        if node.type == "method_declaration":
            yield from _method(source, node, place)
        elif node.type == "variable_declarator":
            _note_group(source, node)
        else:
            _minimal_route(source, node)


# Attribute name, its unnamed strings, its named arguments, its node.
_Attribute = tuple[str, list[str], dict[str, str], Node]


def _attributes(source: _DotnetFile, node: Node | None) -> Iterator[_Attribute]:
    for listed in node.named_children if node is not None else ():
        for attribute in listed.named_children if listed.type == "attribute_list" else ():
            if attribute.type != "attribute":
                continue
            given = next((c for c in attribute.named_children if c.type == "attribute_argument_list"), None)
            plain: list[str] = []
            named: dict[str, str] = {}
            for argument in given.named_children if given is not None else ():
                value = source.strings.value(argument.named_children[-1]) if argument.named_children else None
                name = source.tree.field_text(argument, "name")
                if value is not None and name and name != "template":
                    named[name] = value
                elif value is not None:
                    plain.append(value)
            yield source.tree.field_text(attribute, "name").removesuffix("Attribute"), plain, named, attribute


def _method(source: _DotnetFile, method: Node, place: Place) -> Iterator[MapEntry]:
    around = place[-1] if place else None
    owner, name = source.tree.field_text(around, "name"), source.tree.field_text(method, "name")
    handler = ".".join(filter(None, [owner, name]))
    modifiers = {source.tree.text(child) for child in method.children if child.type == "modifier"}
    line = source.tree.line(source.tree.field(method, "name") or method)
    if name == "Main" and "static" in modifiers:
        yield MapEntry("entry_point", handler, "static Main", source.tree.line(method))
    yield from _attribute_routes(source, method, around, handler)
    yield from _triggers(source, method, handler, line)
    bases = _bases(source, around)
    service = re.search(r"\b(\w+)\.\1Base\b", bases)
    if (
        service
        and "override" in modifiers
        and "ServerCallContext" in source.tree.field_text(method, "parameters")
    ):
        yield MapEntry("rpc", f"{service.group(1)}/{name}", handler, line)
    if name == "Consume":
        for message in re.findall(r"\bIConsumer<(\w+)>", bases):
            if f"<{message}>" in source.tree.field_text(method, "parameters"):
                yield MapEntry("consumer", message, handler, line)


def _bases(source: _DotnetFile, around: Node | None) -> str:
    children = around.named_children if around is not None else []
    return source.tree.text(next((child for child in children if child.type == "base_list"), None))[:500]


def _attribute_routes(
    source: _DotnetFile, method: Node, around: Node | None, handler: str
) -> Iterator[MapEntry]:
    owner, _, name = handler.rpartition(".")
    prefixes = [
        path for kind, plain, _, _ in _attributes(source, around) if kind == "Route" for path in plain[:1]
    ]
    own = list(_attributes(source, method))
    templates = [plain[0] for kind, plain, _, _ in own if kind == "Route" and plain]
    has_verb = any(kind in _ATTRIBUTES or kind == "AcceptVerbs" for kind, _, _, _ in own)
    for kind, plain, named, attribute in own:
        if kind in _ATTRIBUTES:
            verbs, paths = [_ATTRIBUTES[kind]], plain[:1] or templates or [""]
        elif kind == "AcceptVerbs":
            verbs, paths = (
                [verb.upper() for verb in plain],
                [named["Route"]] if "Route" in named else templates or [""],
            )
        elif kind == "Route" and not has_verb and plain:
            verbs, paths = ["ANY"], plain[:1]
        else:
            continue
        for prefix in prefixes or [""]:
            for path in paths:
                whole = _path(prefix, path, owner, name)
                yield from (
                    MapEntry("route", f"{verb} {whole}", handler, source.tree.line(attribute))
                    for verb in verbs
                )


def _path(prefix: str, template: str, owner: str, action: str) -> str:
    """Apply the template rules of ASP.NET: a leading slash or tilde replaces the prefix of the class."""
    if template.startswith(("/", "~/")):
        prefix, template = "", template.removeprefix("~")
    path = join_route("/", prefix, template)
    return path.replace("[controller]", owner.removesuffix("Controller")).replace("[action]", action)


def _triggers(source: _DotnetFile, method: Node, handler: str, line: int) -> Iterator[MapEntry]:
    """Read Azure's functions: `[HttpTrigger("get", Route = "x")]` and triggers by queue on a parameter."""
    names = [
        plain[0]
        for kind, plain, _, _ in _attributes(source, method)
        if kind in ("FunctionName", "Function") and plain
    ]
    parameters = source.tree.field(method, "parameters")
    for parameter in parameters.named_children if names and parameters is not None else ():
        for kind, plain, named, _ in _attributes(source, parameter):
            if kind == "HttpTrigger":
                for verb in [word.upper() for word in plain if word.upper() in _VERBS] or ["ANY"]:
                    yield MapEntry(
                        "route", f"{verb} {join_route('/', named.get('Route', names[0]))}", handler, line
                    )
            elif kind in _TRIGGERS and plain and not plain[0].startswith("%"):
                yield MapEntry("consumer", plain[0], handler, line)


def _invocation(source: _DotnetFile, node: Node) -> tuple[Node | None, str, list[Node]]:
    function, listed = source.tree.field(node, "function"), source.tree.field(node, "arguments")
    arguments = [child for child in listed.named_children if child.type == "argument"] if listed else []
    given = [argument.named_children[-1] for argument in arguments if argument.named_children]
    return source.tree.field(function, "expression"), source.tree.field_text(function, "name"), given


def _group(source: _DotnetFile, node: Node | None) -> tuple[str, str]:
    """Return the variable that a chain begins with and the prefix of the `MapGroup("/x")` in it."""
    prefix = ""
    for _ in range(_MAX_CHAIN):
        if node is None or node.type != "invocation_expression":
            break
        owner, called, given = _invocation(source, node)
        if called == "MapGroup" and given:
            prefix = (
                join_route(source.strings.value(given[0]) or "", prefix)
                if prefix
                else source.strings.value(given[0]) or ""
            )
        node = owner
    return source.tree.short_text(node), prefix


def _note_group(source: _DotnetFile, node: Node) -> None:
    """Remember `var users = app.MapGroup("/users").RequireAuthorization()`."""
    made = next((child for child in node.named_children if child.type == "invocation_expression"), None)
    if made is not None:
        owner, prefix = _group(source, made)
        name = source.tree.field_text(node, "name")
        if prefix:
            source.routers.make(name, (), prefix, source.routers.find(owner, ()))


def _minimal_route(source: _DotnetFile, node: Node) -> None:
    owner, called, given = _invocation(source, node)
    if called not in _CALLS or len(given) < 2:
        return
    path = source.strings.value(given[0])
    handler = given[-1]
    if path is None or (called == "Map" and not path.startswith("/")):
        return
    verbs = [_CALLS[called]]
    if called == "MapMethods":
        found = re.findall(r'"(\w+)"', source.tree.short_text(given[1]))
        verbs = [verb.upper() for verb in found]
    name, prefix = _group(source, owner)
    detail = (
        INLINE
        if "lambda" in handler.type or "anonymous" in handler.type
        else handler_name(source.tree.text(handler))
    )
    # `app.Map("/admin", branch => {...})` is a branch of the pipeline that may answer or not; it is ANY.
    line = source.tree.line(source.tree.field(source.tree.field(node, "function"), "name") or node)
    whole = join_route("/", prefix, path)
    source.routers.add(source.routers.find(name, ()), verbs, whole, detail, line)
