"""From ranked chunks to what a reader wants: whole passages, each text once, and no file that takes it all.

The evaluation ranks files by their chunks before this step, so nothing here moves a measured rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil

from brain_dagster.model import Candidate, Excerpt
from brain_dagster.query.passage import (
    in_reading_order,
    is_met_by,
    joined_excerpt,
    joined_twins,
    overlaps,
    token_count,
)
from brain_dagster.query.scope import Scope
from brain_dagster.query.trace import Dropped
from brain_dagster.query.twins import Fingerprint, TextsSeen, fingerprint
from brain_dagster.score import Score
from brain_dagster.store.excerpts import FoundChunk, fetch_chunks
from brain_dagster.store.pool import Connection

# Three full chunks and a remainder, about 80 lines of code. Without it, a file that answers well would
# come back whole, as one excerpt in which the reader has to search again. Measured on 303 questions about
# meetings, whose right lines are known: ten excerpts hold 35.8 % of those lines without merging, 42.2 % at
# 500 tokens, 43.9 % at 800, 44.2 % at 1,200.
MERGED_TOKENS = 800
# Places of ten that one file may take while others have candidates left. A smaller share finds more files
# and loses passages of long ones; measured with the lexical half, ten excerpts, shares 1 / 2 / 3 / 5 / 10:
# the right file is among them for 86.0 / 86.0 / 84.0 / 82.7 / 82.0 % of 150 questions about Python packages
# and 89.3 / 85.3 / 83.3 / 82.7 / 82.0 % of 150 about Django, but some of the right lines of a meeting only
# for 66.0 / 71.6 / 75.2 / 76.6 / 77.2 % of 303.
SHARE_OF_TEN = 3
# Chunks fetched with their text, at most, unless a larger answer is asked for: two lists of 200 that share
# nothing.
MOST_FETCHED = 400
SMALLEST_BATCH = 20

Fetch = Callable[[Sequence[int]], Mapping[int, FoundChunk]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The excerpts of an answer, and why the other candidates are not among them.

    dropped  by kind, in this order, kinds without chunks left out. Every candidate is the best chunk of an
             excerpt or in exactly one of these:
             gone   no longer live
             merge  part of an excerpt that a better chunk stands for
             twin   same text as an excerpt, which names its place
             file   its file has as many excerpts as it may
             limit  the answer was full
    """

    excerpts: tuple[Excerpt, ...]
    dropped: tuple[Dropped, ...]


def choose_excerpts(
    connection: Connection, scope: Scope, candidates: Sequence[Candidate], limit: int
) -> Chosen:
    """Make at most `limit` excerpts of candidates that are in `scope`, best first. See `choose`."""
    return choose(candidates, lambda chunk_ids: fetch_chunks(connection, scope.ids, chunk_ids), limit)


def choose(candidates: Sequence[Candidate], fetch: Fetch, limit: int) -> Chosen:
    """Fill `limit` places from candidates, best first, no chunk twice.

    Candidates are considered in order until the places are full; what follows is only looked at for twins,
    and only as far as it was fetched anyway.
    - Chunks of one document that meet become one excerpt, up to 800 tokens; a chunk that was not
      considered is never pulled in. A merged excerpt has the place and the score of its best chunk.
    - A text that is there already takes no place of its own; the excerpt names it as a twin.
    - A file takes at most three places in ten, rounded up. What exceeds that is held back, and fills
      places that are left when no other file has candidates.

    Order  by the best chunk, which is the order of `candidates`: what was held back stands where its rank
           puts it, so scores never rise from one excerpt to the next. No file is further down than its
           best chunk among `candidates`.
    Cost   at most max(400, 2 * limit) chunks are fetched, in batches.
    """
    desk = _Desk(limit, share=ceil(SHARE_OF_TEN * limit / 10))
    reach = candidates[: max(MOST_FETCHED, 2 * limit)]
    batch = max(SMALLEST_BATCH, 2 * limit)
    for start in range(0, len(reach), batch):
        if not desk.is_full():
            desk.lift_share_if_nothing_else(candidate.document_id for candidate in reach[start:])
        if desk.is_full():
            break
        part = reach[start : start + batch]
        found = fetch([candidate.chunk_id for candidate in part])
        for place, candidate in enumerate(part, start):
            desk.take(place, candidate, found.get(candidate.chunk_id))
    desk.close()
    return desk.chosen(candidates)


@dataclass(eq=False, slots=True)
class _Ranked:
    """A live candidate: its place in the ranking, from 0, its score and its text."""

    place: int
    score: Score
    chunk: FoundChunk
    text: Fingerprint


@dataclass(eq=False, slots=True)
class _Passage:
    """An excerpt in the making.

    best    the candidate whose place and score it has
    chunks  what it shows, in reading order
    twins   what it stands for elsewhere
    """

    best: _Ranked
    chunks: tuple[FoundChunk, ...]
    twins: list[_Ranked] = field(default_factory=list)

    @property
    def place(self) -> int:
        return self.best.place

    def excerpt(self) -> Excerpt:
        twins = sorted(self.twins, key=lambda twin: twin.place)
        return joined_excerpt(self.chunks, self.best.score, joined_twins(twin.chunk for twin in twins))


