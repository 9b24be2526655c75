"""The frames that asset checks look at: aggregated in SQL, small in Python."""

from __future__ import annotations

from typing import Any, LiteralString

import polars as pl

from brain_dagster.model import EmbeddingSpace, Source, SyncRun
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql

STAGED_DOCUMENTS = pl.Schema(
    {
        "path": pl.String,
        "pages": pl.Int64,
        "characters": pl.Int64,
        "chunks": pl.Int64,
        "gaps": pl.Int64,
        "uncovered": pl.Int64,
    }
)
UNREAD_SCANS = pl.Schema({"path": pl.String, "reason": pl.String})
STAGED_VECTORS = pl.Schema({"chunks": pl.Int64, "missing": pl.Int64, "failed": pl.Int64})
PUBLISHED_SOURCE = pl.Schema(
    {
        "documents": pl.Int64,
        "chunks": pl.Int64,
        "orphans": pl.Int64,
        "miscounted": pl.Int64,
        "mixed": pl.Int64,
    }
)
RUN_OUTCOMES = pl.Schema({"listed": pl.Int64, "outcomes": pl.Int64, "staged": pl.Int64})


def staged_documents(db: Database, source: Source) -> pl.DataFrame:
    """One row per staged readable document; columns STAGED_DOCUMENTS, by path."""
    return _frame(db, sql("checks.staged_documents"), {"source_id": source.id}, STAGED_DOCUMENTS)


def unread_scans(db: Database, source: Source) -> pl.DataFrame:
    """Documents of the delta with pages that still need OCR; columns UNREAD_SCANS, by path."""
    return _frame(db, sql("checks.unread_scans"), {"source_id": source.id}, UNREAD_SCANS)


def staged_vectors(db: Database, source: Source, space: EmbeddingSpace) -> pl.DataFrame:
    """One row: how many staged chunks have a vector, a failure, or neither; columns STAGED_VECTORS."""
    names = {"source_id": source.id, "space_id": space.id}
    return _frame(db, sql("checks.staged_vectors"), names, STAGED_VECTORS)


def published_source(db: Database, source: Source) -> pl.DataFrame:
    """One row: what would be wrong with a published source; columns PUBLISHED_SOURCE."""
    return _frame(db, sql("checks.published_source"), {"source_id": source.id}, PUBLISHED_SOURCE)


def run_outcomes(db: Database, run: SyncRun) -> pl.DataFrame:
    """One row: listed items against outcomes; columns RUN_OUTCOMES."""
    return _frame(db, sql("checks.run_outcomes"), {"run_id": run.id}, RUN_OUTCOMES)


def _frame(db: Database, query: LiteralString, parameters: dict[str, Any], schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(db.all(query, parameters), schema=schema, orient="row")
