"""A text with everything a chunker asks about it: bytes, lines, token counts."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.model import ChunkDraft

# WordPiece turns a "word" of 50 kB into a single token, so tokens alone do not bound a chunk (E8). Code
# averages 4 bytes a token and heavily indented code 8, so this limit only meets blobs.
BYTES_PER_TOKEN = 20
MAX_INDENT = 1_000  # in a line of a megabyte, looking back from every statement would cost a square
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
        self._index = counter.measure(self.content)
        ends = [match.end() for match in _LINE_END.finditer(self.content)]
        if ends and ends[-1] == len(self.content):
            ends.pop()
        self.line_starts: array[int] = array("Q", [0, *ends])
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
        line = self.line_of(offset)
        return self.line_starts[line] if line < len(self.line_starts) else len(self.content)

    def starts_between(self, start: int, end: int) -> tuple[int, int]:
        """Return the slice of `line_starts` that lies in the half-open interval (start, end]."""
        return bisect_right(self.line_starts, start), bisect_right(self.line_starts, end)

    def tokens(self, start: int, end: int) -> int:
        """Return the number of tokens of a span, exact wherever it begins and ends."""
        if self._splits_a_word(start) or self._splits_a_word(end):
            return self.counter.count(self.content[start:end].decode())
        return self._index.before(end) - self._index.before(start)

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
        start = self.line_start(offset)
        return offset - start <= MAX_INDENT and self.is_blank(start, offset)

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
