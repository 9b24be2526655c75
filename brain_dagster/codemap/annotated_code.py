"""Java and C# sources: main methods, Spring and JAX-RS annotations, ASP.NET attributes and minimal APIs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.syntax import INLINE, SyntaxTree, ancestors, handler_name, join_route

_JAVA_HINT = re.compile(
    r"\bstatic\s+void\s+main\b|@(?:\w+Mapping|Path|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b"
)
_SPRING = {f"{verb.title()}Mapping": verb for verb in ("GET", "POST", "PUT", "PATCH", "DELETE")}
_JAX_RS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
_JAVA_TYPES = ("class_declaration", "interface_declaration", "record_declaration", "enum_declaration")

_NET_HINT = re.compile(r"\bMain\s*\(|\[\s*(?:Http\w+|Route)\b|\.Map(?:Get|Post|Put|Patch|Delete)\s*\(")
_NET_VERBS = {
    f"Http{verb.title()}": verb for verb in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
}
_NET_CALLS = {f"Map{verb.title()}": verb for verb in ("GET", "POST", "PUT", "PATCH", "DELETE")}

# What an annotation says by name, e.g. `value` or `method`; its unnamed arguments are under "".
Arguments = dict[str, list[Node]]


def map_java(file: MappedFile) -> Iterator[MapEntry]:
    """Map a Java source; files without a trace of entry point or route are not parsed."""
    if _JAVA_HINT.search(file.text) is None:
        return
    tree = SyntaxTree("java", file)
    for method in tree.find("method_declaration"):
        around = next((node for node in ancestors(method) if node.type in _JAVA_TYPES), None)
        handler = ".".join(filter(None, [tree.field_text(around, "name"), tree.field_text(method, "name")]))
        if _is_java_main(tree, method):
            yield MapEntry("entry_point", handler, "public static void main", tree.line(method))
        yield from _java_routes(tree, method, around, handler)


def _is_java_main(tree: SyntaxTree, method: Node) -> bool:
    modifiers = next((child for child in method.named_children if child.type == "modifiers"), None)
    words = tree.text(modifiers).split()
    return (
        tree.field_text(method, "name") == "main"
        and tree.field_text(method, "type") == "void"
        and {"public", "static"} <= set(words)
    )


def _java_annotations(tree: SyntaxTree, node: Node | None) -> dict[str, tuple[Node, Arguments]]:
    """Return the annotations of a declaration by their simple name."""
    found: dict[str, tuple[Node, Arguments]] = {}
    children = node.named_children if node is not None else []
    modifiers = next((child for child in children if child.type == "modifiers"), None)
    for annotation in modifiers.named_children if modifiers is not None else ():
        if annotation.type not in ("annotation", "marker_annotation"):
            continue
        arguments: Arguments = {}
        listed = tree.field(annotation, "arguments")
        for argument in listed.named_children if listed is not None else ():
            value = tree.field(argument, "value") if argument.type == "element_value_pair" else argument
            name = tree.field_text(argument, "key") if argument.type == "element_value_pair" else ""
            if value is not None:
                many = value.named_children if value.type == "element_value_array_initializer" else [value]
                arguments.setdefault(name, []).extend(many)
        found[tree.field_text(annotation, "name").rpartition(".")[2]] = (annotation, arguments)
    return found


def _paths(tree: SyntaxTree, arguments: Arguments) -> list[str]:
    nodes = arguments.get("") or arguments.get("value") or arguments.get("path") or []
    return [path for path in map(tree.literal, nodes) if path is not None] or [""]


def _java_routes(tree: SyntaxTree, method: Node, around: Node | None, handler: str) -> Iterator[MapEntry]:
    own, of_class = _java_annotations(tree, method), _java_annotations(tree, around)
    # A Feign client names the routes of somebody else.
    if "FeignClient" in of_class:
        return
    for name, (annotation, arguments) in own.items():
        if name in _SPRING or name == "RequestMapping":
            verbs = [_SPRING[name]] if name in _SPRING else _request_methods(tree, arguments)
            _, around_arguments = of_class.get("RequestMapping", (annotation, {}))
            paths = _paths(tree, arguments)
        elif name in _JAX_RS and ("Path" in own or "Path" in of_class):
            verbs = [name]
            _, around_arguments = of_class.get("Path", (annotation, {}))
            paths = _paths(tree, own["Path"][1]) if "Path" in own else [""]
        else:
            continue
        for prefix in _paths(tree, around_arguments):
            for path in paths:
                for verb in verbs:
                    route = f"{verb} {join_route(prefix, path)}"
                    yield MapEntry("route", route, handler, tree.line(annotation))


def _request_methods(tree: SyntaxTree, arguments: Arguments) -> list[str]:
    named = [tree.text(node).rpartition(".")[2] for node in arguments.get("method", [])]
    return named or ["ANY"]


def map_dotnet(file: MappedFile) -> Iterator[MapEntry]:
    """Map a C# source; files without a trace of entry point or route are not parsed."""
    if _NET_HINT.search(file.text) is None:
        return
    tree = SyntaxTree("csharp", file)
    groups: dict[str, str] = {}
    for node in tree.find("method_declaration", "invocation_expression", "variable_declarator"):
        if node.type == "method_declaration":
            yield from _dotnet_method(tree, node)
        elif node.type == "variable_declarator":
            _note_group(tree, node, groups)
        else:
            yield from _minimal_route(tree, node, groups)


