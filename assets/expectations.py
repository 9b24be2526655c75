"""Asset checks on Great Expectations: a small aggregated frame in, one Dagster check result out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import dagster as dg
import polars as pl

# An expectation is named here and built only when the library is loaded (4 s and 300 MB).
Expectation = Callable[[Any], Any]


def at_most(column: str, largest: int) -> Expectation:
    """No value of `column` exceeds `largest`."""
    return lambda gx: gx.expectations.ExpectColumnValuesToBeBetween(column=column, max_value=largest)


def at_least(column: str, smallest: int) -> Expectation:
    """No value of `column` falls below `smallest`."""
    return lambda gx: gx.expectations.ExpectColumnValuesToBeBetween(column=column, min_value=smallest)


def equal(first: str, second: str) -> Expectation:
    """Two columns hold the same values, row by row."""
    return lambda gx: gx.expectations.ExpectColumnPairValuesToBeEqual(column_A=first, column_B=second)


def unique(column: str) -> Expectation:
    """No value of `column` appears twice."""
    return lambda gx: gx.expectations.ExpectColumnValuesToBeUnique(column=column)


def check_frame(
    frame: pl.DataFrame,
    expectations: Sequence[Expectation],
    *,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    show: pl.Expr | None = None,
) -> dg.AssetCheckResult:
    """Validate a frame; the result names the rules that failed and shows up to 20 offending rows.

    show  picks the offending rows for people; all rows where absent
    An empty frame passes, since there is nothing to be wrong; a check that must see rows says so with
    its own expectation on a count. Then the library is not even loaded.
    """
    if frame.is_empty():
        return dg.AssetCheckResult(passed=True, severity=severity, metadata={"rows": 0})
    failed = _failed_rules(frame, expectations)
    metadata: dict[str, Any] = {"rows": frame.height, "failed_rules": len(failed)}
    if failed:
        rows = frame.filter(show) if show is not None else frame
        metadata["rules"] = dg.MetadataValue.json(failed)
        metadata["offending"] = dg.MetadataValue.json(rows.head(20).to_dicts())
    return dg.AssetCheckResult(passed=not failed, severity=severity, metadata=metadata)


@lru_cache(maxsize=1)
def _context() -> Any:
    """One context per process, in memory: the default would leave a folder in /tmp for each check."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    return gx.get_context(mode="ephemeral", project_config=config)


def _failed_rules(frame: pl.DataFrame, expectations: Sequence[Expectation]) -> list[dict[str, Any]]:
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx

    batch = (
        _context()
        .data_sources.add_or_update_pandas("brain")
        .add_dataframe_asset("frame")
        .add_batch_definition_whole_dataframe("all")
        .get_batch(batch_parameters={"dataframe": frame.to_pandas()})
    )
    suite = gx.ExpectationSuite(name="frame", expectations=[build(gx) for build in expectations])
    outcome = batch.validate(suite)
    return [
        {
            "rule": result.expectation_config.type,
            "about": {
                key: value
                for key, value in result.expectation_config.kwargs.items()
                if key in ("column", "column_A", "column_B", "min_value", "max_value")
            },
            "unexpected": result.result.get("unexpected_count"),
        }
        for result in outcome.results
        if not result.success
    ]
