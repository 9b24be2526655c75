"""Which headings are in force where in a notebook: those of a Markdown cell hold for all cells below it."""

from __future__ import annotations

from collections.abc import Sequence

from brain_dagster.chunk.blocks import BLOCKS
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.store.clean import clean_text

Trail = tuple[tuple[int, str], ...]
"""Headings in force, outermost first, each with its level."""


def trails_of(
    text: str, language: str, before: Trail, counter: TokenCounter
) -> tuple[list[tuple[int, Trail]], Trail]:
    """Return from which offset on which headings are in force; the last of them holds below the cell.

    A heading right above a deeper one has no text of its own and is left out.
    """
    source = SourceText(clean_text(text), counter)
    blocks = BLOCKS[language](source) if not source.is_blank(0, len(source)) else []
    trails: list[tuple[int, Trail]] = []
    trail = before
    start: int | None = None
    if not blocks or not blocks[0].level:
        trails.append((0, before))
    for index, block in enumerate(blocks):
        if not block.level:
            continue
        trail = (*(entry for entry in trail if entry[0] < block.level), (block.level, block.title))
        offset = block.start if start is None else start
        below = blocks[index + 1] if index + 1 < len(blocks) else None
        start = offset if below is not None and below.level > block.level else None
        if start is None:
            trails.append((offset if trails else 0, trail))
    return trails, trail


def titles(trail: Trail) -> tuple[str, ...]:
    return tuple(title for _, title in trail if title)


def common(trails: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the headings that all trails begin with."""
    shared = trails[0] if trails else ()
    for trail in trails[1:]:
        same = 0
        while same < min(len(shared), len(trail)) and shared[same] == trail[same]:
            same += 1
        shared = shared[:same]
    return shared