class _Desk:
    """Where the places of one answer are given out."""

    def __init__(self, limit: int, share: int) -> None:
        self._limit = limit
        self._share = share
        self._taken = 0
        self._passages: dict[int, list[_Passage]] = {}
        # Per chunk the passage its text is known by: the one that shows it, or that it is a twin of.
        self._home: dict[int, _Passage] = {}
        self._texts = TextsSeen()
        self._aside: list[_Ranked] = []
        self._late: list[_Ranked] = []
        self._gone: list[int] = []

    def is_full(self) -> bool:
        return self._taken >= self._limit

    def lift_share_if_nothing_else(self, documents: Iterable[int]) -> None:
        """Let files take more than their share if all that is left is of files that have theirs."""
        if all(self._has_its_share(document) for document in set(documents)):
            self._share = self._limit
            self._retry()

    def take(self, place: int, candidate: Candidate, chunk: FoundChunk | None) -> None:
        """Consider the next candidate; once the places are full, put it where only its text counts."""
        if chunk is None:
            self._gone.append(candidate.chunk_id)
            return
        ranked = _Ranked(place, candidate.score, chunk, fingerprint(chunk))
        if self.is_full():
            self._late.append(ranked)
            return
        if not self._place(ranked):
            self._aside.append(ranked)
        if self.is_full():
            self._retry()

    def close(self) -> None:
        """Give what places are left to what was held back; name the twins among what came too late."""
        if not self.is_full():
            self._share = self._limit
            self._retry()
        for ranked in self._late:
            home = self._home_of_text(ranked.text)
            if home is not None:
                self._name_twin(home, ranked)

    def chosen(self, candidates: Sequence[Candidate]) -> Chosen:
        """Hand out the excerpts, best first, and account for every candidate."""
        passages = sorted(chain.from_iterable(self._passages.values()), key=lambda passage: passage.place)
        fates = dict.fromkeys(self._gone, "gone")
        fates |= dict.fromkeys((ranked.chunk.chunk_id for ranked in self._aside), "file")
        for passage in passages:
            fates |= dict.fromkeys((chunk.chunk_id for chunk in passage.chunks), "merge")
            fates |= dict.fromkeys((twin.chunk.chunk_id for twin in passage.twins), "twin")
            fates[passage.best.chunk.chunk_id] = "shown"
        dropped: dict[str, list[int]] = {by: [] for by in ("gone", "merge", "twin", "file", "limit", "shown")}
        for candidate in candidates:
            dropped[fates.get(candidate.chunk_id, "limit")].append(candidate.chunk_id)
        del dropped["shown"]
        return Chosen(
            tuple(passage.excerpt() for passage in passages),
            tuple(Dropped(by, tuple(chunk_ids)) for by, chunk_ids in dropped.items() if chunk_ids),
        )

    def _retry(self) -> None:
        """Offer places to what was held back, until nothing more of it finds one."""
        before = -1
        while len(self._aside) != before:
            before = len(self._aside)
            self._aside = [ranked for ranked in self._aside if not self._place(ranked)]

    def _place(self, ranked: _Ranked) -> bool:
        """Find a chunk its place: as a twin, in passages it meets, or in a new one. False if none."""
        known = self._home_of_text(ranked.text)
        hosts = self._hosts(ranked.chunk)
        if known is not None and not (hosts and _gives_way(known, hosts[0])):
            self._name_twin(known, ranked)
            return True
        if not hosts and (self.is_full() or self._has_its_share(ranked.chunk.document_id)):
            return False
        passage = self._join(ranked, hosts)
        self._texts.add(ranked.text, ranked.chunk.chunk_id)
        if known is not None and known not in hosts:
            self._remove(known)
            for twin in (known.best, *known.twins):
                self._name_twin(passage, twin)
        return True

    def _hosts(self, chunk: FoundChunk) -> list[_Passage]:
        """The passages a chunk joins, best first: those it meets, while the whole stays readable.

        Overlapping text is joined whatever its size, or it would be shown twice.
        """
        hosts: list[_Passage] = []
        tokens = chunk.tokens
        for passage in sorted(self._passages.get(chunk.document_id, ()), key=lambda passage: passage.place):
            if not is_met_by(passage.chunks, (chunk,)):
                continue
            more = token_count(passage.chunks)
            if tokens + more <= MERGED_TOKENS or overlaps(passage.chunks, (chunk,)):
                hosts.append(passage)
                tokens += more
        return hosts

    def _join(self, ranked: _Ranked, hosts: Sequence[_Passage]) -> _Passage:
        """Make one passage of a chunk and those it joins; of none, a new one."""
        for host in hosts:
            self._remove(host)
        chunks = in_reading_order((ranked.chunk, *(chunk for host in hosts for chunk in host.chunks)))
        twins = [twin for host in hosts for twin in host.twins]
        best = min((ranked, *(host.best for host in hosts)), key=lambda part: part.place)
        joined = _Passage(best, chunks, twins)
        self._passages.setdefault(ranked.chunk.document_id, []).append(joined)
        self._taken += 1
        for chunk in (*chunks, *(twin.chunk for twin in twins)):
            self._home[chunk.chunk_id] = joined
        return joined

    def _remove(self, passage: _Passage) -> None:
        self._passages[passage.chunks[0].document_id].remove(passage)
        self._taken -= 1

    def _name_twin(self, passage: _Passage, twin: _Ranked) -> None:
        passage.twins.append(twin)
        self._home[twin.chunk.chunk_id] = passage

    def _home_of_text(self, text: Fingerprint) -> _Passage | None:
        known = self._texts.find(text)
        return None if known is None else self._home[known]

    def _has_its_share(self, document_id: int) -> bool:
        return len(self._passages.get(document_id, ())) >= self._share


def _gives_way(known: _Passage, host: _Passage) -> bool:
    """Whether a text that `known` shows is better shown in `host`, which it continues.

    Of two copies of a file, one may lead with its first half and the other with its second. Shown where it
    continues the better passage, the text moves up, and two halves of two copies become one whole.
    """
    return known.place > host.place and len(known.chunks) == 1
