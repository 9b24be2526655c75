"""Great Expectations behind asset checks: what fails, what passes, what is shown."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.expectations import at_least, at_most, check_frame, equal, unique

FRAME = pl.DataFrame({"path": ["a", "b", "b"], "chunks": [3, 0, 1], "said": [3, 0, 2]})


@pytest.mark.parametrize(
    ("rule", "passes"),
    [
        (at_least("chunks", 0), True),
        (at_least("chunks", 1), False),
        (at_most("chunks", 3), True),
        (at_most("chunks", 2), False),
        (unique("chunks"), True),
        (unique("path"), False),
        (equal("chunks", "chunks"), True),
        (equal("chunks", "said"), False),
    ],
)
def test_rule_decides(rule: object, passes: bool) -> None:
    assert check_frame(FRAME, [rule]).passed is passes  # type: ignore[list-item]


def test_failure_names_the_rule_and_shows_the_offending_rows() -> None:
    result = check_frame(FRAME, [at_least("chunks", 1)], show=pl.col("chunks") < 1)
    assert result.severity is dg.AssetCheckSeverity.ERROR
    rules, offending = result.metadata["rules"].value, result.metadata["offending"].value
    assert rules == [
        {
            "rule": "expect_column_values_to_be_between",
            "about": {"column": "chunks", "min_value": 1},
            "unexpected": 1,
        }
    ]
    assert offending == [{"path": "b", "chunks": 0, "said": 0}]


def test_empty_frame_passes_because_there_is_nothing_to_be_wrong() -> None:
    assert check_frame(FRAME.clear(), [at_least("chunks", 1)]).passed


def test_checks_leave_nothing_in_the_temporary_folder() -> None:
    check_frame(FRAME, [at_least("chunks", 0)])
    before = set(Path(tempfile.gettempdir()).glob("tmp*"))
    check_frame(FRAME, [at_least("chunks", 0)])
    assert {path for path in Path(tempfile.gettempdir()).glob("tmp*") if path.is_dir()} <= before
