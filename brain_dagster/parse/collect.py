"""Builds parsed documents from the frames of a child, believing nothing that can be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from brain_dagster.chunk.pages import Page, PageChunk, page_drafts
from brain_dagster.model import ChunkDraft, ParsedDocument
from brain_dagster.parse.frames import BrokenFrame, Frame, strings

KINDS = frozenset(("declaration", "container", "imports", "module", "section", "lines", "rows", "turns"))
PART_KINDS = frozenset(("page", "scan", "slide", "sheet", "cell", "message"))
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
        metadata=frame.mapping("metadata"),
    )


def _text_chunk(ordinal: int, row: Sequence[Any], content: bytes) -> ChunkDraft:
    names, numbers = row[:5], row[5:]
    if len(names) != 5 or not _are_counts(numbers, 5):
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
        reached_by=strings(names[4]),
    )


def _are_counts(values: Sequence[Any], count: int) -> bool:
    return len(values) == count and all(type(value) is int and value >= 0 for value in values)


@dataclass(frozen=True, slots=True)
class PartRead:
    """A finished part: its chunks, numbered from 0, and how many characters it has."""

    chunks: tuple[ChunkDraft, ...]
    char_count: int


@dataclass
class PartCollector:
    """Gathers the parts of one document as they arrive; `document` may be asked for at any moment (G3)."""

    part_count: int | None = None
    kind: str = "page"
    title: str = ""
    outline: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    parts: list[PartRead] = field(default_factory=list)
    without_text: list[int] = field(default_factory=list)
    not_read: list[int] = field(default_factory=list)

    @property
    def parts_done(self) -> int:
        """How many parts have arrived."""
        return len(self.parts)

    def opened(self, frame: Frame) -> None:
        """Take what is known before the first part."""
        self.part_count = frame.number("parts")
        self.kind = frame.text("part") or "page"
        if self.kind not in PART_KINDS:
            raise BrokenFrame("its parts are of no known kind")
        self.title = frame.text("title")
        self.outline = frame.texts("outline")
        self.metadata = frame.mapping("metadata")
        self.warnings.extend(frame.texts("warnings"))

    def part(self, frame: Frame) -> None:
        """Take one finished part."""
        if frame.number("number") != self.parts_done + 1:
            raise BrokenFrame("a part is missing or comes twice")
        read = part_read(frame)
        self.parts.append(read)
        self.warnings.extend(frame.texts("warnings"))
        self._judge(self.parts_done, frame, has_text=bool(read.chunks))
        more = max(0, frame.number("last") - self.parts_done) if "last" in frame.fields else 0
        if more > (self.part_count or 0):
            raise BrokenFrame("a part stands for more parts than there are")
        self.parts.extend([PartRead((), 0)] * more)

    def read_otherwise(self, number: int, read: PartRead) -> None:
        """Put what another reader made of a part in the place of nothing; its chunks must be of it."""
        self.parts[number - 1] = read
        if number in self.without_text:
            self.without_text.remove(number)

    def _judge(self, number: int, frame: Frame, *, has_text: bool) -> None:
        """Decide per page whether its content was read; a page of pictures is not an empty page (G4)."""
        problem = frame.text("problem", 200)
        share = frame.number("image_percent")
        if problem:
            self.not_read.append(number)
            self.warnings.append(f"{frame.text('part')} {number} could not be read: {problem}")
        elif not has_text and not frame.fields.get("is_blank") and self.kind == "page":
            self.without_text.append(number)
        elif has_text and share >= SCANNED_PERCENT and frame.number("chars") < SPARSE_CHARS:
            self.warnings.append(
                f"page {number} is an image with a line of text; what the image shows was not read"
            )

    def document(self, reason: str) -> ParsedDocument:
        """Return what was read; `reason` says why the parts after the last finished one were not."""
        part_count = self.part_count or self.parts_done
        rest = range(self.parts_done + 1, part_count + 1)
        warnings = list(self.warnings)
        if rest:
            warnings.append(f"partial: {self.kind}s {rest[0]}-{rest[-1]} not read: {reason}")
        chunks = [chunk for part in self.parts for chunk in part.chunks]
        return ParsedDocument(
            chunks=tuple(replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks)),
            title=self.title,
            char_count=sum(part.char_count for part in self.parts),
            outline=self.outline,
            page_count=part_count,
            pages_without_text=tuple(self.without_text),
            pages_not_read=(*self.not_read, *rest),
            warnings=tuple(warnings),
            metadata=self.metadata,
            part_kind=self.kind,
        )


def part_read(frame: Frame) -> PartRead:
    """Cut the text of a part at the spans a child found; raises BrokenFrame."""
    rows = frame.rows("chunks")
    if frame.text("part") not in PART_KINDS:
        raise BrokenFrame("a part is of no known kind")
    if b"\0" in frame.body:
        raise BrokenFrame("a part holds what its parser should have replaced")
    page = Page(frame.number("number"), frame.text("part"), frame.text("label"), frame.texts("headings"))
    chunks = [_page_chunk(row, len(frame.body)) for row in rows]
    try:
        drafts = page_drafts(frame.body, chunks, page, first=0)
    except UnicodeDecodeError as error:
        raise BrokenFrame("a span splits a character") from error
    return PartRead(tuple(drafts), frame.number("chars"))


def _page_chunk(row: Sequence[Any], size: int) -> PageChunk:
    numbers, names = row[:3], row[3:]
    if not _are_counts(numbers, 3) or not numbers[0] < numbers[1] <= size or len(names) != 4:
        raise BrokenFrame("a chunk is malformed")
    start, end, tokens = numbers
    label, symbol = strings(list(names[:2]))
    return PageChunk(start, end, tokens, label, symbol, strings(names[2]), strings(names[3]))
