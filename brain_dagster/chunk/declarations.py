"""Chunks of code at declaration boundaries, read from a tree-sitter syntax tree.

Whatever the tree looks like, the spans tile the text: what the grammar did not understand is cut by lines
(faults E6, E7, E8).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from tree_sitter import Node

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.damage import error_bytes, first_error_line
from brain_dagster.chunk.languages import LANGUAGES, Language
from brain_dagster.chunk.lines import NO_CUT, follows_blank_line, line_level, line_spans
from brain_dagster.chunk.packing import SMALL, pack, symbol
from brain_dagster.chunk.segments import Scope, ScopeReader, Segment, joined
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.statements import DECLARED, Role, Statement
from brain_dagster.chunk.syntax import MAX_DEPTH, SyntaxReader
from brain_dagster.chunk.trees import OverBudget
from brain_dagster.model import ParsedDocument

MAX_NAMES = 200
TITLE_CHARS = 4_000


def chunk_declarations(source: SourceText, text: str, language: Language, budget: int) -> ParsedDocument:
    """Chunk code of one language; a text that the grammar cannot make sense of is cut by lines."""
    found = Findings()
    try:
        spans = _Chunker(source, _best_reader(language, source.content), budget, found).spans()
    except OverBudget as limit:
        spans = line_spans(source, 0, len(source), budget)
        found.warnings.append(f"parsed partially: {limit}; cut by lines")
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title=_title(language, text),
        char_count=len(text),
        outline=tuple(dict.fromkeys(found.outline))[:MAX_NAMES],
        imports=tuple(dict.fromkeys(name[:200] for name in found.imports))[:MAX_NAMES],
        warnings=tuple(found.warnings),
    )


@dataclass(slots=True)
class Findings:
    """What a text turns out to declare and import, and what could not be read of it."""

    outline: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def _best_reader(language: Language, content: bytes) -> SyntaxReader:
    """Parse with the language's grammar, or with its relative's if that one understands more.

    A header ends in `.h` whether it is C or C++, and plain JavaScript may carry types.
    """
    best = SyntaxReader(language, content)
    for name in language.fallback.split():
        other = LANGUAGES[name]
        if not best.root.has_error:
            break
        if other.sign and re.search(other.sign.encode(), content) is None:
            continue
        reader = SyntaxReader(other, content)
        if error_bytes(reader.root) < error_bytes(best.root):
            best = reader
    return best


def _title(language: Language, text: str) -> str:
    start = text[:TITLE_CHARS].replace("\r\n", "\n").replace("\r", "\n")
    found = re.search(language.title, start) if language.title else None
    return " ".join(found.group(1).strip("\"' \t").split())[:300] if found else ""


class _Chunker:
    """Turns one tree into spans."""

    def __init__(self, source: SourceText, reader: SyntaxReader, budget: int, found: Findings) -> None:
        self._source = source
        self._reader = reader
        self._budget = budget
        self._numbers = count()
        self._found = found

    def spans(self) -> list[Span]:
        """Return spans that tile the text; raises OverBudget."""
        root = self._reader.root
        statements = list(self._reader.statements([root] if root.is_error else self._reader.children(root)))
        if root.has_error and not self._note_errors(statements):
            return line_spans(self._source, 0, len(self._source), self._budget)
        self._survey(statements)
        scope = Scope(next(self._numbers), 0, len(self._source))
        segments = ScopeReader(self._reader, self._source, scope, self._budget).read(statements)
        return self._finish(self._opened(segments))

    def _opened(self, segments: list[Segment]) -> list[Segment]:
        """Replace every oversized declaration that has members by its header and its members."""
        result: list[Segment] = []
        stack = [(segment, 0) for segment in reversed(segments)]
        while stack:
            segment, depth = stack.pop()
            members = None
            if segment.inner is not None and not self._fits(segment):
                segment.header = self._reader.header(segment.inner)
                may_open = depth < MAX_DEPTH and segment.clauses == 1
                members = self._members(segment, segment.inner) if may_open else None
            if members is None:
                result.append(segment)
            else:
                stack.extend((member, depth + 1) for member in reversed(members))
        return result

    def _members(self, segment: Segment, declaration: Node) -> list[Segment] | None:
        """Return the header and members of a declaration, or None if it has none worth a chunk."""
        nodes = self._reader.members(declaration)
        if nodes is None:
            return None
        scope = Scope(
            number=next(self._numbers),
            start=segment.start,
            end=segment.end,
            path=symbol(segment.names),
            header=segment.header,
            enclosing=segment.enclosing,
            is_open=segment.role is Role.NAMESPACE,
            kind=segment.kind,
        )
        units = self._reader.units_inside(declaration, segment.role)
        if segment.role is Role.UNIT and not units and not self._reader.may_declare_inside(nodes):
            return None
        # Comments behind the last member may lead what follows the declaration.
        found = self._reader.statements(nodes, units)
        statements = (statement for statement in found if statement.node.start_byte < segment.end)
        members = ScopeReader(self._reader, self._source, scope, self._budget).read(statements)
        # A function is opened for the sake of real functions inside it, not for a one-line lambda.
        least = self._budget // SMALL if segment.role is Role.UNIT else 0
        declared = [member for member in members if member.inner is not None]
        if any(self._source.tokens(member.start, member.end) > least for member in declared):
            return members
        return None

    def _finish(self, segments: list[Segment]) -> list[Span]:
        """Pack what is small, split what is large."""
        spans: list[Span] = []
        for segment in pack(self._source, segments, self._budget):
            starts = [segment.start]
            if not self._fits(segment):
                starts = cut(self._source, segment.start, segment.end, self._budget, self._level(segment))
            for start, end in zip(starts, [*starts[1:], segment.end], strict=True):
                enclosing = segment.enclosing if start == segment.start else segment.around_later_pieces()
                spans.append(Span(start, end, segment.kind, symbol(segment.names), enclosing))
        return spans

    def _fits(self, segment: Segment) -> bool:
        return self._source.fits(segment.start, segment.end, self._budget)

    def _level(self, segment: Segment) -> Callable[[int], int]:
        """Rank the lines of a segment as places to cut: outer statements first, then as plain lines."""
        levels = self._statement_levels(segment)

        def level(offset: int) -> int:
            if offset in levels:
                return 2 * levels[offset] + (0 if follows_blank_line(self._source, offset) else 1)
            return min(NO_CUT, 100_000 + line_level(self._source, offset))

        return level

    def _statement_levels(self, segment: Segment) -> dict[int, int]:
        """Map line starts to the depth of the statement that begins there; descends only where needed."""
        levels: dict[int, int] = {}
        stack = [(node, 0) for node in segment.nodes]
        while stack:
            node, depth = stack.pop()
            if node.start_point.row == node.end_point.row or (depth > 0 and self._fits_node(node)):
                continue
            if depth >= MAX_DEPTH:
                self._warn(f"nested deeper than {MAX_DEPTH} at line {node.start_point.row + 1}")
                continue
            stack.extend((child, depth + 1) for child in self._mark(node, depth + 1, levels))
        for node in segment.nodes:
            levels[self._source.line_start(node.start_byte)] = 0
        return levels

    def _mark(self, node: Node, depth: int, levels: dict[int, int]) -> list[Node]:
        """Note where the parts of a node begin, as places to cut; return the parts.

        A body is no part: its statements are. Its first one had better stay with the header above it, and
        whatever follows a comment with that comment.
        """
        body = self._reader.body(node)
        if body is not None and body.id == node.id:
            body = None
        parts = [part for part in self._reader.children(node) if body is None or part.id != body.id]
        inside = self._reader.children(body) if body is not None else []
        follows_comment = False
        for part in parts + inside:
            start, _ = self._source.line_around(part.start_byte)
            if not follows_comment and self._source.is_indent(start, part.start_byte):
                level = depth + 1 if inside and part.id == inside[0].id else depth
                levels[start] = min(levels.get(start, level), level)
            follows_comment = part.type in self._reader.language.comments
        return parts + inside

    def _fits_node(self, node: Node) -> bool:
        return self._source.fits(node.start_byte, node.end_byte, self._budget)

    def _survey(self, statements: list[Statement]) -> None:
        """Collect the names declared at the top level and the modules imported, in order."""
        stack = [(iter(statements), "", "")]
        while stack:
            listed, path, section = stack[-1]
            statement = next(listed, None)
            if statement is None:
                stack.pop()
                continue
            self._found.imports.extend(statement.modules)
            if statement.section:
                self._found.outline.append(joined(path, statement.section))
                stack[-1] = (listed, path, statement.section)
            elif statement.role in DECLARED and statement.name:
                is_section = statement.inner.type in self._reader.language.sections
                name = joined(path, "" if is_section else section, statement.name)
                self._found.outline.append(name)
                body = self._reader.body(statement.inner)
                if statement.role is Role.NAMESPACE and body is not None and len(stack) < MAX_DEPTH:
                    stack.append((self._reader.statements(self._reader.children(body)), name, ""))
            elif statement.node.type in self._reader.language.transparent and not statement.is_open:
                self._survey_inside(statement.node)

    def _survey_inside(self, statement: Node) -> None:
        """Collect the imports of a `try:` or `#ifdef` that declares nothing else."""
        stack = [statement]
        while stack:
            node = stack.pop()
            modules = self._reader.imported(node)
            self._found.imports.extend(modules or ())
            if modules is None and node.type in self._reader.language.transparent:
                stack.extend(reversed(self._reader.children(node)))

    def _note_errors(self, statements: list[Statement]) -> bool:
        """Say where the syntax was not understood; returns whether the tree is worth using (E7)."""
        total = len(self._source)
        broken = sum(s.node.end_byte - s.node.start_byte for s in statements if s.node.is_error)
        known = sum(s.end_byte - s.node.start_byte for s in statements if s.role is not Role.OTHER)
        line = first_error_line(self._reader.root)
        if broken > total / 2 and known < total / 3:
            self._warn(f"hardly anything is valid {self._reader.language.grammar}; cut by lines")
            return False
        self._warn(f"syntax not understood at line {line}")
        return True

    def _warn(self, what: str) -> None:
        warning = f"parsed partially: {what}"
        if warning not in self._found.warnings and len(self._found.warnings) < 5:
            self._found.warnings.append(warning)
