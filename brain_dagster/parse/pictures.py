"""Puts what was read from the pictures of pages in the place of what their text layers do not say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Protocol

from brain_dagster.chunk.pages import PageChunk, page_drafts
from brain_dagster.errors import Transient
from brain_dagster.parse.collect import PartCollector, PartRead
from brain_dagster.place import page_ranges
from brain_dagster.vision.base import PageSeen

Chunker = Callable[[str], Sequence[PageChunk]]

LOW_CONFIDENCE = 0.7
_SAME_LINE = 0.8  # how alike a line of the text layer and one from the picture are if they are the same one
_RETRY_AFTER_S = 300.0


class Vision(Protocol):
    """What the vision step offers: see `brain_dagster.vision.step`."""

    identity: str

    def read(self, content: bytes, page_count: int, numbers: Sequence[int]) -> list[PageSeen]:
        """Read pages of one PDF; one result for each number, in their order."""
        ...


def read_pictures(collector: PartCollector, vision: Vision, content: bytes, chunk: Chunker) -> None:
    """Have the pages read that a PDF's text layer does not speak for, and note what became of each (G4)."""
    wanted = sorted({*collector.pictures, *collector.problems})
    if not wanted or collector.part_count is None:
        return
    seen = vision.read(content, collector.part_count, wanted)
    reader = _words(vision.identity)
    read = [page for page in seen if not page.problem and page.text]
    for page in seen:
        if not page.problem:
            collector.read_otherwise(_part(collector, page, chunk))
    if read:
        collector.read_from_pictures = _how(read, reader)
        collector.warnings.append(collector.read_from_pictures)
    collector.warnings.extend(_remarks(seen, reader))
    passing = [page.error for page in seen if page.error is not None]
    if passing:
        waits = (e.retry_after_s if isinstance(e, Transient) else None for e in passing)
        collector.retry_after_s = max(wait or _RETRY_AFTER_S for wait in waits)


def with_layer(layer: str, seen: str) -> str:
    """Join the few lines of a text layer with what the picture of the same page says, each line once.

    The layer's spelling wins: it was typed. A line that the picture does not show stands first.
    """
    lines = seen.split("\n")
    missing = []
    for own in filter(None, (line.strip() for line in layer.splitlines())):
        if _plain(own) in _plain(seen) and _plain(own):
            continue
        alike = [SequenceMatcher(None, _plain(own), _plain(line), autojunk=False).ratio() for line in lines]
        best = max(range(len(lines)), key=alike.__getitem__)
        if alike[best] >= _SAME_LINE:
            lines[best] = own
        else:
            missing.append(own)
    return "\n".join([*missing, *lines]).strip()


def _part(collector: PartCollector, seen: PageSeen, chunk: Chunker) -> PartRead:
    before = collector.parts[seen.number - 1]
    if not seen.text:
        return before
    layer = "".join(draft.text for draft in before.chunks)
    text = with_layer(layer, seen.text) if layer.strip() else seen.text
    page = replace(before.page, kind="scan")
    drafts = page_drafts(text.encode(), chunk(text), page, first=0)
    return PartRead(page, tuple(drafts), len(text))


def _how(read: Sequence[PageSeen], reader: str) -> str:
    """Say which pages were read by what, and how sure it is: `pages 2-3 read from their picture by ...`."""
    noun, whose = ("page", "its") if len(read) == 1 else ("pages", "their")
    pages = page_ranges(page.number for page in read)
    known = [page.confidence for page in read if page.confidence is not None]
    sure = "which states no confidence"
    if known:
        low, high = f"{min(known):.2f}", f"{max(known):.2f}"
        sure = f"confidence {low}" if low == high else f"confidence {low} to {high}"
    return f"{noun} {pages} read from {whose} picture by {reader}, {sure}"


def _remarks(seen: Sequence[PageSeen], reader: str) -> Iterable[str]:
    for page in seen:
        if (
            not page.problem
            and page.text
            and page.confidence is not None
            and page.confidence < LOW_CONFIDENCE
        ):
            yield f"page {page.number}: confidence {page.confidence:.2f} is low, its text may be wrong"
    empty = [page.number for page in seen if not page.problem and not page.text]
    if empty:
        noun = "page" if len(empty) == 1 else "pages"
        yield f"{reader} found no text in the picture of {noun} {page_ranges(empty)}"
    problems = sorted((page for page in seen if page.problem), key=lambda page: page.problem)
    for problem, pages in groupby(problems, key=lambda page: page.problem):
        numbers = [page.number for page in pages]
        noun = "page" if len(numbers) == 1 else "pages"
        yield f"{noun} {page_ranges(numbers)} not read from the picture: {problem}"


def _words(identity: str) -> str:
    """Write `rapidocr/PP-OCRv6` as people do: `rapidocr (PP-OCRv6)`."""
    name, _, version = identity.partition("/")
    return f"{name} ({version})" if version else name


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
