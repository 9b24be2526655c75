"""Divides a scope (a module, a class body, a function body) into segments that tile it.

A segment begins where the comments and attributes of its statement begin and ends where the next one
begins, so white space, closing braces and trailing comments belong to what stands before them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.statements import DECLARED, Role, Statement
from brain_dagster.chunk.syntax import SyntaxReader


def joined(*names: str) -> str:
    """Return the symbol path of names, outermost first; empty ones leave no trace."""
    return ".".join(filter(None, names))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where statements stand.

    number     identity: segments of two scopes are never packed together
    path       symbol path of the declaration whose body this is, `` for the module
    enclosing  header lines of the declarations outside, without this one's own `header`
    is_open    the module or a namespace: here imports and constants count as such
    kind       kind of the segments that declare nothing
    """

    number: int
    start: int
    end: int
    path: str = ""
    header: str = ""
    enclosing: tuple[str, ...] = ()
    is_open: bool = True
    kind: str = "module"


@dataclass(slots=True)
class Segment:
    """A stretch of a scope that may become a chunk, a part of one, or several.

    names   symbol paths, in order
    nodes   the statements in it; they tell where it may be cut
    inner   the one declaration it consists of, if it is one that could be opened up
    header  this declaration's own header line, for the pieces after its first; set when it is too large
    is_head it is the beginning of an opened container, up to the first member
    repeats neighbours of the same name are one declaration with it
    clauses how many statements make up the declaration
    inside  what encloses the pieces after the first, where that is not `enclosing` and `header`
    """

    scope: int
    start: int
    end: int
    kind: str
    role: Role
    names: list[str] = field(default_factory=list)
    enclosing: tuple[str, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    inner: Node | None = None
    header: str = ""
    is_head: bool = False
    repeats: bool = False
    clauses: int = 1
    inside: tuple[str, ...] | None = None

    def around_later_pieces(self) -> tuple[str, ...]:
        """Return the enclosing headers of every piece but the first, should it be split."""
        if self.inside is not None:
            return self.inside
        opens = self.header and (self.inner is not None or self.is_head)
        return (*self.enclosing, self.header) if opens else self.enclosing

    @property
    def is_filler(self) -> bool:
        """Whether it declares nothing by itself."""
        return self.role in (Role.OTHER, Role.COMMENT)


class ScopeReader:
    """Collects the segments of one scope, statement by statement."""

    def __init__(self, reader: SyntaxReader, source: SourceText, scope: Scope, budget: int) -> None:
        self._reader = reader
        self._source = source
        self._scope = scope
        self._budget = budget
        self._segments: list[Segment] = []
        self._leading: Segment | None = None
        self._leading_binds = False
        self._leading_documents = False
        self._leading_trails = False
        self._last_end = scope.start
        self._section = ""

    def read(self, statements: Iterable[Statement]) -> list[Segment]:
        """Return the segments, in order; they tile the scope."""
        if self._scope.path:
            self._segments.append(self._head())
        for statement in statements:
            if statement.role in (Role.COMMENT, Role.ATTRIBUTE):
                self._take_leading(statement)
            else:
                self._take(statement)
        self._flush_leading()
        if not self._segments:
            self._segments.append(self._filler(self._scope.start))
        self._segments[0].start = self._scope.start
        for left, right in zip(self._segments, self._segments[1:], strict=False):
            left.end = right.start
        self._segments[-1].end = self._scope.end
        return self._segments

    def _head(self) -> Segment:
        """Start with the declaration's own header; what precedes the first member joins it."""
        scope = self._scope
        head = self._filler(scope.start)
        head.enclosing, head.header, head.is_head = scope.enclosing, scope.header, True
        return head

    def _filler(self, start: int) -> Segment:
        scope = self._scope
        return Segment(
            scope=scope.number,
            start=start,
            end=scope.end,
            kind=scope.kind,
            role=Role.OTHER,
            names=list(filter(None, [joined(scope.path, self._section)])),
            enclosing=(*scope.enclosing, scope.header) if scope.header else scope.enclosing,
        )

    def _take_leading(self, statement: Statement) -> None:
        """Hold a comment or attribute until it is known what follows it."""
        node = statement.node
        if statement.role is Role.COMMENT and self._shares_line_with_last(node):
            self._last_end = node.end_byte
            return
        crosses_blank_lines = self._leading_binds or self._leading_documents
        if self._leading is not None and not crosses_blank_lines and self._blank_line_before(node):
            self._flush_leading()
        if self._leading is None:
            self._leading = self._filler(self._snap(node.start_byte))
            self._leading.role = Role.COMMENT
            self._leading_trails = self._trails_last(node)
        self._leading.nodes.append(node)
        self._leading_binds = self._leading_binds or statement.role is Role.ATTRIBUTE
        self._leading_documents = self._leading_documents or node.type in self._reader.language.docs
        self._last_end = node.end_byte

    def _take(self, statement: Statement) -> None:
        start = self._snap(statement.node.start_byte)
        continues = statement.repeats and not self._leading_binds
        if self._leading is not None:
            if self._leads(self._leading, statement):
                start = self._leading.start
                self._drop_leading()
            else:
                self._flush_leading()
        self._section = statement.section or self._section
        segment = self._segment(statement, start)
        last = self._segments[-1] if self._segments else None
        if continues and last is not None and last.repeats and last.names == segment.names != []:
            last.nodes.extend(segment.nodes)
            last.clauses += 1
        elif statement.section and last is not None and start > last.start:
            self._segments.append(segment)
        else:
            self._add(segment)
        # Of a statement that is read part by part only its first line is over.
        is_open = statement.is_open
        self._last_end = statement.node.start_byte if is_open else self._text_end(statement.end_byte)

    def _qualified(self, name: str) -> str:
        return joined(self._scope.path, self._section, name)

    def _leads(self, leading: Segment, statement: Statement) -> bool:
        """Tell whether the comments and attributes held back belong to a statement."""
        if self._leading_binds or not self._blank_line_before(statement.node):
            return True
        # What does not fit a chunk documents more than the one declaration it happens to precede.
        is_named = statement.role in DECLARED or statement.role is Role.VALUE
        return (
            self._leading_documents
            and is_named
            and self._source.fits(leading.start, statement.node.start_byte, self._budget)
        )

    def _trails_last(self, node: Node) -> bool:
        """Tell whether a comment touches the declaration above it, in a language that comments so."""
        is_below = bool(self._segments) and self._segments[-1].inner is not None
        is_afterthought = node.type in self._reader.language.afterthoughts
        return is_below and is_afterthought and not self._blank_line_before(node)

    def _drop_leading(self) -> None:
        self._leading, self._leading_binds, self._leading_documents = None, False, False

    def _segment(self, statement: Statement, start: int) -> Segment:
        role, scope = statement.role, self._scope
        segment = self._filler(start)
        if statement.is_open:
            segment.role = Role.COMMENT  # an `#ifdef` line leads what stands in it, as a comment does
        segment.nodes.extend(statement.nodes)
        if role is Role.IMPORT and scope.is_open:
            segment.role, segment.kind = role, "imports"
        elif role is Role.VALUE and scope.is_open and statement.name:
            segment.role, segment.names = role, [self._qualified(statement.name)]
        elif role in DECLARED:
            segment.role, segment.kind = role, "declaration" if role is Role.UNIT else "container"
            # A section with a body of its own stands beside the others, not in the one above it.
            is_section = statement.inner.type in self._reader.language.sections
            path = joined(scope.path, statement.name) if is_section else self._qualified(statement.name)
            segment.names = list(filter(None, [path]))
            segment.inner, segment.repeats = statement.inner, statement.repeats
        return segment

    def _add(self, new: Segment) -> None:
        """Append a segment, or join it to the last where both declare nothing or share a line."""
        last = self._segments[-1] if self._segments else None
        if last is None:
            self._segments.append(new)
        elif new.start <= last.start:
            self._join_line(last, new)
        elif new.role is Role.OTHER and (last.role is Role.OTHER or (last.role is Role.COMMENT)):
            last.nodes.extend(new.nodes)
            last.role = Role.OTHER
        else:
            self._segments.append(new)

    def _join_line(self, last: Segment, new: Segment) -> None:
        """Merge a statement into the one that began on the same line: a line is never in two chunks."""
        last.nodes.extend(new.nodes)
        if new.is_filler:
            return
        if last.is_filler and not last.is_head:
            last.role, last.kind, last.names = new.role, new.kind, new.names
            last.inner = new.inner
            return
        last.names.extend(name for name in new.names if name not in last.names)
        last.inner = None

    def _flush_leading(self) -> None:
        if self._leading is not None:
            leading = self._leading
            self._drop_leading()
            last = self._segments[-1] if self._segments else None
            if last is not None and leading.start <= last.start:
                self._join_line(last, leading)
            elif not self._leading_trails:
                self._segments.append(leading)

    def _snap(self, offset: int) -> int:
        """Move a boundary to the start of its line, unless the line is too long to be one chunk (E1)."""
        return max(self._source.snapped(offset, self._budget), self._scope.start)

    def _shares_line_with_last(self, node: Node) -> bool:
        """Tell whether a comment trails a statement on the same line."""
        if self._last_end <= self._scope.start and not self._scope.path:
            return False
        return b"\n" not in self._reader.content[self._last_end : node.start_byte]

    def _blank_line_before(self, node: Node) -> bool:
        return self._reader.content.count(b"\n", self._text_end(self._last_end), node.start_byte) > 1

    def _text_end(self, end: int) -> int:
        """Return where the text before an offset ends: some grammars let a node include its line end."""
        while end > 0 and self._reader.content[end - 1] in b"\r\n":
            end -= 1
        return end
