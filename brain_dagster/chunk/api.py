"""The one way into this room for text: language in, chunks out."""

from __future__ import annotations

from collections.abc import Callable

from brain_dagster.chunk.blocks import READERS
from brain_dagster.chunk.conversations import is_conversation
from brain_dagster.chunk.declarations import chunk_declarations
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.lines import chunk_lines
from brain_dagster.chunk.prose import chunk_prose
from brain_dagster.chunk.records import RECORDED, chunk_records
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.structured.components import COMPONENTS, chunk_components
from brain_dagster.chunk.structured.html import chunk_html
from brain_dagster.chunk.structured.structure import STRUCTURED, chunk_structure
from brain_dagster.chunk.tokens import TokenCounter, default_counter
from brain_dagster.chunk.turns import SPOKEN, chunk_turns
from brain_dagster.model import ParsedDocument
from brain_dagster.store.clean import clean_text

Chunker = Callable[[SourceText, int, str, int], ParsedDocument]
"""Text, its number of characters, its language, budget -> chunks."""

MAY_BE_SPOKEN = frozenset(("", "text", "markdown"))
"""What a transcript or chat is usually saved as; whether it is one, its lines tell."""


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
    parsed = _by_syntax(text, language, budget, counter) or _by_reading(text, language, budget, counter)
    return parsed or chunk_lines(text, budget, counter=counter)


def _by_syntax(text: str, language: str, budget: int, counter: TokenCounter) -> ParsedDocument | None:
    """Chunk a text by its declarations, tags or keys; None if its language has none."""

    def chunk(part: str, inner: str, budget: int) -> ParsedDocument:
        return chunk_text(part, inner, budget, counter=counter)

    if language in LANGUAGES:
        return chunk_declarations(SourceText(text, counter), text, LANGUAGES[language], budget)
    if language == "html":
        return chunk_html(SourceText(text, counter), len(text), budget)
    if language in COMPONENTS:
        return chunk_components(SourceText(text, counter), len(text), language, budget, chunk)
    if language in STRUCTURED:
        return chunk_structure(SourceText(text, counter), len(text), language, budget)
    return None


def _by_reading(text: str, language: str, budget: int, counter: TokenCounter) -> ParsedDocument | None:
    """Chunk a text as people read it, by headings, turns or rows; None if its language has none."""
    chunk_as = _chunker_of_text(text, language)
    return chunk_as(SourceText(text, counter), len(text), language, budget) if chunk_as else None


def _chunker_of_text(
    text: str, language: str
) -> Callable[[SourceText, int, str, int], ParsedDocument] | None:
    """Return what cuts a text at its turns, records or headings; None if it has none that are known."""
    if language in SPOKEN or (language in MAY_BE_SPOKEN and is_conversation(text)):
        return chunk_turns
    if language in RECORDED:
        return chunk_records
    return chunk_prose if language in READERS else None
