"""Which chunks say the same thing: the same text, or a copy with edits that do not change what it says."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from brain_dagster.store.excerpts import FoundChunk

# Shingles of five tokens: one changed token in the middle costs five of them, so at 0.9 a text of 100
# tokens may differ from its copy in one place, and one of 250 in two.
SHINGLE_TOKENS = 5
LEAST_JACCARD = 0.9
# Below this, one token is a large part of what a text says: such texts are copies only if they are equal.
LEAST_TOKENS = 30
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NOTICE = re.compile(r"copyright\b|©|\(c\)\s*\d{4}|spdx-[a-z]+-")
_NOTICE_MARKS = ("copyright", "©", "(c)", "spdx-")
# A number or a word that turns a statement round is never a trivial edit: "within 30 days" and "within 60
# days" are two answers, and a reader who is shown one of them as if it stood for both is misled.
_TELLING = re.compile(r"\d|\A(?:not?|never|none|nor|without|unless|except|true|false|t)\Z", re.IGNORECASE)

Telling = tuple[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class Fingerprint:
    """What a chunk's text is compared by.

    exact  the text with every run of white space as one space
    words  its tokens, in order, without the lines of a copyright notice
    """

    symbol: str
    exact: str
    words: tuple[str, ...]

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """Its distinct runs of five tokens."""
        return frozenset(zip(*(self.words[n:] for n in range(SHINGLE_TOKENS)), strict=False))

    @cached_property
    def telling(self) -> Telling:
        """What copies must agree on to the letter: the symbol, and each number and negation as often."""
        found = sorted(word for word in set(self.words) if _TELLING.search(word))
        return self.symbol, tuple((word, self.words.count(word)) for word in found)


def fingerprint(chunk: FoundChunk) -> Fingerprint:
    """Read a chunk's text for comparison."""
    said = chunk.text
    lowered = said.lower()
    # Looking for four plain strings is ten times as fast as the expression, and nearly always enough.
    if any(mark in lowered for mark in _NOTICE_MARKS):
        said = "\n".join(line for line in said.splitlines() if not _NOTICE.search(line.lower()))
    return Fingerprint(chunk.symbol, " ".join(chunk.text.split()), tuple(_TOKEN.findall(said)))


def _is_near(one: Fingerprint, two: Fingerprint) -> bool:
    shorter, longer = sorted((len(one.words), len(two.words)))
    # The lengths are compared too, or a line said ten times would be a copy of the same line said twice.
    if shorter < LEAST_TOKENS or shorter < LEAST_JACCARD * longer:
        return False
    shared = len(one.shingles & two.shingles)
    return shared >= LEAST_JACCARD * (len(one.shingles) + len(two.shingles) - shared)


@dataclass
class TextsSeen:
    """Texts by which a copy is recognised: one that is equal but for white space, or a near-duplicate.

    Near-duplicates have at least 30 tokens each, agree in symbol, numbers and negations, and share nine
    tenths of their distinct runs of five tokens; lines of a copyright notice do not count. Only texts that
    agree in what tells are compared at all, so a new text meets few of the known ones.
    Source  Broder, On the resemblance and containment of documents, 1997: shingles and their Jaccard index.
    """

    _exact: dict[str, int] = field(default_factory=dict)
    _near: dict[Telling, list[tuple[Fingerprint, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, text: Fingerprint, chunk_id: int) -> None:
        """Remember a text as the one that chunk holds."""
        self._exact.setdefault(text.exact, chunk_id)
        if len(text.words) >= LEAST_TOKENS:
            self._near[text.telling].append((text, chunk_id))

    def find(self, text: Fingerprint) -> int | None:
        """Return the chunk that holds the same text, the first one added if several do."""
        if text.exact in self._exact:
            return self._exact[text.exact]
        if len(text.words) < LEAST_TOKENS:
            return None
        for known, chunk_id in self._near.get(text.telling, ()):
            if _is_near(text, known):
                return chunk_id
        return None
