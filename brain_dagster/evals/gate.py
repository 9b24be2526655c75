"""The gate: whether a run may stand beside its baseline, in one word and in sentences.

A small goldset must not fail on noise and must not hide a collapse, so there are two rules. A drop fails
when the exact sign test of the changed cases says that chance would rarely make it. It also fails, whatever
the test says, when it is large: ten points, by at least three cases, or everything that was found is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from brain_dagster.evals.compare import Comparison, ModeComparison, Paired

Word = Literal["passed", "failed", "no-baseline"]
NAMED = 5  # ids named in a sentence; the report and eval_case hold all of them


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What counts as a regression.

    significance      a drop fails if chance makes it less often than this (one-sided exact sign test)
    smallest_drop     points, as a fraction, that mrr@10 must lose before its test may fail a run: a few
                      files that slip from place 7 to 8 pass the test and do not matter
    collapse          a drop of this size fails whatever the test says ...
    collapse_cases    ... if at least so many more cases lost than won: one case of nine is eleven points
    """

    significance: float = 0.05
    smallest_drop: float = 0.01
    collapse: float = 0.10
    collapse_cases: int = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's word and its reasons, each a sentence for people."""

    word: Word
    reasons: tuple[str, ...]

    @property
    def words(self) -> str:
        """The reasons as one text."""
        return "; ".join(self.reasons)


@dataclass(frozen=True, slots=True)
class MissingHalf:
    """A half of the search that could not take part although the question had one, why, and how often.

    The numbers of the mode are then not its own: a hybrid without vectors is a lexical search.
    """

    mode: str
    why: str
    questions: int

    @property
    def words(self) -> str:
        """The same as one phrase."""
        return f"{self.mode} ran without a half for {self.questions} questions ({self.why})"


DEFAULT_THRESHOLDS = Thresholds()


def judge(
    *,
    measurable: int,
    cases: int,
    unrelated: Sequence[str],
    missing: Sequence[MissingHalf],
    comparison: Comparison | None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Verdict:
    """Judge a run.

    measurable, cases  how many of how many cases could be measured
    unrelated          modes that answered two unrelated questions with the same list
    missing            halves of the search that could not take part
    comparison         with the accepted baseline, None if there is none
    """
    reasons = [f"{mode} gives two unrelated questions the same results, byte for byte" for mode in unrelated]
    reasons += [half.words for half in missing]
    if not measurable:
        reasons.insert(0, f"none of the {cases} cases is measurable: no target is indexed and embedded")
    if comparison is not None:
        reasons += _share_fell(comparison)
        for mode in comparison.modes.values():
            reasons += _dropped(mode, thresholds)
    if reasons:
        return Verdict("failed", tuple(reasons))
    if comparison is None:
        return Verdict("no-baseline", ("there is no accepted baseline to compare with",))
    if not comparison.modes:
        return Verdict("no-baseline", (_nothing_common(comparison),))
    return Verdict("passed", tuple(_kept(mode) for mode in comparison.modes.values()))


def _share_fell(comparison: Comparison) -> Iterator[str]:
    before, now = comparison.measurable_before, comparison.measurable_now
    if now < before:
        named = ", ".join(f"{case} ({why})" for case, why in comparison.unmeasured[:NAMED])
        more = len(comparison.unmeasured) - NAMED
        rest = f" and {more} more" if more > 0 else ""
        yield f"measurable cases fell from {before} to {now} of {comparison.common}: {named}{rest}"


def _dropped(mode: ModeComparison, thresholds: Thresholds) -> Iterator[str]:
    """Yield a sentence for each measure of a mode that really dropped."""
    for paired in mode.measures.values():
        if why := _why_real(paired, thresholds):
            yield (
                f"{mode.mode} {paired.measure} fell from {_percent(paired.before)} to {_percent(paired.now)}"
                f" ({paired.losses} cases lost, {paired.wins} won of {mode.pairs}; {why})"
            )


def _why_real(paired: Paired, thresholds: Thresholds) -> str | None:
    drop, net = -paired.change, paired.losses - paired.wins
    if drop <= 0:
        return None
    # A hair of slack, so that 15 of 150 cases are ten points whatever the last bit of a float says.
    if drop >= thresholds.collapse - 1e-9 and net >= thresholds.collapse_cases:
        return "a collapse"
    if paired.now == 0 and net > 1:
        return "a collapse: nothing is found any more"
    enough = paired.measure != "mrr@10" or drop >= thresholds.smallest_drop - 1e-9
    if enough and paired.p_dropped < thresholds.significance:
        return f"by chance only {paired.p_dropped:.2g} of the time"
    return None


def _nothing_common(comparison: Comparison) -> str:
    baseline = f"the accepted baseline (evaluation {comparison.baseline_id})"
    if comparison.common == 0:
        return f"{baseline} asked none of these questions"
    return f"{baseline} has no mode and measurable case in common with this run"


def _kept(mode: ModeComparison) -> str:
    recall = mode.measures["recall@10"]
    return (
        f"{mode.mode} recall@10 {_percent(recall.before)} -> {_percent(recall.now)}"
        f" ({recall.wins} won, {recall.losses} lost of {mode.pairs})"
    )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"
