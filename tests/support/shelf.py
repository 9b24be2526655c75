"""Documents cut into chunks in memory: what becomes of ranked chunks can be tested without a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from brain_dagster.model import Candidate
from brain_dagster.query.excerpts import Chosen, choose
from brain_dagster.score import Score, ScoreKind
from brain_dagster.store.excerpts import FoundChunk

WHEN = datetime(2024, 5, 1, tzinfo=UTC)


@dataclass
class Shelf:
    """Chunks by id, and the whole text of each document (of each page, in paged ones)."""

    chunks: dict[int, FoundChunk] = field(default_factory=dict)
    texts: dict[tuple[int, int | None], str] = field(default_factory=dict)
    fetched: list[int] = field(default_factory=list)

    def add(
        self,
        path: str,
        pieces: Sequence[str],
        *,
        collection: str = "code",
        tokens: int | Sequence[int] = 100,
        symbols: Sequence[str] = (),
        pages: Sequence[int] = (),
    ) -> list[int]:
        """Add a document whose chunks are these texts; returns their ids. `pages` makes it a paged one."""
        document = len({chunk.document_id for chunk in self.chunks.values()}) + 1
        offset, line, ids = 0, 1, []
        for ordinal, piece in enumerate(pieces):
            page = pages[ordinal] if pages else None
            end = offset + len(piece.encode())
            end_line = line + piece.removesuffix("\n").count("\n")
            chunk = FoundChunk(
                chunk_id=len(self.chunks) + 1,
                document_id=document,
                ordinal=ordinal,
                collection=collection,
                source=f"{collection}-source",
                path=path,
                start_byte=None if pages else offset,
                end_byte=None if pages else end,
                start_line=None if pages else line,
                end_line=None if pages else end_line,
                page=page,
                symbol=symbols[ordinal] if symbols else "",
                tokens=tokens if isinstance(tokens, int) else tokens[ordinal],
                revision="r1",
                indexed_at=WHEN,
                text=piece,
            )
            self.chunks[chunk.chunk_id] = chunk
            self.texts[document, page] = self.texts.get((document, page), "") + piece
            ids.append(chunk.chunk_id)
            offset, line = end, line + piece.count("\n")
        return ids

    def fetch(self, chunk_ids: Sequence[int]) -> Mapping[int, FoundChunk]:
        """What the store does, in an order of its own."""
        self.fetched += chunk_ids
        return {c: self.chunks[c] for c in sorted(chunk_ids, reverse=True) if c in self.chunks}

    def ranked(self, chunk_ids: Sequence[int]) -> list[Candidate]:
        """Candidates in this order, with falling scores; ids that are not on the shelf are gone."""
        return [
            Candidate(c, self.chunks[c].document_id if c in self.chunks else 0, 1, score(place))
            for place, c in enumerate(chunk_ids)
        ]

    def choose(self, chunk_ids: Sequence[int], limit: int = 10) -> Chosen:
        """Choose from candidates in this order."""
        return choose(self.ranked(chunk_ids), self.fetch, limit)


def score(place: int) -> Score:
    return Score(ScoreKind.BM25, 100 - place / 10)


def dropped(chosen: Chosen, by: str) -> tuple[int, ...]:
    """The chunks that fell out for one reason."""
    return next((kind.chunk_ids for kind in chosen.dropped if kind.by == by), ())


def shown(chosen: Chosen) -> list[tuple[int, ...]]:
    """The chunks of each excerpt."""
    return [excerpt.chunk_ids for excerpt in chosen.excerpts]


def words(count: int, *, start: int = 0) -> Iterator[str]:
    """Distinct words of letters alone: `aaa`, `baa`, `caa` and so on."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for n in range(start, start + count):
        yield letters[n % 26] + letters[n // 26 % 26] + letters[n // 676 % 26]
