"""The question's half of BM25: weights and the gate."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.query.lexical import GATE_ROWS, GATE_SHARE, MOST_TERMS, idf, weigh
from brain_dagster.store.lexical import Gate, TermStatistics


def statistics_of(chunks: int, frequencies: dict[int, int]) -> TermStatistics:
    """As if every chunk were a document of its own."""
    return TermStatistics(chunks, chunks, frequencies, frequencies)


def test_idf_is_what_the_formula_says() -> None:
    assert idf(2, 10) == pytest.approx(log(1 + 8.5 / 2.5))


def test_a_word_in_every_chunk_still_counts_for_a_little() -> None:
    assert 0 < idf(10, 10) < 0.05


def test_the_vector_carries_idf_times_how_much_the_question_says_it() -> None:
    weighed = weigh({5: 2, 7: 1, 9: 1}, statistics_of(10, {5: 2, 7: 10}))
    assert weighed is not None
    assert weighed.vector.indices() == [5, 7]
    assert weighed.vector.values() == pytest.approx([2 * idf(2, 10), idf(10, 10)])


def test_documents_are_weighed_by_how_many_documents_hold_a_word() -> None:
    weighed = weigh({5: 2.0, 7: 1.0}, TermStatistics(100, 10, {5: 20, 7: 1}, {5: 3, 7: 1}))
    assert weighed is not None
    assert weighed.document_vector.indices() == [5, 7]
    assert weighed.document_vector.values() == pytest.approx([2 * idf(3, 10), idf(1, 10)])


def test_a_question_of_unknown_words_weighs_nothing() -> None:
    assert weigh({5: 1}, statistics_of(10, {})) is None


def test_the_gate_takes_the_rarest_terms_that_fit_the_budget() -> None:
    statistics = statistics_of(30_000, {1: 3_000, 2: 900, 3: 20_000, 4: 2})
    weighed = weigh({1: 1, 2: 1, 3: 1, 4: 1}, statistics)
    assert weighed is not None
    assert weighed.gate == Gate((4, 2, 1))
    assert weighed.rows == 3_902
    assert weighed.vector.indices() == [1, 2, 3, 4]


def test_the_budget_grows_with_the_corpus() -> None:
    statistics = statistics_of(1_000_000, {1: 60_000, 2: 39_000, 3: 60_000})
    weighed = weigh({1: 1, 2: 1, 3: 1}, statistics)
    assert weighed is not None
    assert weighed.gate == Gate((2, 1))


def test_of_common_words_several_are_wanted_at_once_until_the_rows_fit() -> None:
    # 40,000 chunks, a budget of 4,000: a half and a half of them are 10,000, and a quarter of those 2,500.
    weighed = weigh({1: 1, 2: 1, 3: 1}, statistics_of(40_000, {1: 20_000, 2: 20_000, 3: 10_000}))
    assert weighed is not None
    assert weighed.gate == Gate((3,), every=(3, 1, 2))
    assert weighed.rows == 2_500
    assert weighed.wider == Gate((3,), share=0.4)


def test_one_common_word_is_looked_for_in_a_share_of_the_documents() -> None:
    weighed = weigh({1: 1}, statistics_of(200_000, {1: 160_000}))
    assert weighed is not None
    assert weighed.gate == Gate((1,), share=20_000 / 160_000)
    assert weighed.rows == 20_000
    assert weighed.wider is None


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=8), st.integers(10_000, 5_000_000))
def test_whatever_the_words_the_rows_stay_within_the_budget(shares: list[float], chunks: int) -> None:
    frequencies = {term: max(1, int(share * chunks)) for term, share in enumerate(shares)}
    weighed = weigh(dict.fromkeys(frequencies, 1.0), statistics_of(chunks, frequencies))
    assert weighed is not None
    assert weighed.rows <= max(GATE_ROWS, int(chunks * GATE_SHARE))
    assert weighed.gate.terms


def test_d5_of_a_long_question_the_rarest_terms_are_kept() -> None:
    terms = dict.fromkeys(range(1_000), 1)
    weighed = weigh(terms, statistics_of(5_000, {term: 1_000 - term for term in terms}))
    assert weighed is not None
    assert weighed.vector.indices() == list(range(1_000 - MOST_TERMS, 1_000))
