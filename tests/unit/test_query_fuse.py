"""Rank fusion and what scores may be compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.model import Candidate
from brain_dagster.query.fuse import DuplicateCandidate, fuse_by_rank
from brain_dagster.score import Score, ScoreKind


def ranked(*chunk_ids: int, kind: ScoreKind = ScoreKind.COSINE) -> list[Candidate]:
    """A list in this order; the scores fall, as a scorer's would."""
    return [Candidate(c, c, 1, Score(kind, 1.0 - position / 100)) for position, c in enumerate(chunk_ids)]


def order(candidates: list[Candidate]) -> list[int]:
    return [candidate.chunk_id for candidate in candidates]


lists_of_chunks = st.lists(st.integers(1, 60), unique=True, max_size=30)


def test_the_sum_is_what_the_formula_says() -> None:
    fused = fuse_by_rank([ranked(7, 8), ranked(8, 9)])
    assert order(fused) == [8, 7, 9]
    # 8: second and first; 7: first; 9: second.
    expected = [1 / 62 + 1 / 61, 1 / 61, 1 / 62]
    assert [candidate.score.value for candidate in fused] == pytest.approx(expected)
    assert {candidate.score.kind for candidate in fused} == {ScoreKind.RRF}


def test_ties_break_by_chunk_id() -> None:
    assert order(fuse_by_rank([ranked(9, 1), ranked(5, 2)])) == [5, 9, 1, 2]


def test_a_chunk_named_twice_in_one_list_is_a_defect() -> None:
    with pytest.raises(DuplicateCandidate):
        fuse_by_rank([ranked(1, 2, 1)])


@given(lists_of_chunks)
def test_one_list_comes_out_in_the_order_it_went_in(chunks: list[int]) -> None:
    assert order(fuse_by_rank([ranked(*chunks)])) == chunks


@given(lists_of_chunks, lists_of_chunks)
def test_the_order_of_the_lists_does_not_matter(one: list[int], two: list[int]) -> None:
    assert order(fuse_by_rank([ranked(*one), ranked(*two)])) == order(
        fuse_by_rank([ranked(*two), ranked(*one)])
    )


@given(lists_of_chunks, lists_of_chunks)
def test_a_removed_list_has_no_influence_left(one: list[int], two: list[int]) -> None:
    assert fuse_by_rank([ranked(*one), ranked()]) == fuse_by_rank([ranked(*one)])
    with_both = set(order(fuse_by_rank([ranked(*one), ranked(*two)])))
    assert with_both == set(one) | set(two)


@given(lists_of_chunks)
def test_only_positions_count_and_never_scores(chunks: list[int]) -> None:
    flat = [Candidate(c, c, 1, Score(ScoreKind.BM25, 1.0)) for c in chunks]
    assert fuse_by_rank([flat]) == fuse_by_rank([ranked(*chunks)])


def test_i11_scores_of_two_kinds_cannot_be_compared() -> None:
    with pytest.raises(TypeError, match="cannot be compared"):
        sorted([Score(ScoreKind.COSINE, 0.9), Score(ScoreKind.BM25, 12.0)])


def test_i11_an_unranked_result_has_no_score_to_compare() -> None:
    with pytest.raises(TypeError, match="not supported between"):
        sorted([Score(ScoreKind.INLINE, None), Score(ScoreKind.INLINE, None)])
