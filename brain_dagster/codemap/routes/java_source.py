"""Java sources: main methods, what annotations declare, routes by call, gRPC services, Lambda handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes.hints import Hint
from brain_dagster.codemap.routes.jvm_annotations import Annotation, AnnotationReader, Annotations
from brain_dagster.codemap.routes.strings import Strings
from brain_dagster.codemap.syntax import INLINE, Place, SyntaxTree, join_route

_BY_CALL_LIBRARIES = ("io.javalin", "spark.Spark", "spark.*", "RouterFunction", "io.vertx")
_HINT = Hint(
    words=(
        "void main", "Mapping", "Listener", "@Path", "@GET", "@POST", "@PUT", "@PATCH", "@DELETE", "@HEAD",
        "@OPTIONS", "@Controller", "@Incoming", "ImplBase", "RequestHandler", "RequestStreamHandler",
        *_BY_CALL_LIBRARIES,
    )
)  # fmt: skip
_BY_CALL = Hint(_BY_CALL_LIBRARIES)
_TYPES = ("class_declaration", "interface_declaration", "record_declaration", "enum_declaration")
_VERBS = {"get", "post", "put", "patch", "delete", "head", "options"}
_SERVICE = re.compile(r"(?:\w+Grpc\s*\.\s*)?(\w+?)(?:Coroutine)?ImplBase$")
_HANDLERS = {"lambda_expression", "method_reference", "identifier", "object_creation_expression"}


def map_java(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Java source; files without a trace of entry point or route are not parsed."""
    if not _HINT.fits(file.text):
        return
    tree = SyntaxTree("java", file)
    strings = Strings(tree)
    reader = AnnotationReader(tree, strings)
    has_calls = _BY_CALL.fits(file.text)
    for node, place in tree.find_within(
        ("method_declaration", "method_invocation", *_TYPES), (*_TYPES, "method_invocation")
    ):
        if node.type == "method_invocation":
            yield from _route_by_call(tree, strings, node, place) if has_calls else ()
        elif node.type == "method_declaration":
            yield from _method(tree, reader, node, place)
        else:
            yield from reader.class_entries(annotations_of(tree, node), tree.field_text(node, "name"))


def _method(tree: SyntaxTree, reader: AnnotationReader, method: Node, place: Place) -> Iterator[MapEntry]:
    around = next((node for node in reversed(place) if node.type in _TYPES), None)
    name = tree.field_text(method, "name")
    handler = ".".join(filter(None, [tree.field_text(around, "name"), name]))
    line = tree.line(tree.field(method, "name") or method)
    if _is_main(tree, method):
        yield MapEntry("entry_point", handler, "public static void main", tree.line(method))
    bases = _bases(tree, around)
    if name == "handleRequest" and re.search(r"\bRequest(?:Stream)?Handler\b", bases):
        yield MapEntry("entry_point", handler, "AWS Lambda handler", line)
    yield from reader.entries(annotations_of(tree, method), annotations_of(tree, around), handler)
    service = _SERVICE.search(bases)
    if service and "StreamObserver" in tree.field_text(method, "parameters"):
        yield MapEntry("rpc", f"{service.group(1)}/{name[:1].upper()}{name[1:]}", handler, line)


def _bases(tree: SyntaxTree, around: Node | None) -> str:
    """Return what a class extends and implements, as written."""
    parts = (tree.field_text(around, field)[:300].strip() for field in ("interfaces", "superclass"))
    return " ".join(parts).strip()


def _is_main(tree: SyntaxTree, method: Node) -> bool:
    modifiers = next((child for child in method.named_children if child.type == "modifiers"), None)
    return (
        tree.field_text(method, "name") == "main"
        and tree.field_text(method, "type") == "void"
        and {"public", "static"} <= set(tree.text(modifiers).split())
    )


def annotations_of(tree: SyntaxTree, node: Node | None) -> Annotations:
    """Return the annotations of a declaration by their simple name."""
    found: dict[str, Annotation] = {}
    children = node.named_children if node is not None else []
    modifiers = next((child for child in children if child.type == "modifiers"), None)
    for annotation in modifiers.named_children if modifiers is not None else ():
        if annotation.type not in ("annotation", "marker_annotation"):
            continue
        arguments: dict[str, list[Node]] = {}
        listed = tree.field(annotation, "arguments")
        for argument in listed.named_children if listed is not None else ():
            value = tree.field(argument, "value") if argument.type == "element_value_pair" else argument
            name = tree.field_text(argument, "key") if argument.type == "element_value_pair" else ""
            if value is not None and not value.type.endswith("comment"):
                many = value.named_children if value.type == "element_value_array_initializer" else [value]
                arguments.setdefault(name, []).extend(many)
        found[tree.field_text(annotation, "name").rpartition(".")[2]] = Annotation(annotation, arguments)
    return found


def _route_by_call(tree: SyntaxTree, strings: Strings, node: Node, place: Place) -> Iterator[MapEntry]:
    """Read `app.get("/x", users::list)` of Javalin and Spark, `route().GET("/x", f)` of Spring."""
    verb = tree.field_text(node, "name")
    listed = tree.field(node, "arguments")
    given = [child for child in listed.named_children if not child.type.endswith("comment")] if listed else []
    path = strings.value(given[0]) if len(given) > 1 else None
    if (
        verb.lower() not in _VERBS
        or path is None
        or not path.startswith("/")
        or given[-1].type not in _HANDLERS
    ):
        return
    handler = tree.short_text(given[-1]) if given[-1].type in ("method_reference", "identifier") else INLINE
    whole = join_route(*_paths_around(tree, strings, place), path)
    yield MapEntry("route", f"{verb.upper()} {whole}", handler.replace("::", "."), tree.line(node))


def _paths_around(tree: SyntaxTree, strings: Strings, place: Place) -> Iterator[str]:
    """Yield the prefixes of `path("/users", () -> {...})` around a call, outermost first."""
    for around in place:
        if around.type == "method_invocation" and tree.field_text(around, "name") in ("path", "nest"):
            listed = tree.field(around, "arguments")
            yield strings.value(listed.named_children[0]) or "" if listed and listed.named_children else ""
