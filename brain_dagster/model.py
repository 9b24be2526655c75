"""The values that travel between rooms. Frozen, typed, and free of behaviour that touches the world."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, Literal, TypeVar, overload

from brain_dagster.errors import Defect


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


class ScoreKind(StrEnum):
    """What kind of number a score is. Scores of two kinds are never compared."""

    COSINE = "cosine"
    BM25 = "bm25"
    RRF = "rrf"
    RERANK = "rerank"
    EXACT = "exact"
    INLINE = "inline"


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

    kind        declaration | container | imports | module | section | page | lines
    symbol      path of the declaration, e.g. `Client.fetch`; packed neighbours: `a, b`; `` if none
    enclosing   header lines of the declarations around it, outermost first (`class Client(Base):`)
    headings    heading trail of prose, outermost first
    text        the exact characters of the span
    start_byte  offset in the UTF-8 form of the decoded text; spans of a text file tile it
    start_line  counted from 1, `\\n`, `\\r\\n` and `\\r` each end one line; None for pages
    page        ordinal from 1 for paged documents, else None; page_label as printed
    tokens      of the embedding model's tokenizer, special tokens not counted
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


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What parsing and chunking made of one file.

    outline  names declared at the top level (code) or first headings (prose), in order
    imports  modules or packages the file imports, in order, as written
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


class InvalidScore(Defect):
    """A score must hold a finite number, and no number where nothing was ranked; please report this."""


@dataclass(frozen=True, slots=True, init=False)
class Score:
    """A number that knows what produced it; `value` is None where nothing was ranked.

    There is one class for each kind: `Score(ScoreKind.RRF, 0.03)` makes an RRFScore. Order exists within a
    class only, so that sorting scores of two kinds, or of kinds nobody knows, is an error to the type
    checker and at run time (I11); scores of two kinds are never equal.
    Raises  InvalidScore - no finite number, or a number where nothing was ranked.
    """

    kind: ScoreKind
    value: float | None

    @overload
    def __new__(cls, kind: Literal[ScoreKind.COSINE], value: float) -> CosineScore: ...
    @overload
    def __new__(cls, kind: Literal[ScoreKind.BM25], value: float) -> BM25Score: ...
    @overload
    def __new__(cls, kind: Literal[ScoreKind.RRF], value: float) -> RRFScore: ...
    @overload
    def __new__(cls, kind: Literal[ScoreKind.RERANK], value: float) -> RerankScore: ...
    @overload
    def __new__(cls, kind: Literal[ScoreKind.EXACT], value: float) -> ExactScore: ...
    @overload
    def __new__(cls, kind: Literal[ScoreKind.INLINE], value: None) -> InlineScore: ...
    @overload
    def __new__(cls, kind: ScoreKind, value: float | None) -> Score: ...

    def __new__(cls, kind: ScoreKind, value: float | None) -> Score:
        kind = ScoreKind(kind)
        made = _SCORE_CLASSES[kind]
        if not issubclass(made, cls):
            raise TypeError(f"a score of kind {kind} is a {made.__name__}, not a {cls.__name__}")
        if (value is None) is not (kind is ScoreKind.INLINE):
            raise InvalidScore(f"a score of kind {kind} holds {'no' if value is None else 'a'} number")
        if value is not None and not math.isfinite(value):
            raise InvalidScore(f"a score of kind {kind} is {value}")
        score = object.__new__(made)
        object.__setattr__(score, "kind", kind)
        object.__setattr__(score, "value", None if value is None else float(value))
        return score

    def __reduce__(self) -> tuple[type[Score], tuple[ScoreKind, float | None]]:
        """Copies and pickles are made, and checked, like any other score."""
        return Score, (self.kind, self.value)


AnyScore = TypeVar("AnyScore", bound=Score)


class _Ordered(Generic[AnyScore]):
    """Order among scores of one class."""

    __slots__ = ()

    def __lt__(self, other: AnyScore) -> bool:
        mine, theirs = _comparable(self, other)
        return mine < theirs

    def __le__(self, other: AnyScore) -> bool:
        mine, theirs = _comparable(self, other)
        return mine <= theirs

    def __gt__(self, other: AnyScore) -> bool:
        mine, theirs = _comparable(self, other)
        return mine > theirs

    def __ge__(self, other: AnyScore) -> bool:
        mine, theirs = _comparable(self, other)
        return mine >= theirs


def _comparable(one: object, other: object) -> tuple[float, float]:
    if not isinstance(one, Score) or not isinstance(other, Score):
        raise TypeError(f"a score cannot be compared with an object of type {type(other).__name__}")
    if one.kind is not other.kind:
        raise TypeError(f"scores of kind {one.kind} and {other.kind} cannot be compared")
    assert one.value is not None and other.value is not None, "only ranked kinds have an order"
    return one.value, other.value


class CosineScore(Score, _Ordered["CosineScore"]):
    """Cosine similarity in one embedding space, -1 to 1."""

    __slots__ = ()


class BM25Score(Score, _Ordered["BM25Score"]):
    """BM25 under the statistics of one scope; comparable within one search only."""

    __slots__ = ()


class RRFScore(Score, _Ordered["RRFScore"]):
    """A sum of 1/(k + rank): it orders, it does not measure relevance."""

    __slots__ = ()


class RerankScore(Score, _Ordered["RerankScore"]):
    """A reranker's relevance, about 0 to 1."""

    __slots__ = ()


class ExactScore(Score, _Ordered["ExactScore"]):
    """1 where the text stands letter by letter as asked; a list of such places is only ever fused."""

    __slots__ = ()


class InlineScore(Score):
    """Nothing was ranked: no number, and no order."""

    __slots__ = ()


_SCORE_CLASSES: dict[ScoreKind, type[Score]] = {
    ScoreKind.COSINE: CosineScore,
    ScoreKind.BM25: BM25Score,
    ScoreKind.RRF: RRFScore,
    ScoreKind.RERANK: RerankScore,
    ScoreKind.EXACT: ExactScore,
    ScoreKind.INLINE: InlineScore,
}


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


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a reader gets: a passage with its exact place and what its score means.

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
