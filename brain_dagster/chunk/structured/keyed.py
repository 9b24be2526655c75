"""Reads data with keys (YAML, TOML, JSON) and CMake: which entries stand in which, and what they are called.

One row per format names the kinds of its tree-sitter grammar that matter. No function here calls itself, and
every node looked at is counted: trees come from hostile files (E6).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from brain_dagster.chunk.damage import error_bytes, first_error_line
from brain_dagster.chunk.language import kinds
from brain_dagster.chunk.structured.entries import (
    HEADER_CHARS,
    NAME_CHARS,
    NAME_ENTRIES,
    NAMES,
    Entry,
    numbered,
    one_line,
    with_plain_line_ends,
)
from brain_dagster.chunk.trees import OverBudget, parsed

MAX_BYTES = 8_000_000  # the tree of a text of numbers takes fifty times its size in memory
MAX_NODES = 500_000
MAX_CHILDREN = 200_000  # of one node: the binding makes a list of them, some 100 bytes each
MAX_WRAPPERS = 1_000  # between an entry and those inside it
# At some 250 levels of blocks the scanner of the YAML grammar writes past its buffer and ends the process
# (measured December 2026).
MAX_BLOCKS = 100
_INDENTED = re.compile(rb"^([ \t]*)((?:[-?:][ \t]+)*)", re.MULTILINE)


@dataclass(frozen=True)
class KeyedFormat:
    """How to read the syntax tree of one format.

    entries   kind -> where its key is: kinds of a child, steps joined by `/`; `*` is the first child, and
              nothing means an element of a list; `&` joins the parts of a key
    lists     nodes whose every part is an element
    through   nodes that only wrap or gather entries
    repeated  entries that make up a list though each has the same key: `[[package]]`
    document  one of several documents in a file
    leaves    entries that are not opened, however large
    bare      entries without a key that are no elements either: blocks under a condition
    comments  how a line of comment begins, or what encloses a comment, as two words
    """

    grammar: str
    entries: Mapping[str, str]
    lists: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()
    document: str = ""
    leaves: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    comments: tuple[str, ...] = ("#",)


_COMMENTS = kinds("comment line_comment bracket_comment")
_TOML_KEY = "bare_key dotted_key quoted_key"

KEYED: Mapping[str, KeyedFormat] = {
    "yaml": KeyedFormat(
        grammar="yaml",
        entries={"block_mapping_pair": "*", "flow_pair": "*", "block_sequence_item": ""},
        lists=kinds("flow_sequence"),
        through=kinds(
            "document block_node flow_node block_mapping flow_mapping block_sequence flow_sequence"
        ),
        document="document",
    ),
    "toml": KeyedFormat(
        grammar="toml",
        entries={"pair": _TOML_KEY, "table": _TOML_KEY, "table_array_element": _TOML_KEY},
        lists=kinds("array"),
        through=kinds("array inline_table"),
        repeated=kinds("table_array_element"),
    ),
    "json": KeyedFormat(
        grammar="json",
        entries={"pair": "*"},
        lists=kinds("array"),
        through=kinds("array object"),
        comments=("//", "/* */"),
    ),
    "cmake": KeyedFormat(
        grammar="cmake",
        entries={
            "function_def": "function_command/argument_list/argument",
            "macro_def": "macro_command/argument_list/argument",
            "normal_command": "identifier&argument_list/argument",
            "if_condition": "",
            "foreach_loop": "",
            "while_loop": "",
            "block_def": "",
        },
        through=kinds("body"),
        leaves=kinds("function_def macro_def normal_command"),
        bare=kinds("if_condition foreach_loop while_loop block_def"),
    ),
}
"""The formats that are cut at keys, by the names `language_of` gives."""


class KeyedReader:
    """The tree of one text and the entries in it."""

    def __init__(self, form: KeyedFormat, content: bytes) -> None:
        if len(content) > MAX_BYTES:
            raise OverBudget(f"more than {MAX_BYTES // 1_000_000} MB of {form.grammar}")
        self.form = form
        self.comments = form.comments
        self._content = with_plain_line_ends(content)
        if form.grammar == "yaml" and _indented_too_deep(self._content):
            raise OverBudget(f"blocks nested deeper than {MAX_BLOCKS}")
        self._left = MAX_NODES
        self._root = parsed(form.grammar, self._content).root_node
        documents = sum(child.type == form.document for child in self._children(self._root))
        self._document = form.document if documents > 1 else None  # a single one is the file itself

    def top(self) -> list[Entry[Node]]:
        """Return the entries at the top level, in order."""
        return self._entries(self._root)

    def inside(self, entry: Entry[Node]) -> list[Entry[Node]]:
        """Return the entries right inside another, in order."""
        return [] if entry.inner.type in self.form.leaves else self._entries(entry.inner)

    def header(self, entry: Entry[Node]) -> str:
        """Return the line that introduces an entry, e.g. `services:`, without what it opens."""
        end = min(entry.end, entry.start + 4 * HEADER_CHARS)
        inside = next((node.start_byte for node in self._nodes_inside(entry.inner)), end)
        text = self._content[entry.start : min(inside, end) if inside > entry.start else end]
        header = one_line(text.partition(b"\n")[0], HEADER_CHARS).rstrip("{[ ")
        return header if re.search(r"\w", header) else entry.name

    def trouble(self) -> tuple[int, int] | None:
        """Return how many bytes were not understood and the first line of them; None if all were."""
        if not self._root.has_error:
            return None
        broken = error_bytes(self._root)
        if self._root.is_error:  # which says nothing of how much is wrong
            broken = len(self._content) - sum(entry.end - entry.start for entry in self.top())
        return broken, first_error_line(self._root)

    def _entries(self, node: Node) -> list[Entry[Node]]:
        found = [self._entry(each) for each in self._nodes_inside(node)]
        is_list = bool(found) and found[0].inner.type in self.form.repeated
        repeated = (entry for entry in found if is_list or entry.inner.type in self.form.repeated)
        numbered(repeated, shared_keys=True)
        listed = [entry for entry in found if entry.inner.type not in self.form.bare]
        numbered(listed, shared_keys=False)
        return found

    def _nodes_inside(self, node: Node) -> Iterator[Node]:
        """Yield the nodes of the entries inside a node, looking through what only wraps them."""
        form = self.form
        stack = [(iter(self._children(node)), node.type in form.lists)]
        while stack:
            children, in_list = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
            elif child.type in _COMMENTS:
                continue
            elif in_list or child.type in form.entries or child.type == self._document:
                yield child
            elif child.type in form.through or child.is_error:
                if len(stack) > MAX_WRAPPERS:
                    raise OverBudget(f"nested too deep at line {child.start_point.row + 1}")
                stack.append((iter(self._children(child)), child.type in form.lists))

    def _entry(self, node: Node) -> Entry[Node]:
        where = self.form.entries.get(node.type, "")
        parts = (self._text(self._key(node, path)) for path in where.split("&"))
        key = " ".join(filter(None, parts)) if where else ""
        has_name = (not key and node.type not in self.form.bare) or node.type in self.form.repeated
        return Entry(node.start_byte, node.end_byte, key, self._own_name(node) if has_name else "", node)

    def _key(self, node: Node, where: str) -> Node | None:
        if where == "*":
            return node.named_child(0)
        found: Node | None = node
        for step in where.split("/"):
            if found is None:
                return None
            wanted = step.split()
            found = next((child for child in self._children(found) if child.type in wanted), None)
        return found

    def _own_name(self, node: Node) -> str:
        """Return the plain value of the first of NAMES that an element has."""
        said: dict[str, str] = {}
        for number, each in enumerate(self._nodes_inside(node)):
            where = self.form.entries.get(each.type, "")
            if number >= NAME_ENTRIES or not where:
                break
            key = self._text(self._key(each, where)).lower()
            value = each.named_child(each.named_child_count - 1) if key in NAMES else None
            if value is not None and self._is_plain(value):
                said.setdefault(key, self._text(value))
        return next((said[name] for name in NAMES if said.get(name)), "")

    def _is_plain(self, value: Node) -> bool:
        """Whether a value is a scalar on one line: nothing in it has entries of its own."""
        is_short = value.start_point.row == value.end_point.row
        return is_short and next(self._nodes_inside(value), None) is None

    def _text(self, node: Node | None) -> str:
        """Return a key or name on one line, without quotes; `` if it is none to speak of."""
        if node is None or node.end_byte - node.start_byte > 4 * NAME_CHARS:
            return ""
        text = self._content[node.start_byte : node.end_byte].strip(b"\"' \t\r\n")
        return one_line(text, NAME_CHARS)

    def _children(self, node: Node) -> list[Node]:
        count = node.named_child_count
        if count > MAX_CHILDREN:
            raise OverBudget(f"a node with {count:,} parts at line {node.start_point.row + 1}")
        self._left -= count
        if self._left < 0:
            raise OverBudget(f"more than {MAX_NODES:,} nodes to look at")
        return node.named_children


def _indented_too_deep(content: bytes) -> bool:
    """Tell whether more blocks of YAML are open at once than its grammar bears.

    A line's own column opens one, and so does each `- ` in front of it. A string of several lines may count
    for more than it is, which costs it no more than its keys.
    """
    columns: list[int] = []
    for line in _INDENTED.finditer(content):
        if not line[2] and content[line.end() : line.end() + 1] in (b"", b"\n", b"\r", b"#"):
            continue
        column = len(line[1])
        while columns and columns[-1] >= column:
            columns.pop()
        columns.append(column)
        columns.extend(column + 1 + place for place, byte in enumerate(line[2]) if byte in b"-?:")
        if len(columns) > MAX_BLOCKS:
            return True
    return False
