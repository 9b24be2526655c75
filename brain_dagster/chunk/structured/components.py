"""Chunks of components (Vue, Svelte): scripts by declarations, styles by rules, and markup by blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from brain_dagster.chunk.lines import line_spans
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.structured.entries import HEADER_CHARS, one_line
from brain_dagster.chunk.structured.html import block_marks, page_spans
from brain_dagster.chunk.structured.markup import Mark, MarkKind, attributes, marks
from brain_dagster.model import ParsedDocument

COMPONENTS = frozenset(("vue", "svelte"))
MAX_SECTIONS = 200
_SCRIPTS = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx", "": "javascript"}
_STYLES = {"": "css", "postcss": "css", "css": "css", "scss": "scss", "less": "less"}
_LINE_NUMBER = re.compile(r"\bline (\d+)")

ChunkText = Callable[[str, str, int], ParsedDocument]
"""Text, language and budget to chunks that tile the text."""


@dataclass(frozen=True, slots=True)
class Section:
    """A script, a style sheet, or the markup between.

    start, end  with its tags and the blank lines after it; `inside` without
    tag         the opening tag as written
    language    None for markup
    """

    start: int
    end: int
    inside: tuple[int, int]
    tag: str = ""
    language: str | None = None


def chunk_components(
    source: SourceText, char_count: int, language: str, budget: int, chunk: ChunkText
) -> ParsedDocument:
    """Chunk a component; the spans tile its source. What its scripts declare and import is the file's."""
    spans: list[Span] = []
    outline: list[str] = []
    imports: list[str] = []
    warnings: list[str] = []
    for section in _sections(source):
        if section.language is None:
            spans += _markup(source, section, language, budget)
            continue
        inner = chunk(_text(source, section.inside), section.language, budget)
        spans += _with_tags(source, section, inner, budget)
        warnings += _moved(inner.warnings, source.line_of(section.inside[0]) - 1)
        if section.tag.startswith("<script"):
            outline += inner.outline
            imports += inner.imports
    return ParsedDocument(
        chunks=tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans)),
        title="",
        char_count=char_count,
        outline=tuple(dict.fromkeys(outline)),
        imports=tuple(dict.fromkeys(imports)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _moved(warnings: Sequence[str], lines: int) -> list[str]:
    """Return warnings with their line numbers counted from the start of the file."""

    def moved(number: re.Match[str]) -> str:
        return f"line {int(number[1]) + lines}"

    return [_LINE_NUMBER.sub(moved, warning) for warning in warnings]


def _sections(source: SourceText) -> Iterator[Section]:
    """Yield scripts, styles and what stands between them; they tile the source."""
    position = 0
    for section in _embedded(source):
        if section.start > position:
            yield Section(position, section.start, (position, section.start))
        yield section
        position = section.end
    if position < len(source):
        yield Section(position, len(source), (position, len(source)))


def _embedded(source: SourceText) -> Iterator[Section]:
    """Yield the scripts and styles, each with the blank lines after it."""
    opened: Mark | None = None
    raw: Mark | None = None
    floor = found = 0
    for mark in marks(source.content):
        if raw is not None and opened is not None:
            end = mark.end if mark.kind is MarkKind.CLOSE and mark.start == raw.end else raw.end
            section = _section(source, opened, raw, floor, end)
            floor, found = section.end, found + 1
            yield section
            raw = None
            if found >= MAX_SECTIONS:
                return
        if mark.kind is MarkKind.RAW:
            raw = mark
        elif mark.kind is MarkKind.OPEN:
            opened = mark
    if raw is not None and opened is not None:
        yield _section(source, opened, raw, floor, raw.end)


def _section(source: SourceText, opened: Mark, raw: Mark, floor: int, end: int) -> Section:
    start = source.with_indent(opened.start)
    blank = len(source.content) - len(source.content[end:].lstrip())
    if source.is_blank(end, blank) and blank > end:
        end = source.line_start(blank) if blank < len(source) and source.line_start(blank) > end else blank
    said = attributes(source.content, opened)
    known = _SCRIPTS if raw.name == b"script" else _STYLES
    kind = "json" if "json" in said.get("type", "") else known.get(said.get("lang", "").lower(), "")
    tag = one_line(source.content[opened.start : opened.end], HEADER_CHARS)
    return Section(max(start, floor), end, (raw.start, raw.end), tag, kind)


def _markup(source: SourceText, section: Section, language: str, budget: int) -> list[Span]:
    """Return spans for markup between scripts, cut like a web page."""
    inner = SourceText(_text(source, section.inside), source.counter)
    found = block_marks(inner.content)
    spans = (
        page_spans(inner, found, budget)[0] if found is not None else line_spans(inner, 0, len(inner), budget)
    )
    name = "template" if language == "vue" and inner.content.lstrip()[:9] == b"<template" else ""
    return [
        replace(span, start=span.start + section.start, end=span.end + section.start, symbol=name)
        for span in spans
    ]


def _with_tags(source: SourceText, section: Section, inner: ParsedDocument, budget: int) -> list[Span]:
    """Return the spans of a script, shifted to its place, its tags with the first and the last of them."""
    base, end = section.inside
    spans = [
        Span(
            c.start_byte + base, c.end_byte + base, c.kind, c.symbol, (section.tag, *c.enclosing), c.headings
        )
        for c in inner.chunks
        if c.start_byte is not None and c.end_byte is not None
    ]
    if not spans:
        return line_spans(source, section.start, section.end, budget)
    first = spans[0]
    if source.fits(section.start, first.end, budget):
        spans[0] = replace(first, start=section.start, enclosing=first.enclosing[1:])
    else:
        spans[:0] = line_spans(source, section.start, base, budget)
    if source.fits(spans[-1].start, section.end, budget):
        spans[-1] = replace(spans[-1], end=section.end)
    else:
        spans += line_spans(source, end, section.end, budget)
    return spans


def _text(source: SourceText, stretch: tuple[int, int]) -> str:
    return source.content[stretch[0] : stretch[1]].decode()
