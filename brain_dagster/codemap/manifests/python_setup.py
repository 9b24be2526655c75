"""Python before pyproject.toml: setup.cfg, and what is written out plainly in setup.py."""

from __future__ import annotations

from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as ConfigError

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described
from brain_dagster.codemap.manifests.python_project import requirement_entry
from brain_dagster.codemap.syntax import SyntaxTree

_SCRIPTS = {"console_scripts": "console script", "gui_scripts": "gui script"}
_LISTS = {"install_requires": "", "setup_requires": "build", "tests_require": "test"}
# setup() calls name a list through one or two variables; a longer chain is a program.
_MOST_STEPS = 2_000


def _script_entry(group: str, text: str, line: int) -> Iterator[MapEntry]:
    """Yield the entry point that `name = module:function` names."""
    name, _, target = (part.strip() for part in text.partition("="))
    if name and target:
        yield MapEntry("entry_point", name, f"{_SCRIPTS.get(group, f'plugin of {group}')}: {target}", line)


def _required(text: str, purpose: str, line: int) -> Iterator[MapEntry]:
    entry = requirement_entry(text, purpose, line)
    if entry:
        yield entry


def read_setup_cfg(file: MappedFile) -> Iterator[MapEntry]:
    """Read a setup.cfg; one that only configures tools says nothing about the project."""
    config = ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(file.text)
    except ConfigError as error:
        raise NotParsable(getattr(error, "lineno", None)) from error
    if not (config.has_section("metadata") or config.has_section("options")):
        return
    of = dict(config["metadata"]) if config.has_section("metadata") else {}
    yield MapEntry("manifest", file.name, described(of.get("name"), of.get("version")), 1)
    for section, key, line, text in _cfg_values(file):
        if section == "options" and key in _LISTS:
            yield from _required(text, _LISTS[key], line)
        elif section == "options.extras_require":
            yield from _required(text, f"extra {key}", line)
        elif section == "options.entry_points":
            yield from _script_entry(key, text, line)


def _cfg_values(file: MappedFile) -> Iterator[tuple[str, str, int, str]]:
    """Yield section, option, line and text of every line that holds a value, as ConfigParser reads them."""
    section, key = "", ""
    for number, line in file.numbered_lines():
        text = line.strip()
        if not text or text.startswith(("#", ";")):
            continue
        if not line[0].isspace() and text.startswith("["):
            section, key = text[1:].partition("]")[0], ""
        elif line[0].isspace() and key:
            yield section, key, number, text
        else:
            end = min((at for at in (text.find("="), text.find(":")) if at > 0), default=len(text))
            key = text[:end].strip().lower()
            if text[end + 1 :].strip():
                yield section, key, number, text[end + 1 :].strip()


def read_setup_py(file: MappedFile) -> Iterator[MapEntry]:
    """Read the arguments of `setup(...)` that are literals, or names of literals of the module.

    What a program works out - a version read from a file, a list that depends on the platform - is not here.
    """
    tree = SyntaxTree("python", file)
    named = _module_literals(tree)
    for call in tree.find("call"):
        if tree.field_text(call, "function") not in ("setup", "setuptools.setup"):
            continue
        given = dict(_keywords(tree, call))
        name, version = (tree.literal(_value(tree, given.get(key), named)) for key in ("name", "version"))
        yield MapEntry("manifest", file.name, described(name, version), tree.line(call))
        for key, purpose in _LISTS.items():
            for text, line in _strings(tree, given.get(key), named):
                yield from _required(text, purpose, line)
        for extra, value in _items(tree, given.get("extras_require"), named):
            for text, line in _strings(tree, value, named):
                yield from _required(text, f"extra {extra}", line)
        for group, text, line in _entry_points(tree, given.get("entry_points"), named):
            yield from _script_entry(group, text, line)
        for text, line in _strings(tree, given.get("scripts"), named):
            yield MapEntry("entry_point", text.rpartition("/")[2], f"script: {text}", line)
        return


def _entry_points(
    tree: SyntaxTree, node: Node | None, named: dict[str, Node]
) -> Iterator[tuple[str, str, int]]:
    """Yield group, text and line of entry points: a dictionary of lists, or one text with `[groups]`."""
    for group, value in _items(tree, node, named):
        yield from ((group, text, line) for text, line in _strings(tree, value, named))
    whole = _value(tree, node, named)
    group = ""
    for text, line in _strings(tree, whole, named) if whole is not None and whole.type == "string" else ():
        if text.startswith("["):
            group = text.strip("[] ")
        elif group and not text.startswith("#"):
            yield group, text, line


def _module_literals(tree: SyntaxTree) -> dict[str, Node]:
    """Return what the names of the module stand for, as long as each is assigned once."""
    found: dict[str, Node] = {}
    twice: set[str] = set()
    for statement in tree.root.named_children:
        # The grammar's releases differ in whether a statement is a node of its own.
        node = statement
        if statement.type == "expression_statement" and statement.named_children:
            node = statement.named_children[0]
        if node.type != "assignment":
            continue
        name, value = tree.field_text(node, "left"), tree.field(node, "right")
        if name in found:
            twice.add(name)
        elif value is not None:
            found[name] = value
    return {name: value for name, value in found.items() if name not in twice}


def _keywords(tree: SyntaxTree, call: Node) -> Iterator[tuple[str, Node]]:
    arguments = tree.field(call, "arguments")
    for argument in arguments.named_children if arguments is not None else ():
        value = tree.field(argument, "value")
        if argument.type == "keyword_argument" and value is not None:
            yield tree.field_text(argument, "name"), value


def _value(tree: SyntaxTree, node: Node | None, named: dict[str, Node]) -> Node | None:
    if node is not None and node.type == "identifier":
        return named.get(tree.text(node))
    return node


def _items(tree: SyntaxTree, node: Node | None, named: dict[str, Node]) -> Iterator[tuple[str, Node]]:
    """Yield the pairs of a dictionary whose keys are literals."""
    table = _value(tree, node, named)
    for pair in table.named_children if table is not None and table.type == "dictionary" else ():
        key, value = tree.literal(tree.field(pair, "key")), tree.field(pair, "value")
        if pair.type == "pair" and key is not None and value is not None:
            yield key, value


def _strings(tree: SyntaxTree, node: Node | None, named: dict[str, Node]) -> Iterator[tuple[str, int]]:
    """Yield the strings of a list, of lists that are added up, or of one string line by line."""
    waiting = [node]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return
        here = _value(tree, waiting.pop(), named)
        if here is None:
            continue
        if here.type in ("list", "tuple", "set", "binary_operator", "list_splat", "parenthesized_expression"):
            waiting.extend(reversed(here.named_children))
        elif here.type == "string":
            text, line = tree.literal(here) or "", tree.line(here)
            for offset, one in enumerate(text.split("\n")):
                if one.strip():
                    yield one.strip(), line + offset
