"""Chunks of one document that meet, joined into the passage a reader gets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brain_dagster.model import Excerpt, Twin
from brain_dagster.score import Score
from brain_dagster.store.excerpts import FoundChunk


def in_reading_order(chunks: Iterable[FoundChunk]) -> tuple[FoundChunk, ...]:
    """Sort chunks of one document by their position in it."""
    return tuple(sorted(chunks, key=lambda chunk: chunk.ordinal))


def is_met_by(chunks: Sequence[FoundChunk], other: Sequence[FoundChunk]) -> bool:
    """Whether two runs of chunks, each in reading order, touch or overlap in their document.

    In a text file the bytes decide. In a paged document the page must be the same, so that an excerpt can
    name it, and the positions consecutive; the chunks of one page tile its text. Where a chunk has neither
    bytes nor a page nothing is known of its neighbours, and nothing meets.
    """
    if chunks[0].document_id != other[0].document_id:
        return False
    mine, theirs = _span(chunks), _span(other)
    if mine is not None and theirs is not None:
        return mine[0] <= theirs[1] and theirs[0] <= mine[1]
    is_one_page = chunks[0].page is not None and chunks[0].page == other[0].page
    first, second = sorted((chunks, other), key=lambda run: run[0].ordinal)
    return is_one_page and second[0].ordinal == first[-1].ordinal + 1


def overlaps(chunks: Sequence[FoundChunk], other: Sequence[FoundChunk]) -> bool:
    """Whether two runs of chunks of one document share text; no chunker of today cuts such chunks."""
    mine, theirs = _span(chunks), _span(other)
    return mine is not None and theirs is not None and mine[0] < theirs[1] and theirs[0] < mine[1]


def token_count(chunks: Sequence[FoundChunk]) -> int:
    """The tokens of a run of chunks; an overlap counts twice."""
    return sum(chunk.tokens for chunk in chunks)


def joined_text(chunks: Sequence[FoundChunk]) -> str:
    """The text of the joined span, character for character; an overlap is not repeated."""
    text = chunks[0].text
    end = chunks[0].end_byte
    for chunk in chunks[1:]:
        if end is None or chunk.start_byte is None or chunk.end_byte is None or chunk.start_byte == end:
            text += chunk.text
        else:
            text += chunk.text.encode()[end - chunk.start_byte :].decode()
        end = chunk.end_byte if end is None or chunk.end_byte is None else max(end, chunk.end_byte)
    return text


def joined_symbol(chunks: Sequence[FoundChunk]) -> str:
    """Every symbol of the chunks once, in reading order, written as a chunker writes packed neighbours."""
    names = (name for chunk in chunks for name in chunk.symbol.split(", ") if name)
    return ", ".join(dict.fromkeys(names))


def joined_excerpt(chunks: Sequence[FoundChunk], score: Score, twins: tuple[Twin, ...] = ()) -> Excerpt:
    """Make the excerpt of a run of chunks in reading order that meet."""
    first = chunks[0]
    start_line, end_line = _lines(chunks)
    return Excerpt(
        collection=first.collection,
        source=first.source,
        path=first.path,
        start_line=start_line,
        end_line=end_line,
        page=first.page,
        symbol=joined_symbol(chunks),
        score=score,
        revision=first.revision,
        indexed_at=first.indexed_at,
        text=joined_text(chunks),
        chunk_ids=tuple(chunk.chunk_id for chunk in chunks),
        twins=twins,
        page_label=_label(chunks),
        kind=first.kind,
    )


def joined_twins(chunks: Iterable[FoundChunk]) -> tuple[Twin, ...]:
    """Name the places of these chunks, those that meet as one place, in the order of their first chunk."""
    documents: dict[int, list[FoundChunk]] = {}
    for chunk in chunks:
        documents.setdefault(chunk.document_id, []).append(chunk)
    return tuple(_twin(run) for found in documents.values() for run in runs(in_reading_order(found)))


def runs(chunks: Iterable[FoundChunk]) -> list[list[FoundChunk]]:
    """Cut chunks, each document's in reading order, into the longest runs whose chunks meet."""
    cut: list[list[FoundChunk]] = []
    for chunk in chunks:
        if cut and is_met_by(cut[-1], (chunk,)):
            cut[-1].append(chunk)
        else:
            cut.append([chunk])
    return cut


def _twin(chunks: Sequence[FoundChunk]) -> Twin:
    first = chunks[0]
    start_line, end_line = _lines(chunks)
    return Twin(
        first.collection,
        first.source,
        first.path,
        start_line,
        end_line,
        first.page,
        _label(chunks),
        first.kind,
    )


def _label(chunks: Sequence[FoundChunk]) -> str | None:
    """The label of the page; of several chunks of a sheet, from the first rows to the last."""
    labels = list(dict.fromkeys(chunk.page_label for chunk in chunks if chunk.page_label))
    return " to ".join(labels[:: max(1, len(labels) - 1)]) if labels else None


def _span(chunks: Sequence[FoundChunk]) -> tuple[int, int] | None:
    """The bytes from the first chunk's start to the furthest end; None if any is unknown."""
    ends = [chunk.end_byte for chunk in chunks if chunk.end_byte is not None]
    start = chunks[0].start_byte
    return (start, max(ends)) if start is not None and len(ends) == len(chunks) else None


def _lines(chunks: Sequence[FoundChunk]) -> tuple[int | None, int | None]:
    starts = [chunk.start_line for chunk in chunks if chunk.start_line is not None]
    ends = [chunk.end_line for chunk in chunks if chunk.end_line is not None]
    return min(starts, default=None), max(ends, default=None)
