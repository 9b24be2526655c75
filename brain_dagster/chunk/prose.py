"""Chunks of prose: sections under their headings, packed by paragraphs; code and tables stay whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from brain_dagster.chunk.blocks import READERS, Block
from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT, line_level, line_spans
from brain_dagster.chunk.sentences import cut_at_sentences, is_running_text
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.model import ParsedDocument

SMALL = 4  # a section of less than a quarter of the budget shares its chunk with its neighbours
STRAY = 8  # a heading with a line or two goes with the section below it
MAX_OUTLINE = 100
MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one section, or of several small ones.

    trail  headings it stands under; of several sections, those they share
    """

    start: int
    end: int
    trail: tuple[str, ...]
    is_heading_only: bool = False
    is_fixed: bool = False


def chunk_prose(source: SourceText, char_count: int, language: str, budget: int) -> ParsedDocument:
    """Chunk Markdown, reStructuredText, AsciiDoc, org or plain text; the spans tile the text."""
    scan = READERS[language](source)
    blocks = scan.blocks or [Block(0)]
    headings = [block.title for block in blocks if block.level and block.title]
    if language == "text" and not headings:
        spans = _plain_spans(source, blocks, budget)
    else:
        spans = section_spans(source, blocks, budget, at_sentences=True)
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title=(scan.metadata.get("title") or _title(language, blocks, headings))[:MAX_TITLE_CHARS],
        char_count=char_count,
        outline=tuple(headings[:MAX_OUTLINE]),
        warnings=tuple(scan.warnings),
        metadata=scan.metadata,
    )


def _title(language: str, blocks: list[Block], headings: list[str]) -> str:
    """Return the first heading; plain text has a title only where it begins with one."""
    is_titled = headings and (language != "text" or blocks[0].level)
    return headings[0] if is_titled else ""


def section_spans(
    source: SourceText, blocks: list[Block], budget: int, *, at_sentences: bool = False
) -> list[Span]:
    """Return spans of kind `section` for the blocks of a text, in order; they tile it.

    A piece that begins inside a table has the table's header row in `enclosing`.

    at_sentences  a paragraph over the budget is cut between sentences, else between lines
    """
    blocks[0].start = 0
    pieces = _packed(source, list(_pieces(source, blocks, budget, at_sentences)), budget)
    starts = [block.start for block in blocks]
    return [
        Span(
            piece.start,
            piece.end,
            "section",
            enclosing=_header_row(blocks[bisect_right(starts, piece.start) - 1], piece.start),
            headings=piece.trail,
        )
        for piece in pieces
    ]


def _header_row(block: Block, offset: int) -> tuple[str, ...]:
    return (block.header_row,) if block.header_row and offset > block.start else ()


def _plain_spans(source: SourceText, blocks: list[Block], budget: int) -> list[Span]:
    """Return spans of kind `lines` for a text without headings; they tile it.

    They are alike in size and end at blank lines where they can. Between lines nobody finds a place to
    cut in a long paragraph, so one of those makes it a text of sentences.
    """
    ends = [*(block.start for block in blocks[1:]), len(source)]
    for block, end in zip(blocks, ends, strict=True):
        if not source.fits(block.start, end, budget) and is_running_text(source.content[block.start : end]):
            spans = section_spans(source, blocks, budget, at_sentences=True)
            return [replace(span, kind="lines") for span in spans]
    return line_spans(source, 0, len(source), budget)


def _pieces(source: SourceText, blocks: list[Block], budget: int, at_sentences: bool) -> Iterator[Piece]:
    """Yield the pieces of every section in order; they tile the text and each fits the budget."""
    trail: list[tuple[int, str]] = []
    firsts = [i for i, block in enumerate(blocks) if block.level or _stands_alone(blocks, i)]
    for first, last in pairwise([*firsts, len(blocks)]):
        head = blocks[first]
        if head.level:
            trail = [entry for entry in trail if entry[0] < head.level] + [(head.level, head.title)]
        end = blocks[last].start if last < len(blocks) else len(source)
        names = tuple(title for _, title in trail if title)
        starts = _section_starts(source, blocks[first:last], end, budget, at_sentences)
        for start, stop in pairwise([*starts, end]):
            only_heading = bool(head.level) and last - first == 1 and len(starts) == 1
            yield Piece(start, stop, names, only_heading, head.is_front_matter or head.is_apart)


