"""Each metric by hand, at its edges, and against an implementation that nobody here wrote."""

from __future__ import annotations

import random
from math import log2, sqrt

import pytest

from brain_dagster.evals.metrics import METRICS, NothingToAverage, all_metrics, mean, standard_error
from brain_dagster.evals.metrics.ndcg import ndcg_at
from brain_dagster.evals.metrics.recall import hit_at
from brain_dagster.evals.metrics.reciprocal_rank import reciprocal_rank_at


def test_the_report_has_exactly_the_metrics_of_the_contract_in_its_order() -> None:
    assert list(METRICS) == ["recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10"]


@pytest.mark.parametrize(
    ("rank", "k", "expected"),
    [(1, 1, 1.0), (2, 1, 0.0), (3, 3, 1.0), (4, 3, 0.0), (10, 10, 1.0), (11, 10, 0.0), (None, 10, 0.0)],
)
def test_a_hit_counts_up_to_and_including_k(rank: int | None, k: int, expected: float) -> None:
    assert hit_at(rank, k) == expected


@pytest.mark.parametrize(
    ("rank", "expected"), [(1, 1.0), (2, 0.5), (4, 0.25), (10, 0.1), (11, 0.0), (None, 0.0)]
)
def test_reciprocal_rank_is_one_over_the_place(rank: int | None, expected: float) -> None:
    assert reciprocal_rank_at(rank, 10) == expected


@pytest.mark.parametrize(
    ("rank", "expected"), [(1, 1.0), (2, 0.63092975357), (3, 0.5), (7, 1 / 3), (11, 0.0), (None, 0.0)]
)
def test_ndcg_is_discounted_by_the_logarithm_of_the_place(rank: int | None, expected: float) -> None:
    assert ndcg_at(rank, 10) == pytest.approx(expected, abs=1e-11)


def test_six_ranks_averaged_by_hand() -> None:
    metrics = all_metrics([1, 2, 4, 10, 11, None])
    assert metrics["recall@1"] == pytest.approx(1 / 6)
    assert metrics["recall@3"] == pytest.approx(2 / 6)
    assert metrics["recall@5"] == pytest.approx(3 / 6)
    assert metrics["recall@10"] == pytest.approx(4 / 6)
    assert metrics["mrr@10"] == pytest.approx((1 + 0.5 + 0.25 + 0.1) / 6)
    gains = 1 + 1 / log2(3) + 1 / log2(5) + 1 / log2(11)
    assert metrics["ndcg@10"] == pytest.approx(gains / 6)


def test_no_case_has_no_average_rather_than_zero() -> None:
    with pytest.raises(NothingToAverage):
        all_metrics([])
    with pytest.raises(NothingToAverage):
        mean([])


def test_the_order_of_the_cases_changes_no_digit() -> None:
    ranks: list[int | None] = [*range(1, 40), None, None]
    shuffled = ranks[:]
    random.Random(7).shuffle(shuffled)
    assert all_metrics(shuffled) == all_metrics(ranks)


def test_the_standard_error_of_a_recall_near_one_half_at_150_cases_is_4_1_points() -> None:
    assert standard_error([1.0] * 75 + [0.0] * 75) == pytest.approx(sqrt(0.25 / 150))
    assert round(100 * standard_error([1.0] * 75 + [0.0] * 75), 1) == 4.1


def test_the_standard_error_of_equal_values_is_zero() -> None:
    assert standard_error([0.5, 0.5, 0.5]) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_metrics_agree_with_ir_measures_on_random_runs(seed: int) -> None:
    import ir_measures
    from ir_measures import RR, R, nDCG

    dice = random.Random(seed)
    ranks: list[int | None] = [
        dice.choice([None, *range(1, 13), dice.randint(1, 50)]) for _ in range(dice.randint(1, 60))
    ]
    right = {f"q{i}": {"right": 1} for i in range(len(ranks))}
    # Scores fall by one a place; the right file stands at its rank among forty to fifty wrong ones.
    runs = {
        f"q{i}": {("right" if place == rank else f"wrong{place}"): 100.0 - place for place in range(1, 51)}
        for i, rank in enumerate(ranks)
    }
    theirs = ir_measures.calc_aggregate([R @ 1, R @ 3, R @ 5, R @ 10, RR @ 10, nDCG @ 10], right, runs)
    ours = all_metrics(ranks)
    for name, measure in zip(METRICS, [R @ 1, R @ 3, R @ 5, R @ 10, RR @ 10, nDCG @ 10], strict=True):
        assert ours[name] == pytest.approx(theirs[measure], abs=1e-12), name
