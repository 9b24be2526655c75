"""What a reranker is, and the one place where its answers are checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Protocol

from brain_dagster.errors import Transient


class RerankFailed(Transient):
    """The reranker did not answer as it should; results are ordered by rank fusion instead.

    The message is the reason in a few words, such as `timed out after 5 s`. It never holds text of a
    document, of a question, of an answer, or a key (I12).
    """


class Reranker(Protocol):
    """Says how well each passage answers a question. Loads nothing heavy before the first question."""

    @property
    def name(self) -> str:
        """What scores, in words for people; holds no secret."""
        ...

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        """Score every passage, about 0 to 1, higher is better; one number per passage, in their order.

        Raises  RerankFailed, and nothing else for whatever happens outside this process.
        """
        ...


def timed_out(timeout_s: float) -> RerankFailed:
    """The failure of a reranker that did not answer in time."""
    return RerankFailed(f"timed out after {timeout_s:g} s")


def scores_in_order(entries: Sequence[tuple[object, object]], passages: int) -> list[object]:
    """Put (index, score) pairs into the order of the passages (B2).

    Raises  RerankFailed - not exactly one score for each passage. An answer is not repaired: a score on the
            wrong passage looks like any other.
    """
    if len(entries) != passages:
        raise RerankFailed(f"{len(entries)} scores for {passages} passages")
    ordered: dict[int, object] = {}
    for index, score in entries:
        if type(index) is not int or not 0 <= index < passages:
            raise RerankFailed("a score for a passage that was not sent")
        if index in ordered:
            raise RerankFailed("two scores for one passage")
        ordered[index] = score
    return [ordered[position] for position in range(passages)]


def check_scores(scores: Sequence[object], passages: int) -> tuple[float, ...]:
    """Return the scores if each passage has one and each is a number from 0 to 1 (B3).

    Raises  RerankFailed - anything else. Numbers beyond 0 and 1 are logits, and no floor would mean
            anything to them.
    """
    numbers = finite_numbers(scores, passages)
    if any(not 0 <= number <= 1 for number in numbers):
        raise RerankFailed("scores beyond 0 and 1; BRAIN_RERANK_SCORES=raw reads logits")
    return numbers


def finite_numbers(scores: Sequence[object], passages: int) -> tuple[float, ...]:
    """Return the scores as floats if each passage has one and each is a finite number.

    Raises  RerankFailed - anything else; a text that reads like a number is none.
    """
    if len(scores) != passages:
        raise RerankFailed(f"{len(scores)} scores for {passages} passages")
    return tuple(_finite_number(score) for score in scores)


def _finite_number(score: object) -> float:
    # Real and not float, because numpy's numbers are Real; bool is an int to Python, and no score.
    if isinstance(score, bool) or not isinstance(score, Real):
        raise RerankFailed("a score that is not a number")
    try:
        number = float(score)
    except OverflowError:  # JSON may hold an integer of 400 digits
        number = math.inf
    if not math.isfinite(number):
        raise RerankFailed("a score that is not finite")
    return number


def sigmoid(logit: float) -> float:
    """Map a logit to 0 to 1, without overflow at either end."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    return math.exp(logit) / (1 + math.exp(logit))
