"""Readers of prose, one file for each format: they find headings and blocks in one pass over the lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from brain_dagster.chunk.blocks.asciidoc import asciidoc_blocks
from brain_dagster.chunk.blocks.base import Block, LineScanner
from brain_dagster.chunk.blocks.markdown import markdown_blocks
from brain_dagster.chunk.blocks.org import org_blocks
from brain_dagster.chunk.blocks.plain_text import plain_text_blocks
from brain_dagster.chunk.blocks.rst import rst_blocks
from brain_dagster.chunk.source import SourceText

__all__ = ["BLOCKS", "READERS", "Block", "LineScanner"]

READERS: Mapping[str, Callable[[SourceText], LineScanner]] = {
    "markdown": markdown_blocks,
    "rst": rst_blocks,
    "asciidoc": asciidoc_blocks,
    "org": org_blocks,
    "text": plain_text_blocks,
}
"""The formats that are cut at headings, by the names `language_of` gives."""


def _only_blocks(read: Callable[[SourceText], LineScanner]) -> Callable[[SourceText], list[Block]]:
    return lambda source: read(source).blocks


BLOCKS: Mapping[str, Callable[[SourceText], list[Block]]] = {
    language: _only_blocks(read) for language, read in READERS.items()
}
"""As READERS, for those who want to know nothing but the blocks."""
