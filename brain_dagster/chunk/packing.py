"""Packs small neighbours of one scope into chunks, and leaves whole-sized declarations alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from brain_dagster.chunk.segments import Segment
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.statements import Role

SMALL = 4  # a declaration of less than a quarter of the budget shares its chunk with its like
STRAY = 8  # code of less than an eighth joins whatever is next to it
_WORD = re.compile(rb"\w+")
MAX_SYMBOL_CHARS = 1_000
_RANK = {"declaration": 3, "container": 2, "module": 1, "imports": 0}


def pack(source: SourceText, segments: Sequence[Segment], budget: int) -> list[Segment]:
    """Merge neighbours up to the budget; order and coverage stay as they were.

    A stretch of comments leans towards what follows it; everything else joins what stands before it.
    """
    packed: list[Segment] = []
    all_small = True
    for segment in _with_leading_comments(source, segments, budget):
        is_small = source.tokens(segment.start, segment.end) <= budget // SMALL
        last = packed[-1] if packed else None
        if last is not None and _may_join(source, last, segment, budget, both_small=all_small and is_small):
            packed[-1] = _joined(last, segment)
            all_small = all_small and is_small
        else:
            packed.append(segment)
            all_small = is_small
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
            and _is_slight(source, last, budget)
            and source.fits(last.start, segment.end, budget)
        ):
            result[-1] = replace(segment, start=last.start)
        else:
            result.append(segment)
    return result


def _is_slight(source: SourceText, comment: Segment, budget: int) -> bool:
    """Whether a comment says next to nothing: it is short, or a title between two long rules."""
    if source.tokens(comment.start, comment.end) <= budget // STRAY:
        return True
    return len(_WORD.findall(source.content, comment.start, comment.end)) <= budget // STRAY // 2


def _may_join(source: SourceText, left: Segment, right: Segment, budget: int, *, both_small: bool) -> bool:
    if left.scope != right.scope:
        return _opens_into(source, left, right, budget)
    if not source.fits(left.start, right.end, budget):
        return _introduces_split(source, left, right, budget)
    if min(source.tokens(left.start, left.end), source.tokens(right.start, right.end)) <= budget // STRAY:
        # Two lines of code belong to their neighbour, unless they are imports next to a declaration.
        return True
    if _is_code(left) and _is_code(right):
        return True
    return both_small and Role.IMPORT not in (left.role, right.role)


def _opens_into(source: SourceText, left: Segment, right: Segment, budget: int) -> bool:
    """Whether a mere `module A` stands before the beginning of the class that opens inside it."""
    is_nested = left.is_head and right.is_head and right.enclosing == (*left.enclosing, left.header)
    is_stray = source.tokens(left.start, left.end) <= budget // STRAY
    return is_nested and is_stray and source.fits(left.start, right.end, budget)


def _introduces_split(source: SourceText, left: Segment, right: Segment, budget: int) -> bool:
    """Whether a mere `class A:` stands before a member that will be split and can take it along."""
    is_stray = left.is_head and source.tokens(left.start, left.end) <= budget // STRAY
    return is_stray and right.inner is not None and not source.fits(right.start, right.end, budget)


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
    if left.scope != right.scope:
        return replace(right, start=left.start, enclosing=left.enclosing, inside=right.around_later_pieces())
    splits = left.is_head and right.inner is not None
    return replace(
        main,
        inside=right.around_later_pieces() if splits else None,
        start=left.start,
        end=right.end,
        names=names,
        enclosing=left.enclosing if left.is_head else main.enclosing,
        nodes=left.nodes + right.nodes,
        inner=None,
        is_head=left.is_head,
        role=main.role,
    )
