"""Ruby's Gemfile and gemspecs, read from syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.manifests.walk import walk
from brain_dagster.codemap.syntax import SyntaxTree

_GEMSPEC = {
    "add_dependency": "",
    "add_runtime_dependency": "",
    "add_development_dependency": "dev",
}
_MOST_VALUES = 200
_MOST_GROUPS = 20


def read_gemfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read a Gemfile: gems with their versions and the groups around them."""
    yield MapEntry("manifest", file.name, "", 1)
    tree = SyntaxTree("ruby", file)

    def inherit(node: Node, around: tuple[str, ...]) -> tuple[str, ...]:
        return (*around, *_groups(tree, node))[:_MOST_GROUPS] if node.type == "call" else around

    outside: tuple[str, ...] = ()
    for call, around in walk(tree.root, file, inherit, outside):
        if call.type != "call" or tree.field(call, "receiver") is not None:
            continue
        if tree.field_text(call, "method") != "gem":
            continue
        positional, named = _arguments(tree, call)
        name = _string(tree, positional[0]) if positional else None
        if name is None:
            continue
        versions = [text for node in positional[1:] for text in _values(tree, node)]
        own = [text for key in ("group", "groups") for text in _values(tree, named.get(key))]
        place = [text for key in ("git", "github", "path") for text in _values(tree, named.get(key))]
        spec = ", ".join(versions or place)
        purpose = ", ".join([*around, *own])
        yield MapEntry("dependency", name, with_purpose(spec, purpose), tree.line(call))


def _groups(tree: SyntaxTree, node: Node) -> list[str]:
    """Return the names of `group :development, :test do`; empty for anything else."""
    if tree.field_text(node, "method") != "group":
        return []
    positional, _ = _arguments(tree, node)
    return [text for one in positional for text in _values(tree, one)]


def read_gemspec(file: MappedFile) -> Iterator[MapEntry]:
    """Read a gemspec: the gem, what it depends on, the commands it installs.

    Errors  NotParsable when the file specifies no gem.
    """
    tree = SyntaxTree("ruby", file)
    found: list[MapEntry] = []
    described_as: dict[str, str] = {}
    line = 0
    for node in tree.find("call", "assignment", "binary"):
        if node.type == "call":
            if tree.field_text(node, "receiver") == "Gem::Specification":
                line = line or tree.line(node)
                given = map(partial(_string, tree), _arguments(tree, node)[0])
                described_as |= {
                    key: said for key, said in zip(("name", "version"), given, strict=False) if said
                }
            found.extend(_gemspec_dependency(tree, node))
            continue
        key = tree.field_text(tree.field(node, "left"), "method")
        right = tree.field(node, "right")
        if node.type == "assignment" and key in ("name", "version"):
            described_as.setdefault(key, _string(tree, right) or "")
        elif key == "executables":
            found += [MapEntry("entry_point", text, "gem executable", tree.line(node))
                      for text in _values(tree, right)]  # fmt: skip
    if not line:
        raise NotParsable
    yield MapEntry("manifest", file.name, described(*map(described_as.get, ("name", "version"))), line)
    yield from found


def _gemspec_dependency(tree: SyntaxTree, call: Node) -> Iterator[MapEntry]:
    method = tree.field_text(call, "method")
    positional, _ = _arguments(tree, call)
    if method not in _GEMSPEC or not positional:
        return
    names = _values(tree, positional[0])
    versions = [text for node in positional[1:] for text in _values(tree, node)]
    for name in names[:1]:
        spec = with_purpose(", ".join(versions), _GEMSPEC[method])
        yield MapEntry("dependency", name, spec, tree.line(call))


def _arguments(tree: SyntaxTree, call: Node) -> tuple[list[Node], dict[str, Node]]:
    """Return the positional and the named arguments, `group: x` and `:group => x` alike."""
    listed = tree.field(call, "arguments")
    positional: list[Node] = []
    named: dict[str, Node] = {}
    for argument in listed.named_children if listed is not None else ():
        value = tree.field(argument, "value")
        if argument.type == "pair" and value is not None:
            named[tree.field_text(argument, "key").strip(":\"'")] = value
        elif argument.type not in ("pair", "comment"):
            positional.append(argument)
    return positional, named


def _string(tree: SyntaxTree, node: Node | None) -> str | None:
    """Return what a plain string says; None for strings with values in them."""
    if node is None or node.type not in ("string", "bare_string"):
        return None
    parts = node.named_children
    return tree.text(parts[0]) if len(parts) == 1 and parts[0].type == "string_content" else None


def _values(tree: SyntaxTree, node: Node | None) -> list[str]:
    """Return the strings and symbols of a value: one, a list, `%w[...]`, or one with `.freeze` behind it."""
    found: list[str] = []
    waiting = [node]
    for _ in range(_MOST_VALUES):
        if not waiting:
            break
        here = waiting.pop()
        if here is None:
            continue
        if here.type in ("simple_symbol", "hash_key_symbol", "bare_symbol"):
            found.append(tree.text(here).lstrip(":"))
        elif here.type == "call" and tree.field_text(here, "method") == "freeze":
            waiting.append(tree.field(here, "receiver"))
        elif here.type in ("array", "string_array", "symbol_array"):
            waiting.extend(reversed(list(islice(here.named_children, _MOST_VALUES))))
        else:
            text = _string(tree, here)
            found += [text] if text is not None else []
    return found
