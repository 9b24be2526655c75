"""What each word of a question does for a chunk's BM25 score."""

from __future__ import annotations

from dataclasses import dataclass

from pgvector import SparseVector

from brain_dagster.lexical.bm25 import term
from brain_dagster.lexical.tokens import lexemes
from brain_dagster.query.lexical import WeighedQuestion, idf
from brain_dagster.query.question import Question
from brain_dagster.store.lexical import TermStatistics
from brain_dagster.store.why import WordsFound


@dataclass(frozen=True, slots=True)
class WordShare:
    """What one word of the question adds to a chunk's BM25 score.

    word            as the index counts it: folded, stemmed, split
    chunks          how many chunks in scope hold it
    idf             its rarity; None if no chunk in scope holds it
    is_in_gate      whether it is rare enough that chunks are looked at for its sake alone
    is_held         whether the chunk holds it
    score           what it adds by the chunk's own words
    document_score  what it adds by the words of the chunk's document
    """

    word: str
    chunks: int
    idf: float | None
    is_in_gate: bool
    is_held: bool
    score: float
    document_score: float


def word_shares(
    question: Question, statistics: TermStatistics, weighed: WeighedQuestion | None, found: WordsFound
) -> tuple[WordShare, ...]:
    """Return the share of every word, in the order of the question.

    The index keeps hashes of words, so a word has its name from the question. The scores add up to those
    of `found`, but for the last digits: the database adds in single precision.
    """
    names: dict[int, str] = {}
    for lexeme in lexemes(question.text):
        names.setdefault(term(lexeme), lexeme)
    own = _sparse(weighed.vector) if weighed else {}
    whole = _sparse(weighed.document_vector) if weighed else {}
    gate = {*weighed.gate.terms, *weighed.gate.every} if weighed else set()
    return tuple(
        WordShare(
            word=names.get(each, ""),
            chunks=statistics.frequencies.get(each, 0),
            idf=idf(statistics.frequencies[each], statistics.chunks) if each in own else None,
            is_in_gate=each in gate,
            is_held=each in found.weights,
            score=found.weights.get(each, 0.0) * own.get(each, 0.0),
            document_score=found.document_weights.get(each, 0.0) * whole.get(each, 0.0),
        )
        for each in question.terms
    )


def _sparse(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices(), vector.values(), strict=True))
