"""Reranking the union: one call, checked scores, a floor that drops and never pads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from brain_dagster.model import Candidate
from brain_dagster.query.fuse import DuplicateCandidate, fuse_by_rank
from brain_dagster.query.rerank import missing_words, rerank_union, split_at_floor
from brain_dagster.rerank import RerankerMisconfigured, RerankFailed, open_reranker
from brain_dagster.rerank.cross_encoder import CrossEncoderReranker
from brain_dagster.rerank.http import HttpReranker
from brain_dagster.score import RerankScore, Score, ScoreKind
from brain_dagster.settings import Settings

TEXTS = {1: "bees", 2: "ants", 3: "moths", 4: "beetles"}


def drawn(*chunk_ids: int, kind: ScoreKind = ScoreKind.COSINE) -> list[Candidate]:
    return [
        Candidate(c, c * 10, c * 100, Score(kind, 1.0 / (position + 1)))
        for position, c in enumerate(chunk_ids)
    ]


def order(candidates: Sequence[Candidate]) -> list[int]:
    return [candidate.chunk_id for candidate in candidates]


class ByTable:
    """Scores passages by a table, and remembers what it was asked."""

    name = "table"

    def __init__(self, relevance: Mapping[str, float]) -> None:
        self.relevance = relevance
        self.calls: list[tuple[str, list[str], float]] = []

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        self.calls.append((question, list(passages), timeout_s))
        return [self.relevance[passage] for passage in passages]


class Answers:
    """Answers with whatever it is given."""

    name = "answers"

    def __init__(self, make: Callable[[int], object]) -> None:
        self.make = make

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        return self.make(len(passages))  # type: ignore[return-value]


def test_the_most_relevant_comes_first_with_its_own_place_and_a_rerank_score() -> None:
    table = ByTable({"bees": 0.2, "ants": 0.9, "moths": 0.5})
    found = rerank_union(table, "who?", drawn(1, 2, 3), TEXTS, floor=0.0, timeout_s=4)
    assert order(found.candidates) == [2, 3, 1]
    first = found.candidates[0]
    assert (first.document_id, first.collection_id) == (20, 200)
    assert first.score == RerankScore(ScoreKind.RERANK, 0.9)
    assert found.below_floor == ()
    assert table.calls == [("who?", ["bees", "ants", "moths"], 4)], "one call for the union"


def test_ties_stay_in_the_order_of_the_draw() -> None:
    flat = ByTable(dict.fromkeys(TEXTS.values(), 0.5))
    for ids in ([4, 1, 3, 2], [2, 3, 1, 4]):
        assert order(rerank_union(flat, "?", drawn(*ids), TEXTS, floor=0.0, timeout_s=1).candidates) == ids


def test_the_floor_drops_what_is_below_it_and_never_pads() -> None:
    table = ByTable({"bees": 0.2, "ants": 0.9, "moths": 0.5, "beetles": 0.49})
    found = rerank_union(table, "?", drawn(1, 2, 3, 4), TEXTS, floor=0.5, timeout_s=1)
    assert order(found.candidates) == [2, 3], "a score equal to the floor stays"
    assert found.below_floor == (4, 1)
    nothing = rerank_union(table, "?", drawn(1, 2, 3, 4), TEXTS, floor=0.95, timeout_s=1)
    assert nothing.candidates == ()
    assert nothing.below_floor == (2, 3, 4, 1)


@pytest.mark.parametrize("kind", [kind for kind in ScoreKind if kind is not ScoreKind.RERANK])
def test_i11_the_floor_means_nothing_to_other_kinds_of_score(kind: ScoreKind) -> None:
    one = Candidate(1, 1, 1, Score(kind, None if kind is ScoreKind.INLINE else 0.9))
    with pytest.raises(TypeError, match=f"means nothing to a score of kind {kind}"):
        split_at_floor([one], 0.0)
    relevant = Candidate(2, 2, 1, Score(ScoreKind.RERANK, 0.9))
    with pytest.raises(TypeError):
        split_at_floor([relevant, one], 0.5)


def test_a_chunk_that_is_gone_is_left_out_and_the_others_keep_their_scores() -> None:
    table = ByTable({"bees": 0.2, "moths": 0.5})
    found = rerank_union(table, "?", drawn(1, 77, 3), TEXTS, floor=0.0, timeout_s=1)
    assert [(c.chunk_id, c.score.value) for c in found.candidates] == [(3, 0.5), (1, 0.2)]


def test_without_candidates_nothing_is_asked() -> None:
    table = ByTable({})
    assert rerank_union(table, "?", [], TEXTS, floor=0.0, timeout_s=1).candidates == ()
    assert rerank_union(table, "?", drawn(77), TEXTS, floor=0.0, timeout_s=1).candidates == ()
    assert table.calls == []


def test_a_chunk_drawn_twice_is_a_defect() -> None:
    with pytest.raises(DuplicateCandidate):
        rerank_union(ByTable({}), "?", [*drawn(1), *drawn(1)], TEXTS, floor=0.0, timeout_s=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda n: [0.5] * (n - 1), "rerank: 2 scores for 3 passages"),
        (lambda n: [0.5] * (n + 1), "rerank: 4 scores for 3 passages"),
        (lambda n: [], "rerank: 0 scores for 3 passages"),
        (lambda n: [0.5, float("nan"), 0.5], "rerank: a score that is not finite"),
        (lambda n: [0.5, float("-inf"), 0.5], "rerank: a score that is not finite"),
        (lambda n: np.array([0.5, np.nan, 0.5], dtype=np.float32), "rerank: a score that is not finite"),
        (lambda n: [0.5, None, 0.5], "rerank: a score that is not a number"),
        (lambda n: [0.5, "0.5", 0.5], "rerank: a score that is not a number"),
        (lambda n: [0.5, True, 0.5], "rerank: a score that is not a number"),
        (
            lambda n: [0.5, 3.2, -7.0],
            "rerank: scores beyond 0 and 1; BRAIN_RERANK_SCORES=raw reads logits",
        ),
    ],
)
def test_i11_an_answer_of_any_reranker_is_checked_in_one_place(
    make: Callable[[int], object], words: str
) -> None:
    with pytest.raises(RerankFailed) as caught:
        rerank_union(Answers(make), "?", drawn(1, 2, 3), TEXTS, floor=0.0, timeout_s=1)
    assert missing_words(caught.value) == words


def test_numbers_of_numpy_are_numbers() -> None:
    reranker = Answers(lambda n: np.linspace(0, 1, n, dtype=np.float32))
    found = rerank_union(reranker, "?", drawn(1, 2, 3), TEXTS, floor=0.0, timeout_s=1)
    assert [(c.chunk_id, type(c.score.value)) for c in found.candidates] == [
        (3, float),
        (2, float),
        (1, float),
    ]


relevances = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=20)


@given(relevances, st.sampled_from([0.0, 0.25, 0.6, 1.0]))
def test_nothing_is_lost_or_added_and_only_the_reranker_orders(scores: list[float], floor: float) -> None:
    ids = list(range(1, len(scores) + 1))
    texts = {chunk: f"text {chunk}" for chunk in ids}
    reranker = ByTable({f"text {chunk}": score for chunk, score in zip(ids, scores, strict=True)})
    found = rerank_union(reranker, "?", drawn(*ids), texts, floor=floor, timeout_s=1)
    assert sorted([*order(found.candidates), *found.below_floor]) == ids
    values = [candidate.score.value for candidate in found.candidates]
    assert values == sorted((score for score in scores if score >= floor), reverse=True)
    # What the candidates scored before has no influence: a list by another scorer gives the same.
    bm25 = rerank_union(reranker, "?", drawn(*ids, kind=ScoreKind.BM25), texts, floor=floor, timeout_s=1)
    assert bm25.candidates == found.candidates


def test_i11_fused_candidates_can_be_reranked_but_not_compared_with_what_comes_out() -> None:
    fused = fuse_by_rank([drawn(1, 2), drawn(2, 3)])
    table = ByTable({"bees": 0.01, "ants": 0.01, "moths": 0.02})
    found = rerank_union(table, "?", fused, TEXTS, floor=0.0, timeout_s=1)
    assert order(found.candidates) == [3, 2, 1]
    with pytest.raises(TypeError, match="cannot be compared"):
        sorted(candidate.score for candidate in [*fused, *found.candidates])


# The settings.


def settings(**given: object) -> Settings:
    return Settings.model_validate(given)


def test_no_reranker_is_the_default() -> None:
    assert open_reranker(settings()) is None


def test_the_settings_choose_the_adapter_and_load_nothing() -> None:
    http = open_reranker(settings(rerank="http", rerank_url="https://host/v1/rerank", rerank_model="m"))
    assert isinstance(http, HttpReranker)
    assert http.name == "m at host"
    local = open_reranker(settings(rerank="cross-encoder", rerank_model="no/such-model"))
    assert isinstance(local, CrossEncoderReranker)
    assert local.name == "no/such-model"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rerank": "http"}, "BRAIN_RERANK=http needs BRAIN_RERANK_URL"),
        ({"rerank": "cross-encoder"}, "BRAIN_RERANK=cross-encoder needs BRAIN_RERANK_MODEL"),
        (
            {"rerank": "http", "rerank_url": "host"},
            "BRAIN_RERANK_URL must begin with http:// or https:// and a host",
        ),
    ],
)
def test_half_a_configuration_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(RerankerMisconfigured) as caught:
        open_reranker(settings(**given))
    assert caught.value.message == words


@pytest.mark.parametrize(
    "given",
    [
        {"rerank_floor": 1.5},
        {"rerank_floor": float("nan")},
        {"rerank_timeout_s": 0},
        {"rerank_timeout_s": float("inf")},
        {"rerank_candidates": 0},
        {"rerank_shape": "openai"},
        {"rerank": "yes"},
    ],
)
def test_settings_that_mean_nothing_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        settings(**given)


def test_i12_the_key_is_redacted_by_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_RERANK_API_KEY", "key-77aa")
    held = Settings()
    assert isinstance(held.rerank_api_key, SecretStr)
    assert held.rerank_api_key.get_secret_value() == "key-77aa"
    assert "key-77aa" not in f"{held!r} {held} {held.model_dump()} {held.model_dump_json()}"
