"""Chunks of text without a grammar: lines, cut at blank lines and where the indentation is least.

Pure Python without recursion, linear in the size of the text: also what remains when a parser failed, so
it must accept anything.
"""

from __future__ import annotations

from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.tokens import TokenCounter, default_counter
from brain_dagster.model import ParsedDocument
from brain_dagster.store.clean import clean_text

NO_CUT = 1_000_000
LONGEST_BLANK = 400  # a line of more blanks is looked at by nobody, and would be looked at again and again
_CLOSERS = (b")", b"]", b"}", b"end", b"</")


def chunk_lines(
    text: str, budget: int, *, counter: TokenCounter | None = None, warnings: tuple[str, ...] = ()
) -> ParsedDocument:
    """Chunk any text by its lines; text of nothing but white space has no chunks."""
    source = SourceText(clean_text(text), counter or default_counter())
    spans = [] if source.is_blank(0, len(source)) else line_spans(source, 0, len(source), budget)
    chunks = tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans))
    return ParsedDocument(chunks=chunks, title="", char_count=len(text), warnings=warnings)


def line_spans(source: SourceText, start: int, end: int, budget: int) -> list[Span]:
    """Return spans of kind `lines` that tile the interval."""
    starts = cut(source, start, end, budget, lambda offset: line_level(source, offset))
    return [Span(left, right, "lines") for left, right in zip(starts, [*starts[1:], end], strict=True)]


def line_level(source: SourceText, offset: int) -> int:
    """Rank a line start as a place to cut: after a blank line first, then the least indented.

    A blank line and a line that only closes what an earlier one opened belong to what stands before them.
    """
    line = source.content[offset : offset + 400]
    stripped = line.lstrip(b" \t\f\v")
    if not stripped or stripped[0] in b"\r\n":
        return NO_CUT
    indent = len(line) - len(stripped)
    closes = 500 if stripped.startswith(_CLOSERS) else 0
    return 2 * indent + closes + (0 if follows_blank_line(source, offset) else 9)


def follows_blank_line(source: SourceText, offset: int) -> bool:
    """Tell whether the line before the one that begins at `offset` is blank."""
    if offset < 2 or source.content[offset - 2] not in b" \t\r\n\f\v":
        return False
    start = source.line_start(offset - 1)
    return start > 0 and offset - start <= LONGEST_BLANK and source.is_blank(start, offset)
