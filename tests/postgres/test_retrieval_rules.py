"""The rules of retrieval as properties: each fails on the bug that swept every search for months.

There, results of three producers were sorted as one unit, an unranked collection carried a placeholder of 1,
and a small repository's first chunks filled every slot whatever was asked.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import Reranking, rank_chunks, search
from brain_dagster.query.trace import SearchResult
from brain_dagster.rerank.base import RerankFailed
from brain_dagster.score import ScoreKind
from brain_dagster.store.pool import Database
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space

ALICE = Principal("alice")
SIZES = {"monolith": 40, "service": 12, "tool": 5, "notes": 2, "stub": 1}
WORDS = [f"{letter}mark" for letter in "abcdefghijklmnopqrst"]
MODES = [Mode.DENSE, Mode.LEXICAL, Mode.HYBRID]
relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class HashingEmbedder:
    """Points by the words of a text, so that texts that share words are near: deterministic, and no model."""

    def __init__(self, space: EmbeddingSpace) -> None:
        self.space = space

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.array(direction(text), dtype=np.float32)


def direction(text: str) -> tuple[float, float, float, float]:
    total = np.full(4, 1e-3)
    for word in text.split():
        digest = blake2b(word.encode(), digest_size=8).digest()
        total += np.frombuffer(digest, dtype=np.uint16) / 2**15 - 1
    a, b, c, d = (float(value) for value in total)
    return a, b, c, d


def passage(text: str) -> Passage:
    return Passage(text, direction(text))


@pytest.fixture(scope="module")
def company(shared_db: Database) -> tuple[Database, EmbeddingSpace]:
    """Five collections of very different size; every document is about two topics of twenty."""
    db = shared_db
    space = add_space(db)
    turn = 0
    for collection, documents in SIZES.items():
        source = add_source(db, collection, add_collection(db, collection))
        for number in range(documents):
            one, two = WORDS[turn % 20], WORDS[(turn * 7 + 3) % 20]
            texts = [f"{one} {two} start {number}", f"{one} middle {collection}", f"{two} end unique{turn}"]
            add_document(db, source, f"{number}.md", [passage(text) for text in texts], space=space)
            turn += 1
    return db, space


def ask(
    company: tuple[Database, EmbeddingSpace],
    text: str,
    mode: Mode,
    collections: Sequence[str] | None = None,
    limit: int = 10,
) -> SearchResult:
    db, space = company
    return search(db, HashingEmbedder(space), ALICE, text, mode=mode, collections=collections, limit=limit)


def shown(result: SearchResult) -> list[tuple[int, ...]]:
    return [excerpt.chunk_ids for excerpt in result.excerpts]


@relaxed
@given(one=st.sampled_from(WORDS), two=st.sampled_from(WORDS), mode=st.sampled_from(MODES))
def test_unrelated_questions_get_different_answers(
    company: tuple[Database, EmbeddingSpace], one: str, two: str, mode: Mode
) -> None:
    assume(one != two)
    first, second = ask(company, one, mode), ask(company, two, mode)
    assert first.excerpts and second.excerpts
    assert shown(first) != shown(second)
    assert one in first.excerpts[0].text or mode is Mode.DENSE


@relaxed
@given(word=st.sampled_from(WORDS), mode=st.sampled_from(MODES))
def test_a_tiny_collection_does_not_sweep(
    company: tuple[Database, EmbeddingSpace], word: str, mode: Mode
) -> None:
    """It takes no place that its chunks do not earn, whoever else is asked."""
    everything = ask(company, word, mode, limit=30)
    others = [name for name in SIZES if name not in ("stub", "notes")]
    tiny = [e for e in everything.excerpts if e.collection in ("stub", "notes")]
    assert len(tiny) < len(everything.excerpts)
    if mode is not Mode.HYBRID:
        return
    without = ask(company, word, mode, others, limit=30)
    best = max(e.score.value or 0.0 for e in without.excerpts)
    for excerpt in tiny:
        if word not in excerpt.text:
            assert (excerpt.score.value or 0.0) <= best, (
                "a chunk without the word stands above all that has it"
            )


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.HYBRID])
def test_a_tiny_collection_does_not_vanish(company: tuple[Database, EmbeddingSpace], mode: Mode) -> None:
    last = sum(SIZES.values()) - 1
    first = ask(company, f"{WORDS[(last * 7 + 3) % 20]} end unique{last}", mode).excerpts[0]
    assert (first.collection, first.path) == ("stub", "0.md")


@relaxed
@given(order=st.permutations(sorted(SIZES)), word=st.sampled_from(WORDS), mode=st.sampled_from(MODES))
def test_the_order_in_which_collections_are_named_does_not_matter(
    company: tuple[Database, EmbeddingSpace], order: list[str], word: str, mode: Mode
) -> None:
    assert ask(company, word, mode, order).excerpts == ask(company, word, mode).excerpts


@relaxed
@given(scope=st.sets(st.sampled_from(sorted(SIZES)), min_size=1), word=st.sampled_from(WORDS))
def test_a_collection_that_is_not_asked_has_no_influence(
    company: tuple[Database, EmbeddingSpace], scope: set[str], word: str
) -> None:
    db, space = company
    asked = rank_chunks(
        db, HashingEmbedder(space), ALICE, word, mode=Mode.DENSE, collections=sorted(scope), depth=200
    )
    everywhere = rank_chunks(db, HashingEmbedder(space), ALICE, word, mode=Mode.DENSE, depth=200)
    assert list(asked.chunks) == [chunk for chunk in everywhere.chunks if chunk.source in scope]


@relaxed
@given(
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), mode=st.sampled_from(MODES)
)
def test_all_scores_of_an_answer_are_of_one_kind_and_fall(
    company: tuple[Database, EmbeddingSpace], text: str, mode: Mode
) -> None:
    result = ask(company, text, mode)
    kind = {Mode.DENSE: ScoreKind.COSINE, Mode.LEXICAL: ScoreKind.BM25, Mode.HYBRID: ScoreKind.RRF}[mode]
    assert {excerpt.score.kind for excerpt in result.excerpts} == {kind}
    values = [excerpt.score.value for excerpt in result.excerpts]
    assert None not in values
    assert values == sorted(values, key=lambda value: -(value or 0.0))
    assert result.trace.ranked_by is kind


@pytest.mark.parametrize("mode", MODES)
def test_i11_the_same_question_gets_the_same_answer_a_hundred_times(
    company: tuple[Database, EmbeddingSpace], mode: Mode
) -> None:
    answers = {repr(ask(company, "amark bmark end", mode).excerpts) for _ in range(34)}
    assert len(answers) == 1


class Scripted:
    """A reranker that prefers passages that end in an even digit, or fails in a given way."""

    name = "scripted"

    def __init__(self, failure: str = "", scores: Sequence[float] | None = None) -> None:
        self._failure, self._scores = failure, scores
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        self.seen = list(passages)
        if self._failure:
            raise RerankFailed(self._failure)
        return self._scores or [0.9 if text.rstrip()[-1] in "02468" else 0.1 for text in passages]


def reranked(company: tuple[Database, EmbeddingSpace], reranking: Reranking) -> SearchResult:
    db, space = company
    return search(
        db, HashingEmbedder(space), ALICE, "amark bmark", mode=Mode.HYBRID, reranking=reranking, limit=20
    )


def test_a_reranker_sees_something_of_every_collection_and_orders_what_it_saw(
    company: tuple[Database, EmbeddingSpace],
) -> None:
    reranker = Scripted()
    result = reranked(company, Reranking(reranker, candidates=20, floor=0.5))
    assert {excerpt.score.kind for excerpt in result.excerpts} == {ScoreKind.RERANK}
    assert all((excerpt.score.value or 0) >= 0.5 for excerpt in result.excerpts)
    assert len(reranker.seen) == 20
    assert any("stub" in text or f"unique{sum(SIZES.values()) - 1}" in text for text in reranker.seen)
    dropped = {kind.by: len(kind.chunk_ids) for kind in result.trace.dropped}
    assert dropped["cap"] > 0 and dropped["floor"] > 0
    assert result.trace.ranked_by is ScoreKind.RERANK
    assert result.mode == "hybrid"


def idle_in_transaction(db: Database) -> int:
    row = db.one(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()"
    )
    assert row is not None
    return int(row[0])


def test_i7_a_reranker_runs_while_no_connection_is_held(company: tuple[Database, EmbeddingSpace]) -> None:
    db, _ = company
    held: list[int] = []

    class Watching(Scripted):
        def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> Sequence[float]:
            # A connection that the pool opens in the background is in a transaction for a moment as well.
            end = time.monotonic() + 3
            while (count := idle_in_transaction(db)) and time.monotonic() < end:
                time.sleep(0.02)
            held.append(count)
            return super().score(question, passages, timeout_s=timeout_s)

    assert reranked(company, Reranking(Watching())).excerpts
    assert held == [0]


@pytest.mark.parametrize(
    ("reranker", "words"),
    [
        (Scripted(failure="timed out after 5 s"), "rerank: timed out after 5 s"),
        (Scripted(scores=[0.5] * 3), "rerank: 3 scores for 20 passages"),
        (Scripted(scores=[float("nan")] * 20), "rerank: a score that is not finite"),
        (Scripted(scores=[float("inf")] * 20), "rerank: a score that is not finite"),
    ],
)
def test_i11_a_reranker_that_fails_leaves_rank_fusion_and_is_named(
    company: tuple[Database, EmbeddingSpace], reranker: Scripted, words: str
) -> None:
    result = reranked(company, Reranking(reranker, candidates=20))
    assert result.missing == (words,)
    assert result.excerpts == ask(company, "amark bmark", Mode.HYBRID, limit=20).excerpts


@pytest.mark.parametrize(
    "text",
    [
        "the of and a is",
        "?!…—",
        'AND OR NOT -x +y "z" NEAR/3',
        "😀🎉",
        "מה שלום amark ؟ كيف الحال",
        "amark\u202e\u2066 bmark",
        "a" * 31_000,
        "\n\n\n?\n",
        "amark " * 4_000,
        "x'; SELECT pg_sleep(9); --",
    ],
)
@pytest.mark.parametrize("mode", [Mode.AUTO, *MODES])
def test_d5_any_question_is_answered_within_its_time(
    company: tuple[Database, EmbeddingSpace], text: str, mode: Mode
) -> None:
    result = ask(company, text, mode)
    if not result.excerpts:
        assert mode is Mode.LEXICAL
        assert result.missing or result.trace.lists
    assert result.trace.ms["total"] < 5_000
