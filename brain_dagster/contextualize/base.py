"""What every way of writing context sentences shares: the place of a chunk, the sentence, the interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where a chunk stands in its document: everything known about it but its own text.

    path        printable path within the source; the only field that a move may change
    title       as the text itself gives it, never made from the file's name: a move re-embeds nothing
    outline     names declared at the file's top level (code) or its first headings (prose), in order
    enclosing   header lines of the declarations around the chunk, outermost first
    headings    heading trail of prose, outermost first
    page        ordinal from 1 of a paged document, else None; `page_label` as printed
    ordinal     position among the document's `chunk_count` chunks, counted from 0
    reached_by  routes and entry points that lead to the chunk: `GET /users/{id}`
    subject     what the document says it is about: description or tags of its front matter
    """

    path: str
    title: str
    language: str
    outline: tuple[str, ...]
    imports: tuple[str, ...]
    symbol: str
    enclosing: tuple[str, ...]
    headings: tuple[str, ...]
    page: int | None
    page_label: str | None
    kind: str
    ordinal: int
    chunk_count: int
    reached_by: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True, slots=True)
class ContextSentence:
    """A context sentence with its provenance.

    model        identity of what wrote it
    prompt_hash  32 bytes: sha256 of exactly what the sentence was made from
    state        failed: the writer could not, try again later; skipped: it will not be tried
    """

    sentence: str
    kind: Literal["structure", "model"]
    model: str
    prompt_hash: bytes
    state: Literal["ok", "failed", "skipped"]


class Contextualizer(Protocol):
    """Writes context sentences; a failed one is a state of its chunk, never an exception for the batch."""

    @property
    def identity(self) -> str:
        """What writes the sentences, with its version; part of the recipe."""

    def describe(self, places: Sequence[ChunkPlace], texts: Sequence[str]) -> list[ContextSentence]:
        """Return one sentence per place, in the same order; `texts` are the chunks' own texts."""
