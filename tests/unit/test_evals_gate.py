"""The paired comparison and the gate: noise passes, a collapse does not, and reasons name the cases."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from brain_dagster.evals.compare import Comparison, Observation, compare_paired, compare_runs, sign_test
from brain_dagster.evals.gate import MissingHalf, Thresholds, Verdict, judge

Ranks = Sequence[int | None]


def _observe(ranks: Ranks, *, mode: str = "hybrid", lost: dict[int, str] | None = None) -> list[Observation]:
    lost = lost or {}
    return [
        Observation(f"c{i}", (f"question {i}", f"f{i}.py", "lib"), i not in lost, lost.get(i), {mode: rank})
        for i, rank in enumerate(ranks)
    ]


def _compare(before: Ranks, now: Ranks, *, lost: dict[int, str] | None = None) -> Comparison:
    return compare_runs(
        1, _observe(before), _observe(now, lost=lost), modes_before=["hybrid"], modes_now=["hybrid"]
    )


def _judge(
    comparison: Comparison | None,
    *,
    unrelated: Sequence[str] = (),
    missing: Sequence[MissingHalf] = (),
    measurable: int = 9,
) -> Verdict:
    return judge(measurable=measurable, cases=9, unrelated=unrelated, missing=missing, comparison=comparison)


# Expected tails by hand: 0.5^5 = 1/32; of 8 flips at least 7: (8 + 1)/256; of 3 flips at least 2: 4/8.
@pytest.mark.parametrize(
    ("wins", "losses", "changed", "dropped"),
    [
        (0, 0, 1.0, 1.0),
        (0, 5, 2 / 32, 1 / 32),
        (5, 0, 2 / 32, 1.0),
        (1, 7, 18 / 256, 9 / 256),
        (1, 2, 1.0, 0.5),
        (4, 4, 1.0, 163 / 256),
    ],
)
def test_the_sign_test_by_hand(wins: int, losses: int, changed: float, dropped: float) -> None:
    assert sign_test(wins, losses) == pytest.approx((changed, dropped))


def test_the_sign_test_holds_for_thousands_of_changed_cases() -> None:
    changed, dropped = sign_test(1500, 1500)
    assert changed == 1.0
    assert 0.5 < dropped < 0.52
    assert sign_test(0, 2000)[1] == pytest.approx(0.0, abs=1e-300)


def test_wins_losses_and_ties_are_counted_case_by_case() -> None:
    before, now = [1, 12, 3, None, 10], [1, 9, 4, None, 11]
    found = compare_paired("recall@10", before, now)
    assert (found.wins, found.losses, found.ties) == (1, 1, 3)
    assert (found.before, found.now) == (0.6, 0.6)
    place = compare_paired("mrr@10", before, now)
    assert (place.wins, place.losses, place.ties) == (1, 2, 2)
    assert place.change == pytest.approx((1 / 9 - (1 / 3 - 1 / 4) - 1 / 10) / 5)


def test_a_case_is_worth_one_of_the_pairs_and_changed_cases_are_named() -> None:
    mode = _compare([1, 2, 3, None], [1, None, 3, 4]).modes["hybrid"]
    assert mode.one_case == 0.25
    assert (mode.lost, mode.won) == (("c1",), ("c3",))


def test_a_case_whose_question_changed_is_not_a_pair() -> None:
    before, now = _observe([1, 1]), _observe([1, None])
    other = Observation("c1", ("another question", "f1.py", "lib"), True, None, {"hybrid": None})
    comparison = compare_runs(1, before, [now[0], other], modes_before=["hybrid"], modes_now=["hybrid"])
    assert comparison.common == 1
    assert comparison.modes["hybrid"].measures["recall@10"].losses == 0


def test_small_noise_does_not_fail_a_run() -> None:
    # 150 cases; three fall out of the first ten, two come in, a dozen trade neighbouring places.
    before: list[int | None] = [1] * 80 + [3, 4] * 10 + [9] * 30 + [None] * 20
    now = list(before)
    now[100:103] = [14, 15, None]
    now[130:132] = [9, 10]
    now[80:92] = [4, 3] * 6
    verdict = _judge(_compare(before, now))
    assert verdict.word == "passed"
    assert "(2 won, 3 lost of 150)" in verdict.words


def test_one_lost_case_of_a_small_goldset_is_noise_although_it_is_eleven_points() -> None:
    assert _judge(_compare([1] * 9, [1] * 8 + [None])).word == "passed"


def test_a_significant_drop_fails_and_says_how_many_cases_were_lost() -> None:
    before: list[int | None] = [1] * 200
    now: list[int | None] = [1] * 194 + [None] * 6
    verdict = _judge(_compare(before, now))
    assert verdict.word == "failed"
    # 0.5^6 = 0.015625
    assert "recall@10 fell from 100.0 % to 97.0 % (6 cases lost, 0 won of 200; by chance only 0.016" in (
        verdict.words
    )


def test_a_collapse_fails_even_where_the_sign_test_is_not_significant() -> None:
    comparison = _compare([1] * 4, [1, None, None, None])
    assert comparison.modes["hybrid"].measures["recall@10"].p_dropped > 0.05
    assert _judge(comparison).word == "failed"


def test_a_goldset_of_two_cannot_hide_that_nothing_is_found_any_more() -> None:
    verdict = _judge(_compare([1, 2], [None, None]))
    assert verdict.word == "failed"
    assert "nothing is found any more" in verdict.words


def test_a_drop_of_exactly_ten_points_is_a_collapse() -> None:
    wins, losses = 20, 35  # of 150: net 15 cases, ten points; p of the sign test is 0.029
    before: list[int | None] = [1] * losses + [None] * wins + [1] * 95
    now: list[int | None] = [None] * losses + [1] * wins + [1] * 95
    verdict = judge(
        measurable=150,
        cases=150,
        unrelated=(),
        missing=(),
        comparison=_compare(before, now),
        thresholds=Thresholds(significance=0.0),
    )
    assert verdict.word == "failed"
    assert "a collapse" in verdict.words


def test_first_places_lost_within_the_first_ten_fail_too() -> None:
    verdict = _judge(_compare([1] * 50, [2] * 50))
    assert verdict.word == "failed"
    assert "recall@10" not in verdict.words
    assert "recall@1 fell from 100.0 % to 0.0 %" in verdict.words


def test_files_that_slip_from_place_seven_to_eight_do_not_fail_a_run() -> None:
    before: list[int | None] = [7] * 40 + [1] * 110
    now: list[int | None] = [8] * 40 + [1] * 110
    assert _compare(before, now).modes["hybrid"].measures["mrr@10"].p_dropped < 1e-9
    assert _judge(_compare(before, now)).word == "passed"


def test_a_gain_never_fails() -> None:
    assert _judge(_compare([None] * 9, [1] * 9)).word == "passed"


def test_a_fallen_measurable_share_fails_and_names_the_case_and_why() -> None:
    verdict = _judge(_compare([1] * 9, [1] * 9, lost={3: "failed: needs-ocr"}))
    assert verdict.word == "failed"
    assert verdict.words == "measurable cases fell from 9 to 8 of 9: c3 (failed: needs-ocr)"


def test_an_unmeasurable_case_is_no_loss_of_recall() -> None:
    comparison = _compare([1] * 9, [1] * 8 + [None], lost={8: "not listed"})
    assert comparison.modes["hybrid"].measures["recall@10"].losses == 0


def test_a_new_case_that_is_not_measurable_does_not_lower_the_share() -> None:
    now = _observe([1, 1, None], lost={2: "not listed"})
    comparison = compare_runs(1, _observe([1, 1]), now, modes_before=["hybrid"], modes_now=["hybrid"])
    assert _judge(comparison).word == "passed"


def test_equal_lists_for_unrelated_questions_fail_even_without_a_baseline() -> None:
    verdict = _judge(None, unrelated=["dense"])
    assert verdict.word == "failed"
    assert verdict.words == "dense gives two unrelated questions the same results, byte for byte"


def test_i11_hybrid_numbers_without_the_dense_half_fail() -> None:
    half = MissingHalf("hybrid", "dense: the model does not answer", 3)
    verdict = _judge(None, missing=[half])
    assert verdict.word == "failed"
    assert verdict.words == "hybrid ran without a half for 3 questions (dense: the model does not answer)"


def test_nothing_measurable_fails_even_without_a_baseline() -> None:
    verdict = _judge(None, measurable=0)
    assert verdict.word == "failed"
    assert "none of the 9 cases is measurable" in verdict.words


def test_a_first_run_has_no_baseline() -> None:
    assert _judge(None).word == "no-baseline"


def test_a_baseline_with_other_questions_is_no_baseline() -> None:
    other = [Observation("z", ("q", "f", None), True, None, {"hybrid": 1})]
    comparison = compare_runs(7, other, _observe([1]), modes_before=["hybrid"], modes_now=["hybrid"])
    verdict = _judge(comparison)
    assert verdict.word == "no-baseline"
    assert verdict.words == "the accepted baseline (evaluation 7) asked none of these questions"


def test_a_mode_that_only_one_side_measured_is_not_compared() -> None:
    before = _observe([1, 1], mode="dense")
    comparison = compare_runs(1, before, _observe([1, 1]), modes_before=["dense"], modes_now=["hybrid"])
    assert comparison.left_out == ("dense",)
    assert _judge(comparison).word == "no-baseline"
