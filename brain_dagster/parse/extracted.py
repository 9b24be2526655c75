"""What a reader of a binary or wrapped format makes of a file: text that flows, or parts to be cited by name.

Readers run only inside the parser's child process (faults E, G). `brain_dagster/parse/formats/` has one file
for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from brain_dagster.chunk.pages import Page, PageChunk
from brain_dagster.chunk.tokens import TokenCounter

MAX_TEXT_CHARS = 20_000_000


@dataclass(frozen=True, slots=True)
class FlowText:
    """A document without parts: its chunks tile the extracted text, and lines count in that text.

    language  how the text is to be chunked, a name that `chunk_text` knows
    metadata  what the file says of itself: author, date, ...
    """

    text: str
    language: str
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One part with its text, or why there is none.

    chunks    where the reader itself knows how to cut; None leaves it to `chunk_page`
    problem   why nothing of it could be read, or ``
    warnings  what of it was left out, in sentences
    has_more  the next one continues it: a long sheet comes in pieces, so that finished ones survive
    """

    page: Page
    text: str
    chunks: tuple[PageChunk, ...] | None = None
    problem: str = ""
    warnings: tuple[str, ...] = ()
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class PartedText:
    """A document of parts, read one at a time so that finished ones survive whatever comes next (G3).

    kind  of the parts, as in `Page`
    """

    kind: str
    part_count: int
    parts: Iterator[Part]
    title: str = ""
    outline: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


Extractor = Callable[[bytes, int, TokenCounter], FlowText | PartedText]
"""Content, token budget of a chunk, counter -> what is in it.

Errors  NeedsPassword, BrokenDocument.
"""
