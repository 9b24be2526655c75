"""A question as it arrives: cleaned, bounded, and read as terms."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from brain_dagster.errors import Refused
from brain_dagster.lexical.bm25 import terms_of
from brain_dagster.store.clean import clean_text

LONGEST_QUESTION_BYTES = 32_000
# A question's terms before its statistics are known; 32 kB of prose hold about 1,500.
MOST_DISTINCT_TERMS = 4_096
_NOTHING = re.compile(r"[\s\ufffd]*")


class EmptyQuestion(Refused):
    """There is no question; say in a few words what you are looking for."""


class QuestionTooLong(Refused):
    """The question is longer than 32,000 bytes; ask with the part that says what you are looking for."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that may enter the store.

    text   cleaned of what PostgreSQL cannot hold (D1, D2)
    terms  how often each term occurs in it, in order of first occurrence; empty for pure punctuation
    """

    text: str
    terms: dict[int, int]


def read_question(text: str) -> Question:
    """Check and read a question.

    Raises  EmptyQuestion, QuestionTooLong (D5).
    """
    cleaned = clean_text(text)
    if _NOTHING.fullmatch(cleaned):
        raise EmptyQuestion()
    if len(cleaned.encode("utf-8")) > LONGEST_QUESTION_BYTES:
        raise QuestionTooLong()
    counted = Counter(terms_of(cleaned))
    return Question(cleaned, dict(list(counted.items())[:MOST_DISTINCT_TERMS]))
