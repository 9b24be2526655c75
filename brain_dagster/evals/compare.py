"""Paired comparison with the accepted baseline: the same questions, before and now, case by case.

Two percentages say little on a hundred cases; the cases that changed say more. A case *wins* where a
measure is higher now than before and *loses* where it is lower; ties carry no information about direction
and are left out of the test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from types import MappingProxyType

from brain_dagster.evals.metrics import METRICS, Rank, mean

MEASURES: Mapping[str, Callable[[Rank], float]] = MappingProxyType(
    {name: METRICS[name] for name in ("recall@10", "recall@1", "mrr@10")}
)
"""What is compared: whether the file came back, whether it was first, and how far down it was."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One case of one run, as the comparison needs it.

    question  query, expected path and source: two observations are a pair only if these agree
    """

    case_id: str
    question: tuple[str, str, str | None]
    is_measurable: bool
    why_not: str | None
    ranks: Mapping[str, Rank]


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure in one mode over the pairs: means before and now, and who changed.

    standard_error  of the mean difference
    p_changed       two-sided: how often chance alone makes wins and losses this unequal
    p_dropped       one-sided: how often chance alone makes this many of the changed cases losses
    """

    measure: str
    before: float
    now: float
    wins: int
    losses: int
    ties: int
    standard_error: float
    p_changed: float
    p_dropped: float

    @property
    def change(self) -> float:
        """Now minus before, as a fraction: -0.02 is a drop of two points."""
        return self.now - self.before


@dataclass(frozen=True, slots=True)
class ModeComparison:
    """One mode against the baseline, over the cases that were measurable both times.

    one_case     what one case is worth, as a fraction
    lost, won    ids of the cases that left or entered the first ten
    """

    mode: str
    pairs: int
    one_case: float
    measures: Mapping[str, Paired]
    lost: tuple[str, ...]
    won: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An evaluation against its accepted baseline.

    common       cases that both runs asked, measurable or not
    unmeasured   cases of them that were measurable in the baseline and are not any more, with why
    left_out     modes of the baseline that this run did not measure
    """

    baseline_id: int
    common: int
    measurable_before: int
    measurable_now: int
    unmeasured: tuple[tuple[str, str], ...]
    modes: Mapping[str, ModeComparison]
    left_out: tuple[str, ...]


def sign_test(wins: int, losses: int) -> tuple[float, float]:
    """Return the exact sign test of n = wins + losses changed cases: (two-sided p, one-sided p of a drop).

    Under chance each changed case is a win or a loss with 1/2, so P(losses >= l) is a sum of binomials.
    The two-sided p is twice the smaller tail, at most 1. Nothing changed: both are 1.
    Source  Conover, Practical Nonparametric Statistics, 1999, section 3.4; the same as McNemar's exact test.
    """
    changed = wins + losses
    dropped = _upper_tail(changed, losses)
    return min(1.0, 2 * min(dropped, _upper_tail(changed, wins))), dropped


def _upper_tail(n: int, least: int) -> float:
    """Return P(X >= least) for X ~ Binomial(n, 1/2)."""
    ways = total = comb(n, least)
    for k in range(least, n):
        ways = ways * (n - k) // (k + 1)
        total += ways
    # Two integers divided at the end: exact, and 2**n alone would overflow a float at 1,024 changed cases.
    return total / (1 << n)


def compare_paired(measure: str, before: Sequence[Rank], now: Sequence[Rank]) -> Paired:
    """Compare one measure over pairs of ranks; `before[i]` and `now[i]` belong to the same case."""
    value = MEASURES[measure]
    old, new = [value(rank) for rank in before], [value(rank) for rank in now]
    differences = [b - a for a, b in zip(old, new, strict=True)]
    wins = sum(difference > 0 for difference in differences)
    losses = sum(difference < 0 for difference in differences)
    changed, dropped = sign_test(wins, losses)
    centre = mean(differences)
    spread = sqrt(sum((difference - centre) ** 2 for difference in differences)) / len(differences)
    ties = len(differences) - wins - losses
    return Paired(measure, mean(old), mean(new), wins, losses, ties, spread, changed, dropped)


def compare_runs(
    baseline_id: int,
    before: Sequence[Observation],
    now: Sequence[Observation],
    *,
    modes_before: Sequence[str],
    modes_now: Sequence[str],
) -> Comparison:
    """Pair the cases of two runs of one goldset by id and question, and compare them mode by mode."""
    old = {(seen.case_id, seen.question): seen for seen in before}
    common = [(old[key], seen) for seen in now if (key := (seen.case_id, seen.question)) in old]
    pairs = [(a, b) for a, b in common if a.is_measurable and b.is_measurable]
    modes = [mode for mode in modes_before if mode in modes_now] if pairs else []
    return Comparison(
        baseline_id=baseline_id,
        common=len(common),
        measurable_before=sum(a.is_measurable for a, _ in common),
        measurable_now=sum(b.is_measurable for _, b in common),
        unmeasured=tuple((b.case_id, b.why_not or "") for a, b in common if a.is_measurable and b.why_not),
        modes={mode: _compare_mode(mode, pairs) for mode in modes},
        left_out=tuple(mode for mode in modes_before if mode not in modes_now),
    )


def _compare_mode(mode: str, pairs: Sequence[tuple[Observation, Observation]]) -> ModeComparison:
    before = [a.ranks[mode] for a, _ in pairs]
    now = [b.ranks[mode] for _, b in pairs]
    found = MEASURES["recall@10"]
    moved = {b.case_id: found(b.ranks[mode]) - found(a.ranks[mode]) for a, b in pairs}
    return ModeComparison(
        mode=mode,
        pairs=len(pairs),
        one_case=1 / len(pairs),
        measures={measure: compare_paired(measure, before, now) for measure in MEASURES},
        lost=tuple(case for case, step in moved.items() if step < 0),
        won=tuple(case for case, step in moved.items() if step > 0),
    )
