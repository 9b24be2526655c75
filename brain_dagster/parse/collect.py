"""Builds parsed documents from the frames of a child, believing nothing that can be checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from brain_dagster.chunk.pages import PageChunk, page_drafts
from brain_dagster.model import ChunkDraft, ParsedDocument
from brain_dagster.parse.frames import BrokenFrame, Frame, strings

KINDS = frozenset(("declaration", "container", "imports", "module", "section", "page", "lines"))
SCANNED_PERCENT = 70  # an image that covers this much of a page with hardly any text is probably a scan
SPARSE_CHARS = 100


def text_document(frame: Frame, content: bytes, char_count: int) -> ParsedDocument:
    """Cut the parent's own copy of the text at the spans a child found.

    Raises  BrokenFrame - the spans do not tile the text, or something else is not as agreed.
    """
    rows = frame.rows("chunks")
    chunks = tuple(_text_chunk(ordinal, row, content) for ordinal, row in enumerate(rows))
    ends = [0, *(chunk.end_byte for chunk in chunks)]
    if chunks and [chunk.start_byte for chunk in chunks] + [len(content)] != ends:
        raise BrokenFrame("the spans do not tile the text")
    return ParsedDocument(
        chunks=chunks,
        title=frame.text("title"),
        char_count=char_count,
        outline=frame.texts("outline"),
        imports=frame.texts("imports"),
        warnings=frame.texts("warnings"),
    )


def _text_chunk(ordinal: int, row: Sequence[Any], content: bytes) -> ChunkDraft:
    names, numbers = row[:4], row[4:]
    if len(names) != 4 or not _are_counts(numbers, 5):
        raise BrokenFrame("a chunk is malformed")
    kind, symbol = strings(list(names[:2]))
    start, end, first_line, last_line, tokens = numbers
    if kind not in KINDS or not (start < end <= len(content) and 1 <= first_line <= last_line):
        raise BrokenFrame("a span lies outside the text")
    try:
        text = content[start:end].decode()
    except UnicodeDecodeError as error:
        raise BrokenFrame("a span splits a character") from error
    return ChunkDraft(
        ordinal=ordinal,
        kind=kind,
        symbol=symbol,
        enclosing=strings(names[2]),
        headings=strings(names[3]),
        text=text,
        start_byte=start,
        end_byte=end,
        start_line=first_line,
        end_line=last_line,
        page=None,
        page_label=None,
        tokens=tokens,
    )


def _are_counts(values: Sequence[Any], count: int) -> bool:
    return len(values) == count and all(type(value) is int and value >= 0 for value in values)


@dataclass
class PdfCollector:
    """Gathers the pages of one PDF as they arrive; `document` may be asked for at any moment (G3)."""

    page_count: int | None = None
    title: str = ""
    outline: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    chunks: list[ChunkDraft] = field(default_factory=list)
    char_count: int = 0
    without_text: list[int] = field(default_factory=list)
    not_read: list[int] = field(default_factory=list)
    pages_done: int = 0

    def opened(self, frame: Frame) -> None:
        """Take what is known before the first page."""
        self.page_count = frame.number("pages")
        self.title = frame.text("title")
        self.outline = frame.texts("outline")
        self.warnings.extend(frame.texts("warnings"))

    def page(self, frame: Frame) -> None:
        """Take one finished page."""
        number = frame.number("number")
        if number != self.pages_done + 1:
            raise BrokenFrame("a page is missing or comes twice")
        rows = frame.rows("chunks")
        if not all(_are_counts(row, 3) and row[0] < row[1] <= len(frame.body) for row in rows):
            raise BrokenFrame("a chunk is malformed")
        if b"\0" in frame.body:
            raise BrokenFrame("a page holds what its parser should have replaced")
        drafts = page_drafts(
            frame.body,
            [PageChunk(*row) for row in rows],
            first=len(self.chunks),
            page=number,
            label=frame.text("label"),
            headings=frame.texts("headings"),
        )
        self.pages_done = number
        self.chunks.extend(drafts)
        self.char_count += frame.number("chars")
        self._judge(number, frame, has_text=bool(drafts))

    def _judge(self, number: int, frame: Frame, *, has_text: bool) -> None:
        """Decide per page whether its content was read; a page of pictures is not an empty page (G4)."""
        problem = frame.text("problem", 200)
        share = frame.number("image_percent")
        if problem:
            self.not_read.append(number)
            self.warnings.append(f"page {number} could not be read: {problem}")
        elif not has_text and not frame.fields.get("is_blank"):
            self.without_text.append(number)
        elif has_text and share >= SCANNED_PERCENT and frame.number("chars") < SPARSE_CHARS:
            self.warnings.append(
                f"page {number} is an image with a line of text; what the image shows was not read"
            )

    def document(self, reason: str) -> ParsedDocument:
        """Return what was read; `reason` says why the pages after the last finished one were not."""
        page_count = self.page_count or self.pages_done
        rest = range(self.pages_done + 1, page_count + 1)
        warnings = list(self.warnings)
        if rest:
            warnings.append(f"partial: pages {rest[0]}-{rest[-1]} not read: {reason}")
        return ParsedDocument(
            chunks=tuple(self.chunks),
            title=self.title,
            char_count=self.char_count,
            outline=self.outline,
            page_count=page_count,
            pages_without_text=tuple(self.without_text),
            pages_not_read=(*self.not_read, *rest),
            warnings=tuple(warnings),
        )
