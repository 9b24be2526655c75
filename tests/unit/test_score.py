"""Scores of two kinds are never sorted together: Python refuses it, and the type checker before it."""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from brain_dagster.score import InvalidScore, RRFScore, Score, ScoreKind
from brain_dagster.settings import REPOSITORY_ROOT

RANKED = [kind for kind in ScoreKind if kind is not ScoreKind.INLINE]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]
Comparison = Callable[[object, object], bool]


def some(kind: ScoreKind, value: float = 0.5) -> Score:
    return Score(kind, None if kind is ScoreKind.INLINE else value)


@pytest.mark.parametrize("compare", COMPARISONS)
@pytest.mark.parametrize(("one", "two"), permutations(ScoreKind, 2))
def test_i11_two_kinds_cannot_be_compared(one: ScoreKind, two: ScoreKind, compare: Comparison) -> None:
    with pytest.raises(TypeError, match=r"cannot be compared|not supported between"):
        compare(some(one), some(two))


@pytest.mark.parametrize("kind", RANKED)
def test_scores_of_one_kind_have_an_order(kind: ScoreKind) -> None:
    low, high = Score(kind, 0.25), Score(kind, 0.75)
    assert low < high and low <= high and high > low and high >= low
    assert low <= Score(kind, 0.25) and low >= Score(kind, 0.25)
    assert not low < Score(kind, 0.25) and not low > high and not high <= low and not low >= high
    assert sorted([high, low]) == [low, high]


@pytest.mark.parametrize("compare", COMPARISONS)
def test_i11_what_was_not_ranked_has_no_order(compare: Comparison) -> None:
    with pytest.raises(TypeError):
        compare(some(ScoreKind.INLINE), some(ScoreKind.INLINE))


@pytest.mark.parametrize("compare", COMPARISONS)
def test_a_score_is_not_a_number(compare: Comparison) -> None:
    with pytest.raises(TypeError):
        compare(some(ScoreKind.RERANK), 0.5)
    with pytest.raises(TypeError):
        compare(0.5, some(ScoreKind.RERANK))


def test_equal_numbers_of_two_kinds_are_not_equal() -> None:
    assert len({some(kind) for kind in ScoreKind}) == len(ScoreKind)
    assert Score(ScoreKind.RRF, 0.5) == Score(ScoreKind.RRF, 0.5)
    assert Score(ScoreKind.RRF, 0.5) != Score(ScoreKind.RERANK, 0.5)


@pytest.mark.parametrize("kinds", [(ScoreKind.RERANK, ScoreKind.RRF), (ScoreKind.COSINE, ScoreKind.INLINE)])
def test_i11_a_list_of_two_kinds_cannot_be_sorted(kinds: tuple[ScoreKind, ScoreKind]) -> None:
    mixed = [some(kinds[0], 0.9), some(kinds[1], 1 / 61), some(kinds[0], 0.1)]
    for reverse in (False, True):
        with pytest.raises(TypeError):
            sorted(mixed, reverse=reverse)
    with pytest.raises(TypeError):
        max(mixed)


@pytest.mark.parametrize("kind", RANKED)
@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
def test_the_placeholder_cannot_be_emitted(kind: ScoreKind, value: float | None) -> None:
    with pytest.raises(InvalidScore, match=f"of kind {kind} "):
        Score(kind, value)
    with pytest.raises(InvalidScore):
        dataclasses.replace(Score(kind, 0.5), value=value)


@pytest.mark.parametrize("value", [0.0, 1.0, float("nan")])
def test_what_was_not_ranked_cannot_have_a_number(value: float) -> None:
    with pytest.raises(InvalidScore, match="of kind inline holds a number"):
        Score(ScoreKind.INLINE, value)


@pytest.mark.parametrize("kind", ScoreKind)
def test_copies_are_of_the_same_kind_and_nothing_changes_a_score(kind: ScoreKind) -> None:
    score = some(kind)
    for other in (copy.copy(score), copy.deepcopy(score), pickle.loads(pickle.dumps(score))):
        assert other == score
        assert type(other) is type(score) is not Score
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.value = 1.0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.kind = ScoreKind.BM25  # type: ignore[misc]


def test_a_class_cannot_be_given_another_kind() -> None:
    with pytest.raises(TypeError, match="is a BM25Score, not a RRFScore"):
        RRFScore(ScoreKind.BM25, 12.0)


def test_i11_the_type_checker_refuses_to_compare_two_kinds(tmp_path: Path) -> None:
    """Each line that ends in `# refused` is refused, and no other line is."""
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "from brain_dagster.model import Candidate\n"
        "from brain_dagster.score import RerankScore, Score, ScoreKind\n"
        "cosine, bm25 = Score(ScoreKind.COSINE, 0.5), Score(ScoreKind.BM25, 12.0)\n"
        "rerank, inline = Score(ScoreKind.RERANK, 0.5), Score(ScoreKind.INLINE, None)\n"
        "cosine < cosine\n"
        "rerank >= Score(ScoreKind.RERANK, 0.1)\n"
        "sorted([bm25, Score(ScoreKind.BM25, 3.0)])\n"
        "cosine < bm25  # refused\n"
        "cosine <= rerank  # refused\n"
        "bm25 > rerank  # refused\n"
        "rerank >= cosine  # refused\n"
        "cosine == bm25  # refused\n"
        "sorted([cosine, rerank])  # refused\n"
        "inline < inline  # refused\n"
        "rerank > 0.5  # refused\n"
        "Score(ScoreKind.RERANK, '0.5')  # refused\n"
        "def order(candidates: list[Candidate], one: Score, two: Score) -> None:\n"
        "    sorted(candidates, key=lambda candidate: candidate.score)  # refused\n"
        "    max(one, two)  # refused\n"
        "    if isinstance(one, RerankScore) and isinstance(two, RerankScore):\n"
        "        max(one, two)\n",
        encoding="utf-8",
    )
    # No configuration and no cache of the checkout: two runs at once must not meet.
    arguments = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}", str(snippet)]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments],
        cwd=REPOSITORY_ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    refused = {int(line) for line in re.findall(r"snippet\.py:(\d+): error:", checked.stdout)}
    lines = snippet.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, start=1) if line.endswith("# refused")}
    assert refused == expected, checked.stdout + checked.stderr
    assert len(expected) == 11
