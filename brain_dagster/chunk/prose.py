"""Chunks of prose: sections under their headings, packed by paragraphs; code and tables stay whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from brain_dagster.chunk.blocks import BLOCKS, Block
from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import line_level
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.model import ParsedDocument

SMALL = 4  # a section of less than a quarter of the budget shares its chunk with its neighbours
STRAY = 8  # a heading with a line or two goes with the section below it
MAX_OUTLINE = 100
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


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
    """Chunk Markdown or reStructuredText; the spans tile the text."""
    blocks = BLOCKS[language](source) or [Block(0)]
    blocks[0].start = 0
    pieces = _packed(source, list(_pieces(source, blocks, budget)), budget)
    spans = [Span(piece.start, piece.end, "section", headings=piece.trail) for piece in pieces]
    headings = [block.title for block in blocks if block.level and block.title]
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title=_title(source, blocks, headings),
        char_count=char_count,
        outline=tuple(headings[:MAX_OUTLINE]),
    )


def _title(source: SourceText, blocks: list[Block], headings: list[str]) -> str:
    """Return the title that front matter gives the page, else its first heading."""
    if blocks[0].is_front_matter:
        end = blocks[1].start if len(blocks) > 1 else len(source)
        found = _FRONT_TITLE.search(source.content[:end].decode().replace("\r\n", "\n").replace("\r", "\n"))
        if found is not None:
            return found[1][:300]
    return headings[0] if headings else ""


def _pieces(source: SourceText, blocks: list[Block], budget: int) -> Iterator[Piece]:
    """Yield the pieces of every section in order; they tile the text and each fits the budget."""
    trail: list[tuple[int, str]] = []
    firsts = [i for i, block in enumerate(blocks) if i == 0 or block.level or blocks[i - 1].is_front_matter]
    for first, last in pairwise([*firsts, len(blocks)]):
        head = blocks[first]
        if head.level:
            trail = [entry for entry in trail if entry[0] < head.level] + [(head.level, head.title)]
        end = blocks[last].start if last < len(blocks) else len(source)
        names = tuple(title for _, title in trail if title)
        starts = _section_starts(source, blocks[first:last], end, budget)
        for start, stop in pairwise([*starts, end]):
            only_heading = bool(head.level) and last - first == 1 and len(starts) == 1
            yield Piece(start, stop, names, only_heading, head.is_front_matter)


def _section_starts(source: SourceText, blocks: list[Block], end: int, budget: int) -> list[int]:
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
        starts.extend(cut(source, begin, stop, budget, lambda offset: line_level(source, offset))[1:])
    return starts


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
    if left.is_fixed or left.trail == right.trail or not source.fits(left.start, right.end, budget):
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
