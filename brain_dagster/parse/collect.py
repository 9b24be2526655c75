"""Builds parsed documents from the frames of a child, believing nothing that can be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from brain_dagster.chunk.pages import Page, PageChunk, page_drafts
from brain_dagster.model import ChunkDraft, ParsedDocument
from brain_dagster.parse.frames import BrokenFrame, Frame, strings

KINDS = frozenset(("declaration", "container", "imports", "module", "section", "lines", "rows", "turns"))
PART_KINDS = frozenset(("page", "scan", "slide", "sheet", "cell", "message"))
# Why the picture of a page says what its text layer does not, as `brain_dagster.parse.pdf` finds it.
PICTURES = frozenset(("no text", "line of text", "no sense"))
MAX_WARNINGS = 50  # a mailbox may have an attachment in each of its messages


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
    """A finished part: where it stands, its chunks, numbered from 0, and how many characters it has."""

    page: Page
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
    pictures: dict[int, str] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)
    is_open: bool = False
    read_from_pictures: str = ""
    retry_after_s: float | None = None

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
        if frame.number("number") != self.parts_done + (not self.is_open):
            raise BrokenFrame("a part is missing or comes twice")
        read = part_read(frame)
        if self.is_open:
            so_far = self.parts.pop()
            read = PartRead(read.page, so_far.chunks + read.chunks, so_far.char_count + read.char_count)
        self.parts.append(read)
        self.is_open = frame.fields.get("has_more") is True
        self.warnings.extend(frame.texts("warnings"))
        self._judge(self.parts_done, frame)
        more = max(0, frame.number("last") - self.parts_done) if "last" in frame.fields else 0
        if more > (self.part_count or 0):
            raise BrokenFrame("a part stands for more parts than there are")
        self.parts.extend([PartRead(read.page, (), 0)] * more)

    def read_otherwise(self, read: PartRead) -> None:
        """Put what another reader made of a part in the place of nothing; its chunks must be of it."""
        number = read.page.number
        self.parts[number - 1] = read
        self.pictures.pop(number, None)
        self.problems.pop(number, None)

    def _judge(self, number: int, frame: Frame) -> None:
        """Note what was not read of a part; a page of pictures is not an empty page (G4)."""
        problem, picture = frame.text("problem", 200), frame.text("picture")
        if problem:
            self.problems[number] = problem
        elif picture:
            if picture not in PICTURES:
                raise BrokenFrame("a page has a picture of no known kind")
            self.pictures[number] = picture

    def _remarks(self) -> Iterator[str]:
        for number in sorted({*self.problems, *self.pictures}):
            if number in self.problems:
                kind = self.parts[number - 1].page.kind
                yield f"{kind} {number} could not be read: {self.problems[number]}"
            elif self.pictures[number] == "line of text":
                yield f"page {number} is an image with a line of text; what the image shows was not read"
            elif self.pictures[number] == "no sense":
                yield f"page {number} has a text layer of signs without meaning, which was left out"

    def document(self, reason: str) -> ParsedDocument:
        """Return what was read; `reason` says why the parts after the last finished one were not."""
        part_count = self.part_count or self.parts_done
        rest = range(self.parts_done + 1, part_count + 1)
        warnings = [*self.warnings, *self._remarks()]
        if self.is_open:
            warnings.append(f"partial: {self.kind} {self.parts_done} is not read to its end: {reason}")
        if rest:
            warnings.append(f"partial: {self.kind}s {rest[0]}-{rest[-1]} not read: {reason}")
        chunks = [chunk for part in self.parts for chunk in part.chunks]
        return ParsedDocument(
            chunks=tuple(replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks)),
            title=self.title,
            char_count=sum(part.char_count for part in self.parts),
            outline=self.outline,
            page_count=part_count,
            pages_without_text=tuple(sorted(self.pictures)),
            pages_not_read=(*sorted(self.problems), *rest),
            warnings=_first(warnings),
            metadata=self.metadata,
            read_from_pictures=self.read_from_pictures,
            retry_after_s=self.retry_after_s,
            part_kind=self.kind,
        )


def _first(warnings: list[str]) -> tuple[str, ...]:
    """Return the warnings, or the first ones and how many more there are."""
    if len(warnings) <= MAX_WARNINGS:
        return tuple(warnings)
    return (*warnings[: MAX_WARNINGS - 1], f"and {len(warnings) - MAX_WARNINGS + 1:,} more warnings")


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
    return PartRead(page, tuple(drafts), frame.number("chars"))


def _page_chunk(row: Sequence[Any], size: int) -> PageChunk:
    numbers, names = row[:3], row[3:]
    if not _are_counts(numbers, 3) or not numbers[0] < numbers[1] <= size or len(names) != 4:
        raise BrokenFrame("a chunk is malformed")
    start, end, tokens = numbers
    label, symbol = strings(list(names[:2]))
    return PageChunk(start, end, tokens, label, symbol, strings(names[2]), strings(names[3]))
