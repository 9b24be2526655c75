"""Packs small neighbours of one scope into chunks, and leaves whole-sized declarations alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain_dagster.chunk.segments import Segment
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.syntax import Role

SMALL = 4  # a declaration of less than a quarter of the budget shares its chunk with its like
STRAY = 8  # code of less than an eighth joins whatever is next to it
MAX_SYMBOL_CHARS = 1_000
_RANK = {"declaration": 3, "container": 2, "module": 1, "imports": 0}


def pack(source: SourceText, segments: Sequence[Segment], budget: int) -> list[Segment]:
    """Merge neighbours up to the budget; order and coverage stay as they were.

    A stretch of comments leans towards what follows it; everything else joins what stands before it.
    """
    packed: list[Segment] = []
    small: list[bool] = []
    for segment in _with_leading_comments(source, segments, budget):
        is_small = _is_small(source, segment, budget)
        if packed and _may_join(source, packed[-1], segment, small[-1], is_small, budget):
            packed[-1] = _joined(packed[-1], segment)
            small[-1] = small[-1] and is_small
        else:
            packed.append(segment)
            small.append(is_small)
    return packed


def symbol(names: Sequence[str]) -> str:
    """Return the symbol of a chunk that declares several names: joined by commas, each once."""
    unique = ", ".join(dict.fromkeys(names))
    if len(unique) <= MAX_SYMBOL_CHARS:
        return unique
    return unique[: unique.rfind(", ", 0, MAX_SYMBOL_CHARS)]


def _with_leading_comments(source: SourceText, segments: Sequence[Segment], budget: int) -> list[Segment]:
    result: list[Segment] = []
    for segment in segments:
        last = result[-1] if result else None
        if (
            last is not None
            and last.role is Role.COMMENT
            and last.scope == segment.scope
            and source.tokens(last.start, last.end) <= budget // STRAY
            and source.fits(last.start, segment.end, budget)
        ):
            result[-1] = replace(segment, start=last.start)
        else:
            result.append(segment)
    return result


def _is_small(source: SourceText, segment: Segment, budget: int) -> bool:
    return source.tokens(segment.start, segment.end) <= budget // SMALL


def _may_join(
    source: SourceText, left: Segment, right: Segment, left_small: bool, right_small: bool, budget: int
) -> bool:
    if left.scope != right.scope or not source.fits(left.start, right.end, budget):
        return False
    if min(source.tokens(left.start, left.end), source.tokens(right.start, right.end)) <= budget // STRAY:
        # Two lines of code belong to their neighbour, unless they are imports next to a declaration.
        return True
    if _is_code(left) and _is_code(right):
        return True
    return left_small and right_small and Role.IMPORT not in (left.role, right.role)


def _is_code(segment: Segment) -> bool:
    """Whether it is code around declarations: imports, constants, statements."""
    return segment.is_filler or segment.role in (Role.VALUE, Role.IMPORT)


def _joined(left: Segment, right: Segment) -> Segment:
    main = left if _RANK[left.kind] >= _RANK[right.kind] else right
    names = left.names + right.names
    if main.kind == "declaration":
        # A container's own path says nothing beside the names of its members.
        own = {name for part in (left, right) if part.is_filler for name in part.names}
        names = [name for name in names if name not in own] or names
    return replace(
        main,
        start=left.start,
        end=right.end,
        names=names,
        enclosing=left.enclosing if left.is_head else main.enclosing,
        nodes=left.nodes + right.nodes,
        inner=None,
        is_head=left.is_head,
        role=main.role,
    )
