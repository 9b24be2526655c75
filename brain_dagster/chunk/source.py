"""A text with everything a chunker asks about it: bytes, lines, token counts."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from brain_dagster.chunk.tokens import TokenCounter, TokenIndex
from brain_dagster.model import ChunkDraft

# WordPiece turns a "word" of 50 kB into a single token, so tokens alone do not bound a chunk (E8). Code
# averages 4 bytes a token and heavily indented code 8, so this limit only meets blobs.
BYTES_PER_TOKEN = 20
MAX_INDENT = 1_000  # in a line of a megabyte, looking back from every statement would cost a square
MAX_REMEMBERED = 100_000  # token totals, some 10 MB
SHORT_LINE = 1_000  # up to here counting a line's beginning anew is quicker than weighing the whole text
_LINE_ENDS = (b"\n", b"\r", b"")
_WITHIN_WORD = re.compile(rb"[A-Za-z0-9]{2}")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_SPACES = frozenset(b" \t\n\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text on its way to becoming a chunk; offsets count UTF-8 bytes."""

    start: int
    end: int
    kind: str
    symbol: str = ""
    enclosing: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()


class SourceText:
    """One decoded text, weighed once.

    The text must be encodable as UTF-8: `clean_text` it first.
    """

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self.content = text.encode()
        self.counter = counter
        self._before: dict[int, int] = {}
        ends = [match.end() for match in _LINE_END.finditer(self.content)]
        if ends and ends[-1] == len(self.content):
            ends.pop()
        self.line_starts: array[int] = array("Q", [0, *ends])
        self.line_tokens = counter.weigh_lines(self.content, self.line_starts)
        self._crlf: array[int] = array("Q")
        if b"\r\n" in self.content:
            self._crlf = array("Q", (match.start() for match in re.finditer(rb"\r\n", self.content)))

    def __len__(self) -> int:
        return len(self.content)

    def line_of(self, offset: int) -> int:
        """Return the number, from 1, of the line that holds the byte at `offset`."""
        return bisect_right(self.line_starts, offset)

    def line_start(self, offset: int) -> int:
        """Return where the line that holds `offset` begins."""
        return self.line_starts[self.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return where the line after the one that holds `offset` begins, or the end of the text."""
        return self.line_around(offset)[1]

    def line_around(self, offset: int) -> tuple[int, int]:
        """Return where the line that holds `offset` begins and ends, its line end included."""
        line = self.line_of(offset)
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.content)
        return self.line_starts[line - 1], end

    def starts_between(self, start: int, end: int) -> tuple[int, int]:
        """Return the slice of `line_starts` that lies in the half-open interval (start, end]."""
        return bisect_right(self.line_starts, start), bisect_right(self.line_starts, end)

    def tokens(self, start: int, end: int) -> int:
        """Return the number of tokens of a span, exact wherever it begins and ends."""
        first, last = self.tokens_before(start), self.tokens_before(end)
        if first < 0 or last < 0:
            return self.counter.count(self.content[start:end].decode())
        return last - first

    def tokens_before(self, offset: int) -> int:
        """Return the tokens of everything before an offset, or -1 where it splits a word."""
        # The same few offsets, starts of lines and nodes, are asked about again and again.
        known = self._before.get(offset)
        return self._weigh_up_to(offset) if known is None else known

    def _weigh_up_to(self, offset: int) -> int:
        """Return the tokens before an offset, -1 where it splits a word; remembers the answer."""
        line = bisect_right(self.line_starts, offset) - 1
        start = self.line_starts[line]
        if offset == start or self.is_indent(start, offset):
            tokens = self.line_tokens[line]
        elif self.content[offset : offset + 1] in _LINE_ENDS:
            tokens = self.line_tokens[line + 1]
        elif offset - start <= SHORT_LINE and self.counter.is_plain(self.content[start : offset + 1]):
            tokens = -1
            if _WITHIN_WORD.match(self.content, offset - 1, offset + 1) is None:
                tokens = self.line_tokens[line] + self.counter.weigh_run(self.content[start:offset])
        else:
            tokens = -1 if self._splits_a_word(offset) else self._index.before(offset)
        if len(self._before) > MAX_REMEMBERED:
            self._before.clear()
        self._before[offset] = tokens
        return tokens

    def fits(self, start: int, end: int, budget: int) -> bool:
        """Tell whether a span may be one chunk."""
        return self._size(start, end) <= budget * BYTES_PER_TOKEN and self.tokens(start, end) <= budget

    def pieces_between(self, start: int, end: int) -> tuple[array[int], int, int]:
        """Return the offsets of piece ends, and which of them lie in (start, end]."""
        ends = self._index.ends
        return ends, bisect_right(ends, start), bisect_right(ends, end)

    def is_blank(self, start: int, end: int) -> bool:
        """Tell whether a span holds nothing but white space."""
        return not self.content[start:end].strip()

    def begins_line(self, offset: int) -> bool:
        """Tell whether only indentation stands before `offset` on its line."""
        return self.is_indent(self.line_start(offset), offset)

    def is_indent(self, start: int, offset: int) -> bool:
        """Tell whether only indentation stands between the start of a line and `offset`."""
        return offset - start <= MAX_INDENT and not self.content[start:offset].strip()

    def with_indent(self, offset: int) -> int:
        """Return the start of the line where only indentation stands before `offset`, else `offset`."""
        start = self.line_start(offset)
        return start if self.is_indent(start, offset) else offset

    def snapped(self, offset: int, budget: int) -> int:
        """Return the start of the line, unless it is cut inside because it is too long for a chunk (E1)."""
        start, end = self.line_around(offset)
        return start if self.is_indent(start, offset) or self.fits(start, end, budget) else offset

    def draft(self, ordinal: int, span: Span) -> ChunkDraft:
        """Turn a span into a chunk."""
        return ChunkDraft(
            ordinal=ordinal,
            kind=span.kind,
            symbol=span.symbol,
            enclosing=span.enclosing,
            headings=span.headings,
            text=self.content[span.start : span.end].decode(),
            start_byte=span.start,
            end_byte=span.end,
            start_line=self.line_of(span.start),
            end_line=self.line_of(span.end - 1),
            page=None,
            page_label=None,
            tokens=self.tokens(span.start, span.end),
        )

    @cached_property
    def _index(self) -> TokenIndex:
        """Every piece of the text, weighed only when a long or an odd line must be cut."""
        return self.counter.measure(self.content)

    def _size(self, start: int, end: int) -> int:
        """Bytes of a span with every line end counted as one, so that CRLF changes no decision (E4)."""
        if not self._crlf:
            return end - start
        return end - start - (bisect_left(self._crlf, end) - bisect_left(self._crlf, start))

    def _splits_a_word(self, offset: int) -> bool:
        if offset in (0, len(self.content)):
            return False
        if self.content[offset - 1] in _SPACES or self.content[offset] in _SPACES:
            return False
        return self._index.splits_a_word(offset)