def _attributes(tree: SyntaxTree, node: Node | None) -> Iterator[tuple[str, str | None, Node]]:
    """Yield name, first string argument and node of each attribute of a declaration."""
    for listed in node.named_children if node is not None else ():
        for attribute in listed.named_children if listed.type == "attribute_list" else ():
            if attribute.type != "attribute":
                continue
            given = next((c for c in attribute.named_children if c.type == "attribute_argument_list"), None)
            first = given.named_children[0] if given is not None and given.named_children else None
            value = (
                tree.literal(first.named_children[-1]) if first is not None and first.named_children else None
            )
            yield tree.field_text(attribute, "name").removesuffix("Attribute"), value, attribute


def _dotnet_method(tree: SyntaxTree, method: Node) -> Iterator[MapEntry]:
    around = next((node for node in ancestors(method) if node.type == "class_declaration"), None)
    owner, name = tree.field_text(around, "name"), tree.field_text(method, "name")
    handler = ".".join(filter(None, [owner, name]))
    modifiers = {tree.text(child) for child in method.children if child.type == "modifier"}
    if name == "Main" and "static" in modifiers:
        yield MapEntry("entry_point", handler, "static Main", tree.line(method))
    prefixes = [
        value for kind, value, _ in _attributes(tree, around) if kind == "Route" and value is not None
    ]
    own = list(_attributes(tree, method))
    template = next((value for kind, value, _ in own if kind == "Route" and value is not None), "")
    for kind, value, attribute in own:
        if kind in _NET_VERBS:
            for prefix in prefixes or [""]:
                path = _dotnet_path(prefix, template if value is None else value, owner, name)
                yield MapEntry("route", f"{_NET_VERBS[kind]} {path}", handler, tree.line(attribute))


def _dotnet_path(prefix: str, template: str, owner: str, action: str) -> str:
    """Apply the template rules of ASP.NET: a leading slash or tilde replaces the prefix of the class."""
    if template.startswith(("/", "~/")):
        prefix, template = "", template.removeprefix("~")
    path = join_route(prefix, template)
    return path.replace("[controller]", owner.removesuffix("Controller")).replace("[action]", action)


def _invocation(tree: SyntaxTree, node: Node) -> tuple[str, str, list[Node]]:
    function, listed = tree.field(node, "function"), tree.field(node, "arguments")
    arguments = [child for child in listed.named_children if child.type == "argument"] if listed else []
    given = [argument.named_children[-1] for argument in arguments if argument.named_children]
    return tree.field_text(function, "expression"), tree.field_text(function, "name"), given


def _note_group(tree: SyntaxTree, node: Node, groups: dict[str, str]) -> None:
    """Remember `var users = app.MapGroup("/users")`."""
    made = next((child for child in node.named_children if child.type == "invocation_expression"), None)
    if made is None:
        return
    owner, method, given = _invocation(tree, made)
    prefix = tree.literal(given[0]) if given and method == "MapGroup" else None
    if prefix is not None:
        groups[tree.field_text(node, "name")] = join_route(groups.get(owner, ""), prefix)


def _minimal_route(tree: SyntaxTree, node: Node, groups: dict[str, str]) -> Iterator[MapEntry]:
    owner, called, given = _invocation(tree, node)
    if called not in _NET_CALLS or len(given) < 2:
        return
    path = tree.literal(given[0])
    if path is None:
        return
    detail = INLINE if "lambda" in given[1].type else handler_name(tree.text(given[1]))
    route = f"{_NET_CALLS[called]} {join_route(groups.get(owner, ''), path)}"
    yield MapEntry("route", route, detail, tree.line(node))
