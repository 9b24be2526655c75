"""What a question may be, and the vector that may go with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.errors import Refused
from brain_dagster.lexical.bm25 import term
from brain_dagster.model import EmbeddingSpace, SpaceIdentity
from brain_dagster.query.embedder import LateEmbedder, NoVector, embed_question
from brain_dagster.query.question import EmptyQuestion, QuestionTooLong, read_question, subject_of
from brain_dagster.store.dense import QueryVector
from tests.support.seed import BrokenEmbedder, PointingEmbedder

SPACE = EmbeddingSpace(
    7,
    SpaceIdentity(
        model="four",
        revision="1",
        width=4,
        query_prefix="",
        passage_prefix="",
        is_normalised=True,
        max_tokens=256,
    ),
)


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00", "\ud800\x00 "])
def test_d5_nothing_is_not_a_question(text: str) -> None:
    with pytest.raises(EmptyQuestion, match="There is no question"):
        read_question(text)


def test_d5_a_question_of_32_kb_is_read_and_a_longer_one_refused() -> None:
    assert list(read_question("x " * 16_000).terms) == [term("x")]
    with pytest.raises(QuestionTooLong, match="longer than 32,000 bytes"):
        read_question("\u00e9" * 16_001)


def test_a_word_said_often_counts_more_but_never_nine_times_as_much() -> None:
    weights = read_question("pay pay tax").terms
    assert weights[term("pay")] == pytest.approx(9 * 2 / 10)
    assert weights[term("tax")] == 1.0
    assert 8.9 < read_question("x " * 16_000).terms[term("x")] < 9


def test_the_subject_line_of_a_long_question_counts_once_more() -> None:
    weights = read_question("tax report fails\n\nI asked for the report on monday.").terms
    assert weights[term("tax")] == 2.0
    assert weights[term("report")] == pytest.approx(9 * 2 / 10 + 1)
    assert weights[term("monday")] == 1.0
    assert subject_of("one line only\n") is None


def test_d5_two_hundred_thousand_words_are_refused_before_they_are_read() -> None:
    with pytest.raises(Refused):
        read_question("word " * 200_000)


def test_d1_d2_nul_and_surrogates_do_not_survive() -> None:
    question = read_question("find\x00me \udcff now")
    assert question.text == "find\ufffdme \ufffd now"
    assert set(question.terms) == {term("find"), term("me"), term("now")}


def test_pure_punctuation_is_a_question_without_words() -> None:
    assert read_question("?! :*").terms == {}


def test_a_question_is_read_by_the_rules_of_documents() -> None:
    assert set(read_question("settlementStatusEnum").terms) == set(
        read_question("settlement_status_enum").terms
    )


@given(st.text(max_size=200))
def test_d5_any_text_is_either_read_or_refused(text: str) -> None:
    try:
        question = read_question(text)
    except Refused:
        return
    question.text.encode("utf-8")
    assert "\x00" not in question.text


def test_a_vector_comes_with_its_space() -> None:
    vector = embed_question(PointingEmbedder(SPACE), "anything")
    assert isinstance(vector, QueryVector)
    assert (vector.space_id, vector.width) == (7, 4)


def test_i11_a_model_that_is_down_is_a_reason_and_not_an_error() -> None:
    assert embed_question(BrokenEmbedder(SPACE), "anything") == NoVector("the model does not answer")
    assert isinstance(embed_question(None, "anything"), NoVector)


@pytest.mark.parametrize("vector", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (np.inf, 0, 0, 1), (1, 0, 0)])
def test_b3_b4_an_unusable_vector_is_a_reason_and_not_a_search(vector: tuple[float, ...]) -> None:
    assert isinstance(embed_question(PointingEmbedder(SPACE, vector), "anything"), NoVector)


def test_a_late_embedder_opens_the_model_once_and_only_when_asked() -> None:
    opened: list[int] = []

    def open_embedder() -> PointingEmbedder:
        opened.append(1)
        return PointingEmbedder(SPACE)

    embedder = LateEmbedder(open_embedder)
    assert opened == []
    for _ in range(3):
        assert isinstance(embed_question(embedder, "anything"), QueryVector)
    assert opened == [1]


def test_i11_a_model_that_cannot_be_opened_is_a_reason_too() -> None:
    def open_embedder() -> PointingEmbedder:
        raise Refused("no such model")

    assert embed_question(LateEmbedder(open_embedder), "anything") == NoVector("no such model")
