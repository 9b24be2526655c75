"""The values that travel between rooms. Frozen, typed, and free of behaviour that touches the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from brain_dagster.score import Score


class ItemKind(StrEnum):
    """What a listed item is, before anyone opens it."""

    FILE = "file"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    SPECIAL = "special"


class Change(StrEnum):
    """How a listed item differs from the document in the store."""

    ADDED = "added"
    CHANGED = "changed"
    STALE = "stale"  # same bytes, but a recipe (parser, chunker, context, lexical) moved on
    RETRY = "retry"  # same bytes, but the last attempt failed and its retry time has come
    UNCHANGED = "unchanged"
    REMOVED = "removed"


class State(StrEnum):
    """State of a document."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"
    SKIPPED = "skipped"


class Mode(StrEnum):
    """Which lists a search draws on."""

    AUTO = "auto"
    DENSE = "dense"
    LEXICAL = "lexical"
    HYBRID = "hybrid"
    RERANKED = "hybrid+rerank"


@dataclass(frozen=True, slots=True)
class Source:
    """A registered source: one Dagster partition."""

    id: int
    key: str
    collection_id: int
    collection: str
    kind: str
    location: str
    ref: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    generation: int
    revision: str | None
    listing_token: str | None
    recipe: str | None


@dataclass(frozen=True, slots=True)
class ListedItem:
    """One thing a connector found.

    path          raw bytes, relative to the source's root, `/` between parts
    token         changes whenever the bytes may have changed (git: blob id; folder: stat signature)
    content_hash  identity of the bytes if the listing knows it without reading (git), else None
    """

    path: bytes
    kind: ItemKind
    token: str
    content_hash: str | None
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """What exists in a source at one moment.

    is_complete  only a complete listing may delete (fault A3)
    token        identity of the whole listing; equal tokens mean nothing changed
    excluded     how many items the source's own globs and ignore files left out
    problems     why the listing is incomplete, for people
    """

    revision: str
    token: str
    is_complete: bool
    items: tuple[ListedItem, ...]
    excluded: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk as the chunker cuts it, before it has a context, a vector or an identity.

    kind        declaration | container | imports | module | section | rows | turns | lines, or the part it
                stands in: page | scan | slide | sheet | cell | message
    symbol      path of the declaration, e.g. `Client.fetch`; packed neighbours: `a, b`; `` if none
    enclosing   header lines of the declarations around it, outermost first (`class Client(Base):`)
    headings    heading trail of prose, outermost first
    text        the exact characters of the span
    start_byte  offset in the UTF-8 form of the decoded text; spans of a text file tile it
    start_line  counted from 1, `\\n`, `\\r\\n` and `\\r` each end one line; None for pages
    page        ordinal from 1 of the page or part, else None; page_label as printed, or `slide 3`
    tokens      of the embedding model's tokenizer, special tokens not counted
    reached_by  routes and entry points that lead to it: `GET /users/{id}`, `entry point brain`
    plain_text  what is embedded and indexed in place of the text, where that is mostly markup; None: the text
    """

    ordinal: int
    kind: str
    symbol: str
    enclosing: tuple[str, ...]
    headings: tuple[str, ...]
    text: str
    start_byte: int | None
    end_byte: int | None
    start_line: int | None
    end_line: int | None
    page: int | None
    page_label: str | None
    tokens: int
    reached_by: tuple[str, ...] = ()
    plain_text: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What parsing and chunking made of one file.

    outline  names declared at the top level (code) or first headings (prose), in order
    imports  modules or packages the file imports, in order, as written
    metadata what the document says of itself: front matter, author, date
    part_kind what the numbers in page_count and pages_... count: page | slide | sheet | cell | message
    pages_without_text  pages of which only a picture says anything, and nothing has read it
    read_from_pictures  which pages were read from their picture, how and with what confidence
    retry_after_s       set if trying later may read more of it
    """

    chunks: tuple[ChunkDraft, ...]
    title: str
    char_count: int
    outline: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    page_count: int | None = None
    pages_without_text: tuple[int, ...] = ()
    pages_not_read: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    part_kind: str = "page"
    read_from_pictures: str = ""
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What became of one listed item in the funnel; `document` is set only when state is READY."""

    state: State
    content_hash: str
    media_type: str = ""
    language: str = ""
    encoding: str = ""
    size_bytes: int = 0
    reason_code: str | None = None
    reason: str | None = None
    retry_at: datetime | None = None
    warnings: tuple[str, ...] = ()
    document: ParsedDocument | None = None


# Users and groups share no name: what stands for a group among the readers of a collection begins so.
GROUP_MARK = "group:"


@dataclass(frozen=True, slots=True)
class Principal:
    """On whose behalf content is read. There is no default principal.

    groups  bare names, without the mark
    """

    user: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with the score one scorer gave it, and where it lives."""

    chunk_id: int
    document_id: int
    collection_id: int
    score: Score


@dataclass(frozen=True, slots=True)
class Twin:
    """Another place that holds the same text as an excerpt; the principal may read it as well."""

    collection: str
    source: str
    path: str
    start_line: int | None
    end_line: int | None
    page: int | None
    page_label: str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a reader gets: a passage with its exact place and what its score means.

    page_label and kind say what page is: the `iii` printed on a page, `slide 3`, `sheet Prices, rows 2-40`
    chunk_ids  the chunks it was made of, in reading order; `brain why` takes any of them
    twins      other places with the same text, which do not take places of their own
    """

    collection: str
    source: str
    path: str
    start_line: int | None
    end_line: int | None
    page: int | None
    symbol: str
    score: Score
    revision: str
    indexed_at: datetime
    text: str
    chunk_ids: tuple[int, ...] = ()
    twins: tuple[Twin, ...] = ()
    page_label: str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """How the listed items of one run ended."""

    indexed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    deleted: int = 0

    @property
    def listed(self) -> int:
        """Items that exist in the source: everything but the deleted."""
        return self.indexed + self.unchanged + self.skipped + self.failed


@dataclass(frozen=True, slots=True)
class SpaceIdentity:
    """What makes vectors comparable: what produced them, not where it was hosted.

    width       numbers per vector
    max_tokens  longest input the model reads, special tokens counted
    """

    model: str
    revision: str
    width: int
    query_prefix: str
    passage_prefix: str
    is_normalised: bool
    max_tokens: int


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A space as the store knows it."""

    id: int
    identity: SpaceIdentity

    @property
    def width(self) -> int:
        """Numbers per vector."""
        return self.identity.width


@dataclass(frozen=True, slots=True)
class SyncRun:
    """One run of one source: it lists, stages and publishes under one generation."""

    id: int
    source_id: int
    generation: int
    run_key: str
    state: str
    revision: str
    listing_is_complete: bool
    recipe: str