def _stands_alone(blocks: list[Block], index: int) -> bool:
    """Whether a block begins a stretch of its own though it is no heading: a script, and what follows it."""
    before = blocks[index - 1] if index else None
    return before is None or before.is_front_matter or before.is_apart or blocks[index].is_apart


def _section_starts(
    source: SourceText, blocks: list[Block], end: int, budget: int, at_sentences: bool
) -> list[int]:
    """Return where the pieces of a section begin: between blocks if possible, else between lines."""
    starts = [blocks[0].start]
    for index, block in enumerate(blocks):
        stop = blocks[index + 1].start if index + 1 < len(blocks) else end
        if source.fits(starts[-1], stop, budget):
            continue
        # A heading and a line or two lead the next paragraph, even into a cut; code that fits stays whole.
        stands_alone = block.is_rigid and source.fits(block.start, stop, budget)
        is_heading = index == 1 and bool(blocks[0].level)
        is_stray = source.tokens(starts[-1], block.start) <= budget // STRAY
        leads = (is_heading or is_stray) and not stands_alone
        begin = starts[-1] if leads else block.start
        if begin > starts[-1]:
            starts.append(begin)
        is_text = at_sentences and not block.is_rigid and is_running_text(source.content[block.start : stop])
        divide = cut_at_sentences if is_text else cut
        starts.extend(divide(source, begin, stop, budget, lambda offset: _level(source, offset))[1:])
    return starts


def _level(source: SourceText, offset: int) -> int:
    """Rank a line start as `line_level` does; rows of a grid begin at `+---+`, and `|---|` begins none."""
    start = source.content[offset : offset + 80].lstrip(b" \t")
    if start[:1] not in (b"|", b"+"):
        return line_level(source, offset)
    is_delimiter = start[:1] == b"|" and start[1:2] in b":- " and not start.strip(b" \t\r\n|:-+")
    penalty = NO_CUT if is_delimiter else 0 if start[:1] == b"+" else 5
    return line_level(source, offset) + penalty


def _packed(source: SourceText, pieces: list[Piece], budget: int) -> list[Piece]:
    """Join headings with what follows them, and small sections with small neighbours."""
    packed: list[Piece] = []
    for piece in pieces:
        if packed and _may_join(source, packed[-1], piece, budget):
            packed[-1] = _joined(source, packed[-1], piece, budget)
        else:
            packed.append(piece)
    return packed


def _may_join(source: SourceText, left: Piece, right: Piece, budget: int) -> bool:
    if left.is_fixed or right.is_fixed or left.trail == right.trail:
        return False
    if not source.fits(left.start, right.end, budget):
        return False
    if _leads(source, left, right, budget):
        return True
    both_outermost = len(left.trail) <= 1 and len(right.trail) == 1
    is_related = both_outermost or bool(_shared(left, right))
    left_tokens, right_tokens = (source.tokens(piece.start, piece.end) for piece in (left, right))
    return is_related and left_tokens <= budget // 2 and right_tokens <= budget // SMALL


def _leads(source: SourceText, left: Piece, right: Piece, budget: int) -> bool:
    """Whether the left piece is a heading, with a line or two at most, above the right one."""
    is_above = right.trail[: len(left.trail)] == left.trail
    return is_above and (left.is_heading_only or source.tokens(left.start, left.end) <= budget // STRAY)


def _joined(source: SourceText, left: Piece, right: Piece, budget: int) -> Piece:
    leads = _leads(source, left, right, budget)
    return replace(
        left,
        end=right.end,
        trail=right.trail if leads else _shared(left, right),
        is_heading_only=left.is_heading_only and right.is_heading_only,
    )


def _shared(left: Piece, right: Piece) -> tuple[str, ...]:
    """Return the headings both pieces stand under."""
    shared: list[str] = []
    for mine, other in zip(left.trail, right.trail, strict=False):
        if mine != other:
            break
        shared.append(mine)
    return tuple(shared)
