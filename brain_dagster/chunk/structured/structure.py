"""Chunks of data by its keys: a small file is one chunk, a large mapping is opened into its members.

Whatever the tree looks like, the spans tile the text; what the grammar did not understand is cut by lines
(faults E6, E7, E8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import line_level, line_spans
from brain_dagster.chunk.packing import SMALL, STRAY, symbol
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.structured.elements import ElementReader
from brain_dagster.chunk.structured.entries import Entry, EntryReader
from brain_dagster.chunk.structured.instructions import INSTRUCTIONS, InstructionReader
from brain_dagster.chunk.structured.keyed import KEYED, KeyedReader
from brain_dagster.chunk.structured.rulesets import RuleReader
from brain_dagster.chunk.trees import OverBudget
from brain_dagster.model import ParsedDocument

MAX_DEPTH = 64  # of what is opened; deeper in, data is cut by lines
MAX_NAMES = 200
COMMENT_LINES = 200  # looked at above an entry
STRUCTURED = frozenset((*KEYED, *INSTRUCTIONS, "xml", "css", "scss", "less"))


@dataclass(slots=True)
class Part:
    """A stretch of one mapping or list: an entry with the comments above it, or neighbours.

    scope      identity of the mapping or list: parts of two are never packed together
    parent     symbol path of that
    enclosing  lines of the entries around it that are not in its text, outermost first
    inside     what encloses its pieces after the first, should it be cut
    is_head    the line that opens a mapping or list, up to its first member
    """

    scope: int
    start: int
    end: int
    parent: str
    entries: list[Entry[Any]]
    enclosing: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    depth: int = 0
    is_head: bool = False

    def symbol(self) -> str:
        """Return the paths of the entries; of neighbours without a name in one list, the range."""
        names: list[str] = []
        first: Entry[Any] | None = None
        for entry in self.entries:
            has_number = not entry.name and entry.position >= 0
            if has_number and first is not None and entry.key == first.key:
                names[-1] = f"{first.path(self.parent)[:-1]}-{entry.position}]"
                continue
            names.append(entry.path(self.parent))
            first = entry if has_number else None
        return symbol(list(filter(None, names)))


def chunk_structure(source: SourceText, char_count: int, language: str, budget: int) -> ParsedDocument:
    """Chunk data in a format of `STRUCTURED`; what makes no sense as such is cut by lines."""
    chunker = _Chunker(source, language, budget)
    try:
        spans = chunker.spans(_reader(language, source.content))
    except OverBudget as limit:
        spans = []
        chunker.warnings.append(f"parsed partially: {limit}; cut by lines")
    spans = spans or line_spans(source, 0, len(source), budget)
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title="",
        char_count=char_count,
        outline=tuple(dict.fromkeys(chunker.outline))[:MAX_NAMES],
        warnings=tuple(chunker.warnings),
    )


def _reader(language: str, content: bytes) -> EntryReader[Any]:
    if language in KEYED:
        return KeyedReader(KEYED[language], content)
    if language in INSTRUCTIONS:
        return InstructionReader(INSTRUCTIONS[language], content)
    return ElementReader(content) if language == "xml" else RuleReader(content)


class _Chunker:
    """Turns the entries of one text into spans."""

    def __init__(self, source: SourceText, language: str, budget: int) -> None:
        self._source = source
        self._language = language
        self._budget = budget
        self._numbers = count()
        self.outline: list[str] = []
        self.warnings: list[str] = []

    def spans(self, reader: EntryReader[Any]) -> list[Span]:
        """Return spans that tile the text, none if it has no entries; raises OverBudget."""
        self._reader = reader
        self._comments = [mark.encode().partition(b" ") for mark in reader.comments]
        self._has_comments = any(opening in self._source.content for opening, _, _ in self._comments)
        entries = reader.top()
        if not self._makes_sense(entries) or not entries:
            return []
        self.outline = [entry.key or entry.name for entry in entries if entry.key or entry.name]
        whole = Part(next(self._numbers), 0, len(self._source), "", entries)
        if self._fits(whole):
            return [Span(0, len(self._source), "section", whole.symbol())]
        return self._finish(self._packed(self._opened(self._members(whole, entries, ""))))

    def _opened(self, parts: list[Part]) -> list[Part]:
        """Replace every part that is too large by the members of its entry."""
        result: list[Part] = []
        stack = parts[::-1]
        while stack:
            part = stack.pop()
            members: list[Part] = []
            if not part.is_head and len(part.entries) == 1 and not self._fits(part):
                members = self._inner(part)
            if members:
                stack.extend(reversed(members))
            else:
                result.append(part)
        return result

    def _inner(self, part: Part) -> list[Part]:
        """Return the head and the members of a part's one entry; none if it has no members."""
        (entry,) = part.entries
        header = self._reader.header(entry)
        part.inside = (*part.inside, header) if header else part.inside
        if part.depth >= MAX_DEPTH:
            self._warn(f"nested deeper than {MAX_DEPTH} at line {self._source.line_of(part.start)}")
            return []
        entries = self._reader.inside(entry)
        if not entries:
            return []
        members = self._members(part, entries, entry.path(part.parent))
        if members[0].start <= part.start:
            members[0].enclosing = part.enclosing
            return members
        return [replace(part, scope=members[0].scope, end=members[0].start, is_head=True), *members]

    def _members(self, part: Part, entries: Sequence[Entry[Any]], path: str) -> list[Part]:
        """Return a part for each entry; those that share a line share a part."""
        scope, members = next(self._numbers), list[Part]()
        for entry in entries:
            floor = members[-1].start if members else part.start
            start = self._start(entry, floor)
            if members and start <= floor:
                members[-1].entries.append(entry)
                continue
            if members:
                members[-1].end = start
            within = part.inside
            members.append(Part(scope, start, part.end, path, [entry], within, within, part.depth + 1))
        if not path:
            members[0].start = part.start
        return members

    def _start(self, entry: Entry[Any], floor: int) -> int:
        """Return where an entry begins: with the comments above it, at the start of a line (E1)."""
        source, offset = self._source, entry.start
        if self._has_comments and source.begins_line(offset):
            return max(self._above(offset, floor), floor)
        return max(source.snapped(offset, self._budget), floor)

    def _above(self, offset: int, floor: int) -> int:
        """Return where the comments begin that stand above an entry, its own line start if there are none.

        Comments that a blank line parts from the entry belong to it if they are parted from what is above,
        too. In a multi-line string what looks like a comment is mostly set in deeper.
        """
        line, last = self._source.line_of(offset) - 1, self._source.line_of(floor) - 1
        column = offset - self._source.line_starts[line]
        top = self._comments_above(line, last, column)
        above = top
        while above > last and above > line - COMMENT_LINES and not self._line(above - 1):
            above -= 1
        first = self._comments_above(above, last, column) if above < top else above
        is_parted = first == 0 or (first > last and not self._line(first - 1))
        return self._source.line_starts[first if first < above and is_parted else top]

    def _comments_above(self, line: int, last: int, column: int) -> int:
        """Return the first of the lines of comment right above a line, the line itself if there are none."""
        top = line
        while top > max(last, line - COMMENT_LINES):
            start = self._comment_start(top - 1, last)
            if start is None or self._indent(start) != column:
                break
            top = start
        return top

    def _comment_start(self, line: int, last: int) -> int | None:
        """Return the line on which the comment begins that ends this line, None if none does."""
        text = self._line(line)
        for opening, _, closing in self._comments:
            if text.startswith(opening) and text.endswith(closing):
                return line
            if closing and text.endswith(closing):
                lines = range(line - 1, max(last, line - COMMENT_LINES) - 1, -1)
                return next((above for above in lines if self._line(above).startswith(opening)), None)
        return None

    def _line(self, line: int) -> bytes:
        start = self._source.line_starts[line]
        return self._source.content[start : self._source.line_end(start)].strip()

    def _indent(self, line: int) -> int:
        start = self._source.line_starts[line]
        text = self._source.content[start : self._source.line_end(start)]
        return len(text) - len(text.lstrip())

    def _packed(self, parts: Sequence[Part]) -> list[Part]:
        """Join the line that opens a mapping with its first member, and small neighbours with each other."""
        packed: list[Part] = []
        all_small = True
        for part in parts:
            is_small = self._tokens(part) <= self._budget // SMALL
            last = packed[-1] if packed else None
            if last is not None and self._may_join(last, part, both_small=all_small and is_small):
                packed[-1] = self._joined(last, part)
                all_small = all_small and is_small
            else:
                packed.append(part)
                all_small = is_small
        return packed

    def _may_join(self, left: Part, right: Part, *, both_small: bool) -> bool:
        fit = self._source.fits(left.start, right.end, self._budget)
        if left.is_head:
            # A mere `services:` is no chunk: it goes with the first member even where that must be cut then.
            return fit or (not right.is_head and self._tokens(left) <= self._budget // STRAY)
        if right.is_head or left.scope != right.scope or not fit:
            return False
        if left.entries[-1].is_anonymous and right.entries[0].is_anonymous:
            return True
        return both_small or min(self._tokens(left), self._tokens(right)) <= self._budget // STRAY

    def _joined(self, left: Part, right: Part) -> Part:
        if left.is_head:
            if self._fits(right) and not self._source.fits(left.start, right.end, self._budget):
                right.inside = (*right.inside, self._reader.header(right.entries[0]))
            return replace(right, start=left.start, enclosing=left.enclosing)
        left.end = right.end
        left.entries.extend(right.entries)
        return left

    def _finish(self, parts: Sequence[Part]) -> list[Span]:
        """Cut what is still too large, by lines."""
        spans: list[Span] = []
        for part in parts:
            starts = [part.start]
            if not self._fits(part):
                level = partial(line_level, self._source)
                starts = cut(self._source, part.start, part.end, self._budget, level)
            for start, end in zip(starts, [*starts[1:], part.end], strict=True):
                enclosing = part.enclosing if start == part.start else part.inside
                spans.append(Span(start, end, "section", part.symbol(), enclosing))
        return spans

    def _makes_sense(self, entries: Sequence[Entry[Any]]) -> bool:
        """Say where the syntax was not understood; returns whether the tree is worth using (E7)."""
        trouble = self._reader.trouble()
        if trouble is None:
            return True
        broken, line = trouble
        if not entries or broken > len(self._source) / 2:
            self._warn(f"hardly anything is valid {self._language}; cut by lines")
            return False
        self._warn(f"syntax not understood at line {line}")
        return True

    def _tokens(self, part: Part) -> int:
        return self._source.tokens(part.start, part.end)

    def _fits(self, part: Part) -> bool:
        return self._source.fits(part.start, part.end, self._budget)

    def _warn(self, what: str) -> None:
        warning = f"parsed partially: {what}"
        if warning not in self.warnings and len(self.warnings) < 5:
            self.warnings.append(warning)
