"""Puts the text of one part together from pieces, so that the chunks of the pieces tile the part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from brain_dagster.chunk.pages import Page, PageChunk, chunk_page
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.extracted import Part
from brain_dagster.store.clean import clean_text

MAX_REASON = 200


class PartText:
    """The text of one part as it grows; what separates two pieces stands at the end of the first."""

    def __init__(self, budget: int, counter: TokenCounter) -> None:
        self.budget = budget
        self.counter = counter
        self.chunks: list[PageChunk] = []
        self._texts: list[str] = []
        self._bytes = 0

    @property
    def text(self) -> str:
        """All pieces, one behind the other."""
        return "".join(self._texts)

    def add(self, text: str, chunks: Sequence[PageChunk], *, headings: tuple[str, ...] | None = None) -> None:
        """Append a piece that is already cut; offsets of its chunks count from its own first byte."""
        text = clean_text(text)
        for chunk in chunks:
            moved = replace(chunk, start=chunk.start + self._bytes, end=chunk.end + self._bytes)
            self.chunks.append(moved if headings is None else replace(moved, headings=headings))
        self._texts.append(text)
        self._bytes += len(text.encode())

    def add_page(self, text: str, *, headings: tuple[str, ...] = ()) -> None:
        """Append prose, cut as a page of its own; nothing but white space is left out."""
        if text.strip():
            text = clean_text(text)
            self.add(text, chunk_page(text, self.budget, self.counter), headings=headings)

    def part(self, page: Page, warnings: tuple[str, ...] = ()) -> Part:
        """Return what was gathered as a part."""
        return Part(page, self.text, tuple(self.chunks), warnings=warnings)


def whole(text: str, counter: TokenCounter, **place: object) -> PageChunk:
    """Return one chunk over all of a text."""
    source = SourceText(clean_text(text), counter)
    return PageChunk(0, len(source), source.tokens(0, len(source)), **place)  # type: ignore[arg-type]


def read_each(pages: Sequence[Page], read: Callable[[int, Page], Iterable[Part]]) -> Iterator[Part]:
    """Read part after part; one that its library cannot make sense of says why and harms no other (G2).

    `read` takes the position, from 0, and the place of a part; a part may come in several pieces.
    """
    for position, page in enumerate(pages):
        try:
            yield from read(position, page)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - office libraries raise nearly everything on damaged input
            why = f"{type(error).__name__} {' '.join(str(error).split())}".strip()
            yield Part(page, "", problem=why[:MAX_REASON])
