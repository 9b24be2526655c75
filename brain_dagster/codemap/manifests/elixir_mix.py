"""Elixir's mix.exs, read from its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.manifests.walk import walk
from brain_dagster.codemap.syntax import SyntaxTree


def read_mix(file: MappedFile) -> Iterator[MapEntry]:
    """Read a mix.exs: the application, what it depends on, the umbrella's applications, what is started.

    Dependencies are the tuples `{:name, ...}` within `deps: [...]` and within functions whose name says
    that they list dependencies.
    Errors  NotParsable when the file defines no Mix project.
    """
    tree = SyntaxTree("elixir", file)
    found: list[MapEntry] = []
    described_as: dict[str, str] = {}
    is_project = False
    for node, is_listed in walk(tree.root, file, partial(_lists_dependencies, tree), False):
        if node.type == "call" and tree.field_text(node, "target") == "use":
            is_project = is_project or tree.text(node).split() == ["use", "Mix.Project"]
        elif node.type == "pair":
            found.extend(_of_pair(tree, node, described_as))
        elif node.type == "tuple" and is_listed:
            found.extend(_dependency(tree, node))
    if not is_project:
        raise NotParsable
    yield MapEntry("manifest", file.name, described(*map(described_as.get, ("app", "version"))), 1)
    yield from found


def _of_pair(tree: SyntaxTree, pair: Node, described_as: dict[str, str]) -> Iterator[MapEntry]:
    key, value = _key(tree, pair), tree.field(pair, "value")
    said = _plain(tree, value)
    if value is None:
        return
    if key in ("app", "version") and said:
        described_as.setdefault(key, said)
    elif key == "apps_path" and said:
        yield MapEntry("workspace", said, "mix umbrella apps_path", tree.line(pair))
    elif key == "main_module":
        yield MapEntry("entry_point", tree.text(value), "escript main_module", tree.line(pair))
    elif key == "mod" and value.type == "tuple" and value.named_children:
        started = tree.text(value.named_children[0])
        yield MapEntry("entry_point", started, "application callback module", tree.line(pair))


def _dependency(tree: SyntaxTree, node: Node) -> Iterator[MapEntry]:
    inside = node.named_children
    if len(inside) < 2 or inside[0].type != "atom":
        return
    options = {_key(tree, pair): pair for pair in inside[-1].named_children if pair.type == "pair"}
    values = {key: tree.field(pair, "value") for key, pair in options.items()}
    version = _plain(tree, inside[1])
    place = next((_plain(tree, values[key]) for key in ("git", "github", "path") if key in values), None)
    if version is None and place is None and tree.text(values.get("in_umbrella")) == "true":
        place = "in umbrella"
    only = values.get("only")
    environments = only.named_children if only is not None and only.type == "list" else [only]
    purpose = ", ".join(filter(None, (_plain(tree, environment) for environment in environments)))
    name = tree.text(inside[0]).lstrip(":")
    yield MapEntry("dependency", name, with_purpose(version or place or "", purpose), tree.line(node))


def _lists_dependencies(tree: SyntaxTree, node: Node, around: bool) -> bool:
    """Whether what is inside a node lists dependencies: `deps: [...]`, `defp deps do ... end`."""
    if node.type == "pair":
        return _key(tree, node) == "deps"
    if node.type == "call" and tree.field_text(node, "target") in ("def", "defp"):
        arguments = next((child for child in node.named_children if child.type == "arguments"), None)
        return "dep" in tree.text(arguments)
    # The options of a dependency are no dependencies.
    return around and node.type != "tuple"


def _key(tree: SyntaxTree, pair: Node) -> str:
    return tree.field_text(pair, "key").strip().rstrip(":")


def _plain(tree: SyntaxTree, node: Node | None) -> str | None:
    """Return what a string or an atom says; None for anything else."""
    if node is None:
        return None
    if node.type == "atom":
        return tree.text(node).lstrip(":")
    parts = node.named_children
    is_plain = node.type == "string" and len(parts) == 1 and parts[0].type == "quoted_content"
    return tree.text(parts[0]) if is_plain else None
