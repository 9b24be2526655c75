"""What is measured: each metric turns the rank of the one right file into a number from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum, sqrt
from types import MappingProxyType

from brain_dagster.errors import Defect
from brain_dagster.evals.metrics.ndcg import ndcg_at
from brain_dagster.evals.metrics.recall import hit_at
from brain_dagster.evals.metrics.reciprocal_rank import reciprocal_rank_at

Rank = int | None
"""Place of the right file among distinct files, from 1; None: it did not come back."""

METRICS: Mapping[str, Callable[[Rank], float]] = MappingProxyType(
    {
        "recall@1": partial(hit_at, k=1),
        "recall@3": partial(hit_at, k=3),
        "recall@5": partial(hit_at, k=5),
        "recall@10": partial(hit_at, k=10),
        "mrr@10": partial(reciprocal_rank_at, k=10),
        "ndcg@10": partial(ndcg_at, k=10),
    }
)
"""Every metric of the report by its name in the contract, in the order of the report."""


class NothingToAverage(Defect):
    """A metric was asked for over no case at all; the caller must say `null`, never 0 and never 0/0."""


def mean(values: Sequence[float]) -> float:
    """Return the average, summed exactly, so that the order of the cases cannot change a digit."""
    if not values:
        raise NothingToAverage
    return fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float:
    """Return how far the mean of n cases would stray if others of the same kind had been drawn.

    sqrt(sum (v - mean)^2 / n / n), which for a recall p is the familiar sqrt(p * (1 - p) / n): 4.1 points
    near 0.5 at 150 cases. It is 0 where all values agree, whatever n.
    """
    centre = mean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values)) / len(values)


def all_metrics(ranks: Sequence[Rank]) -> dict[str, float]:
    """Return the mean of every metric over the ranks of one mode, in the order of METRICS."""
    return {name: mean([metric(rank) for rank in ranks]) for name, metric in METRICS.items()}
