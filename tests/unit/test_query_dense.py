"""From how many vectors on the index pays: what the measured costs must never come to mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.query.dense import least_vectors_for_index

WIDTHS = st.integers(min_value=1, max_value=2_000)
SIZES = st.integers(min_value=1, max_value=50_000_000)
DEPTHS = st.integers(min_value=1, max_value=20_000)


@given(SIZES, SIZES, WIDTHS, DEPTHS)
def test_the_rarer_a_collection_is_in_the_index_the_larger_it_must_be(
    one: int, other: int, width: int, depth: int
) -> None:
    smaller, larger = sorted((one, other))
    least = least_vectors_for_index(smaller, width=width, depth=depth)
    assert least <= least_vectors_for_index(larger, width=width, depth=depth)


@given(SIZES, WIDTHS, DEPTHS, DEPTHS)
def test_the_deeper_the_list_the_larger_a_collection_must_be(
    indexed: int, width: int, one: int, other: int
) -> None:
    shallow, deep = sorted((one, other))
    least = least_vectors_for_index(indexed, width=width, depth=shallow)
    assert least <= least_vectors_for_index(indexed, width=width, depth=deep)


@given(SIZES, WIDTHS, DEPTHS)
def test_a_collection_that_cannot_fill_the_list_is_always_compared(
    indexed: int, width: int, depth: int
) -> None:
    assert least_vectors_for_index(indexed, width=width, depth=depth) > depth


def test_vectors_too_wide_for_their_row_make_the_index_pay_sooner() -> None:
    beside_the_row = least_vectors_for_index(200_000, width=384, depth=200)
    out_of_line = least_vectors_for_index(200_000, width=768, depth=200)
    assert out_of_line < beside_the_row / 2


def test_the_threshold_agrees_with_the_runs_it_was_taken_from() -> None:
    """Of 200,000 vectors at 384 dimensions: 100,190 took 191 ms to compare and 36 by the index; 44,000 took
    104 and 66, which does not save the third it must; 22,000 took 60 and 116."""
    least = least_vectors_for_index(200_000, width=384, depth=200)
    assert 44_000 < least < 100_190
