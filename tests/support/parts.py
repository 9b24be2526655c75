"""Runs a reader of a format in this process and checks what holds for all of them."""

from __future__ import annotations

from itertools import pairwise

from brain_dagster.chunk.pages import PageChunk, chunk_page
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.parse.extracted import FlowText, Part, PartedText
from brain_dagster.parse.formats import extractor


def opened(language: str, content: bytes, budget: int = 200) -> PartedText:
    """Open a document of parts."""
    extract = extractor(language)
    assert extract is not None, language
    found = extract(content, budget, default_counter())
    assert isinstance(found, PartedText)
    return found


def flow(language: str, content: bytes) -> FlowText:
    """Read a document without parts."""
    extract = extractor(language)
    assert extract is not None, language
    found = extract(content, 200, default_counter())
    assert isinstance(found, FlowText)
    return found


def parts_of(language: str, content: bytes, budget: int = 200) -> list[Part]:
    """Read all parts; together they stand for every position, and their chunks tile them in the budget."""
    found = opened(language, content, budget)
    parts = list(found.parts)
    position = 0
    is_open = False
    for part in parts:
        assert part.page.number == position + (not is_open)
        assert part.page.kind == found.kind
        position = max(part.page.number, part.page.last)
        is_open = part.has_more
        assert_tiled(part, budget)
    assert position == found.part_count
    return parts


def chunks_of(part: Part, budget: int = 200) -> list[PageChunk]:
    """Return the chunks of a part, its own or those of a page."""
    return list(part.chunks) if part.chunks is not None else chunk_page(part.text, budget, default_counter())


def texts_of(part: Part, budget: int = 200) -> list[str]:
    """Return the texts of the chunks."""
    content = part.text.encode()
    return [content[chunk.start : chunk.end].decode() for chunk in chunks_of(part, budget)]


def assert_tiled(part: Part, budget: int) -> None:
    """Nothing of a part is lost, nothing is said twice, nothing is over the budget."""
    chunks = chunks_of(part, budget)
    if part.text.strip():
        assert "".join(texts_of(part, budget)) == part.text
        assert chunks[0].start == 0
        assert all(left.end == right.start for left, right in pairwise(chunks))
    for chunk in chunks:
        weighed = default_counter().count(part.text.encode()[chunk.start : chunk.end].decode())
        assert chunk.tokens <= budget
        assert abs(chunk.tokens - weighed) <= 2
