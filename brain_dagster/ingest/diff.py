"""The diff stage: what exists in the source, compared with what the store knows of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from brain_dagster.connectors.base import Connector
from brain_dagster.faults import fault
from brain_dagster.model import Change, Listing, Source, SyncRun
from brain_dagster.store import staging
from brain_dagster.store.clean import printable_path
from brain_dagster.store.pool import Database
from brain_dagster.store.staging import KNOWN, StagedRow

LISTED = pl.Schema(
    {
        "path_bytes": pl.Binary,
        "item_kind": pl.String,
        "token": pl.String,
        "listed_hash": pl.String,
        "listed_bytes": pl.Int64,
    }
)


@dataclass(frozen=True, slots=True)
class DiffReport:
    """What a diff found: items by change, for operators and for the stages after it.

    kept  documents that the listing does not name but that stay, because the listing is incomplete (A3)
    """

    run: SyncRun
    listed: int
    excluded: int
    changes: dict[str, int]
    kept: int
    problems: tuple[str, ...]


def diff_source(
    db: Database, source: Source, connector: Connector, *, recipe: str, run_key: str
) -> DiffReport:
    """List the source, compare it with the store, and stage the delta under a new generation.

    Reads no file. Deletes nothing by itself, and stages deletions only after a complete listing (A3).
    Staged work of an earlier, unfinished run is kept where it is exactly what this run needs.
    Raises  SourceUnavailable - the source cannot be listed; the store is left as it was.
    """
    listing = connector.list()
    fault("diff.listed")
    known = staging.known_documents(db, source)
    delta = compare(listing, known, recipe)
    run = staging.stage_delta(db, source, listing, _rows(delta), recipe=recipe, run_key=run_key)
    fault("diff.staged")
    counts = dict(delta.group_by("change").len().iter_rows())
    gone = known.height - delta.filter(pl.col("change") != Change.ADDED).height
    return DiffReport(
        run=run,
        listed=len(listing.items),
        excluded=listing.excluded,
        changes={change.value: counts.get(change.value, 0) for change in Change},
        kept=gone,
        problems=listing.problems,
    )


def compare(listing: Listing, known: pl.DataFrame, recipe: str) -> pl.DataFrame:
    """Say for every listed and every known item how it changed.

    Shape   known has the columns KNOWN; the result those of LISTED and `change`.
    Order   listed items in listing order, then removed ones; removed ones only if the listing is complete.
    """
    listed = pl.DataFrame(
        [(i.path, i.kind.value, i.token, i.content_hash, i.size_bytes) for i in listing.items],
        schema=LISTED,
        orient="row",
    )
    joined = listed.join(known, on="path_bytes", how="left", maintain_order="left")
    delta = joined.with_columns(_change(recipe).alias("change")).select(*LISTED.names(), "change")
    if not listing.is_complete:
        return delta
    removed = known.join(listed, on="path_bytes", how="anti").select(
        pl.col("path_bytes"),
        pl.lit("file").alias("item_kind"),
        pl.col("change_token").alias("token"),
        pl.lit(None, pl.String).alias("listed_hash"),
        pl.lit(None, pl.Int64).alias("listed_bytes"),
        pl.lit(Change.REMOVED.value).alias("change"),
    )
    return pl.concat([delta, removed])


def _change(recipe: str) -> pl.Expr:
    """The change of one joined row; the first rule that holds decides.

    A token that moved counts as changed unless the listing itself knows the hash and it is the same one;
    where only reading can tell, the chunks stage finds out.
    """
    same_hash = pl.col("listed_hash").eq_missing(pl.col("content_hash")) & pl.col("listed_hash").is_not_null()
    same = (pl.col("token") == pl.col("change_token")) | same_hash
    return (
        pl.when(pl.col("state").is_null())
        .then(pl.lit(Change.ADDED.value))
        .when(~same | (pl.col("state") == "pending"))
        .then(pl.lit(Change.CHANGED.value))
        .when(pl.col("recipe") != recipe)
        .then(pl.lit(Change.STALE.value))
        .when(pl.col("is_retry_due"))
        .then(pl.lit(Change.RETRY.value))
        .otherwise(pl.lit(Change.UNCHANGED.value))
    )


def _rows(delta: pl.DataFrame) -> Iterable[StagedRow]:
    for path, kind, token, listed_hash, listed_bytes, change in delta.iter_rows():
        yield StagedRow(path, printable_path(path), change, kind, token, listed_hash, listed_bytes)


__all__ = ["KNOWN", "LISTED", "DiffReport", "compare", "diff_source"]
