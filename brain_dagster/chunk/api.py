"""The one way into this room for text: language in, chunks out."""

from __future__ import annotations

from brain_dagster.chunk.blocks import BLOCKS
from brain_dagster.chunk.declarations import chunk_declarations
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.lines import chunk_lines
from brain_dagster.chunk.prose import chunk_prose
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter, default_counter
from brain_dagster.model import ParsedDocument
from brain_dagster.store.clean import clean_text


def chunk_text(
    text: str, language: str, budget: int, *, counter: TokenCounter | None = None
) -> ParsedDocument:
    """Chunk a text file; the spans of its chunks tile it.

    Unit    `budget` counts tokens of the embedding model; no chunk is over it.
    """
    text = clean_text(text)
    counter = counter or default_counter()
    if not text.strip():
        return ParsedDocument(chunks=(), title="", char_count=len(text))
    if language in LANGUAGES:
        return chunk_declarations(SourceText(text, counter), text, LANGUAGES[language], budget)
    if language in BLOCKS:
        return chunk_prose(SourceText(text, counter), len(text), language, budget)
    return chunk_lines(text, budget, counter=counter)
