"""Syntax trees for readers that need more than lines: parsed under a deadline, no recursion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import cast

from tree_sitter import Language, Node, Parser
from tree_sitter_language_pack import SupportedLanguage, get_language

from brain_dagster.codemap.base import BudgetSpent, MappedFile

_READ_BYTES = 65_536
_CHECK_EVERY = 1_000
_LITERAL = re.compile(r"""([A-Za-z@$]{0,3})(\"{3}|'{3}|["'`])(.*)\2""", re.DOTALL)
_NOT_PLAIN = {"interpolation", "template_substitution", "variable_name", "interpolated_expression"}
_RAW = {"r", "rb", "br", "@"}
# Where a single quote keeps backslashes, but for one before a quote or a backslash.
_PLAIN_QUOTES = {"php", "ruby"}
_ESCAPE = re.compile(r"""\\([\\"'/$])""")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_CONTROL_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[0abfnrtuvxUN]")
# More than any code people write encloses a call with; what is kept per call must not grow with depth.
_MAX_PLACE = 60
_MAX_NAME_BYTES = 300
_MAX_LITERAL_BYTES = 4_000

# The nodes around a node that its reader asked for, outermost first.
Place = tuple[Node, ...]


@cache
def _language(grammar: str) -> Language:
    return get_language(cast(SupportedLanguage, grammar))


class SyntaxTree:
    """The tree of one file; nodes are read through it, because lines follow Brain's own rule."""

    def __init__(self, grammar: str, file: MappedFile) -> None:
        """Parse the file.

        Errors  BudgetSpent when parsing takes longer than the file's deadline allows.
        """
        self._grammar = grammar
        self._file = file
        self._bytes = file.text.encode("utf-8", "replace")
        try:
            tree = Parser(_language(grammar)).parse(self._read, progress_callback=self._is_late)
        except ValueError as error:
            raise BudgetSpent from error
        self._tree = tree
        self.root: Node = tree.root_node

    def _read(self, offset: int, _point: object) -> bytes:
        return self._bytes[offset : offset + _READ_BYTES]

    def _is_late(self, *_progress: object) -> bool:
        return self._file.deadline.is_over

    def find(self, *kinds: str) -> Iterator[Node]:
        """Yield the nodes of these kinds, outer before inner, in source order, as long as there is time."""
        yield from (node for node, _ in self.find_within(kinds, ()))

    def find_within(self, kinds: Sequence[str], around: Sequence[str]) -> Iterator[tuple[Node, Place]]:
        """Yield as `find` does, each node with those of the kinds `around` that enclose it, outermost first.

        A walk and not a query: on the deep trees of broken files a query takes the square of their depth
        and cannot be stopped (400,000 open brackets took 430 s; the walk takes 0.2 s, measured). What
        encloses a node is kept while walking, since asking a node for its parent starts at the root again.
        """
        wanted, holders = self._ids(kinds), self._ids(around)
        cursor = self._tree.walk()
        place: Place = ()
        outside: list[Place] = []
        for step in count():
            if step % _CHECK_EVERY == 0:
                self._file.deadline.check()
            node = cursor.node
            kind = node.kind_id if node is not None else -1
            if node is not None and kind in wanted:
                # What a reader does with a node may cost more than a thousand steps.
                self._file.deadline.check()
                yield node, place
            if cursor.goto_first_child():
                outside.append(place)
                if node is not None and kind in holders and len(place) < _MAX_PLACE:
                    place = (*place, node)
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                place = outside.pop()

    def _ids(self, kinds: Sequence[str]) -> set[int | None]:
        return {_language(self._grammar).id_for_node_kind(kind, True) for kind in kinds} - {None, 0}

    def text(self, node: Node | None) -> str:
        """Return the characters of a node; empty for no node."""
        if node is None:
            return ""
        return self._bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def short_text(self, node: Node | None) -> str:
        """Return the characters of a node that a person would call a name; empty for none and for a long one.

        Names are asked for at every call: the links of a chain of 200,000 calls each begin with all before.
        """
        if node is None or node.end_byte - node.start_byte > _MAX_NAME_BYTES:
            return ""
        return self.text(node)

    def line(self, node: Node) -> int:
        """Return the line, from 1, on which a node starts.

        The parser ends lines at `\\n` alone; no lone carriage return is left in a text that is mapped (E4).
        """
        return int(node.start_point.row) + 1

    def literal(self, node: Node | None) -> str | None:
        """Return what a string literal says; None for anything else, and for strings built at run time."""
        if node is None or node.end_byte - node.start_byte > _MAX_LITERAL_BYTES:
            return None
        if any(child.type in _NOT_PLAIN for child in node.named_children):
            return None
        plain = _LITERAL.fullmatch(self.text(node).strip())
        if plain is None:
            return None
        prefix, quote, inner = plain.groups()
        # Two literals side by side or added up begin and end like one.
        if quote in _ESCAPED.sub("", inner):
            return None
        is_raw = quote == "`" or prefix.lower() in _RAW
        return inner if is_raw else _unescaped(inner, quote == "'" and self._grammar in _PLAIN_QUOTES)

    def field(self, node: Node | None, name: str) -> Node | None:
        """Return a field of a node, or None if either is missing."""
        return node.child_by_field_name(name) if node is not None else None

    def field_text(self, node: Node | None, name: str) -> str:
        """Return the characters of a field; empty if it is missing."""
        return self.text(self.field(node, name))


def _unescaped(inner: str, keeps_letters: bool) -> str | None:
    """Return what stands between quotes; None if a backslash makes another character of a letter.

    Backslashes before other letters are the classes of a pattern, `\\d`, and stay.
    """
    if not keeps_letters and _CONTROL_ESCAPE.search(inner):
        return None
    return _ESCAPE.sub(r"\1", inner)


def is_identifier_like(text: str) -> bool:
    """Whether a handler is named, not written in place: `views.show`, `UserController::class`."""
    return re.fullmatch(r"[\w.$:\\#@?!&]+", text) is not None


def join_route(*parts: str) -> str:
    """Join a prefix and paths into one path that starts with a slash and never doubles one."""
    joined = ""
    for part in parts:
        if part:
            joined = joined.rstrip("/") + "/" + part.lstrip("/")
    return joined or "/"


INLINE = "(inline)"


def handler_name(text: str) -> str:
    """Return the handler as named in the source, or that it is written in place."""
    return text if is_identifier_like(text) else INLINE
