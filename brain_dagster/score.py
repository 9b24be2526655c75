"""Scores that know what made them: numbers of two kinds are never compared (I11)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar, overload

from brain_dagster.errors import Defect


class ScoreKind(StrEnum):
    """What kind of number a score is. Scores of two kinds are never compared."""

    COSINE = "cosine"
    BM25 = "bm25"
    RRF = "rrf"
    RERANK = "rerank"
    EXACT = "exact"
    INLINE = "inline"


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
