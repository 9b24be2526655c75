"""Parquet for analysts: evaluations and chunks, streamed, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from brain_dagster.errors import Refused
from brain_dagster.store.cursors import stream
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 5_000  # about 5 MB of chunk text

# Name and type of each column, in the order of the query.
EVAL_COLUMNS = (
    ("eval_run", "int64"),
    ("goldset", "string"),
    ("goldset_hash", "string"),
    ("principal", "string"),
    ("space", "string"),
    ("recipe", "string"),
    ("code_version", "string"),
    ("verdict", "string"),
    ("is_accepted", "bool"),
    ("started_at", "time"),
    ("finished_at", "time"),
    ("case_id", "string"),
    ("mode", "string"),
    ("query", "string"),
    ("expect", "string"),
    ("source", "string"),
    ("measurable", "bool"),
    ("why_not", "string"),
    ("rank", "int32"),
)
CHUNK_COLUMNS = (
    ("collection", "string"),
    ("source", "string"),
    ("path", "string"),
    ("revision", "string"),
    ("indexed_at", "time"),
    ("media_type", "string"),
    ("language", "string"),
    ("ordinal", "int32"),
    ("kind", "string"),
    ("symbol", "string"),
    ("start_line", "int32"),
    ("end_line", "int32"),
    ("page", "int32"),
    ("tokens", "int32"),
    ("text", "string"),
    ("context", "string"),
    ("context_kind", "string"),
    ("context_model", "string"),
)


class FileUnwritable(Refused):
    """The file cannot be written; choose another place."""


def export_evaluations(db: Database, file: Path) -> int:
    """Write every evaluated case, one row per case and mode; return the number of rows.

    Errors  FileUnwritable.
    """
    return _write(file, EVAL_COLUMNS, stream(db, sql("exports.eval_cases"), {}, BATCH_ROWS))


def export_chunks(db: Database, file: Path, *, collection_ids: Sequence[int]) -> int:
    """Write the searchable chunks of these collections; return the number of rows.

    collection_ids  what the principal may read, resolved by the one rule of access; none writes no rows
    Errors          FileUnwritable.
    """
    parameters = {"collection_ids": list(collection_ids)}
    return _write(file, CHUNK_COLUMNS, stream(db, sql("exports.chunks"), parameters, BATCH_ROWS))


def _write(file: Path, columns: Sequence[tuple[str, str]], batches: Iterable[list[tuple[Any, ...]]]) -> int:
    """Write beside the file and move it into place, so that a killed export leaves no half a file."""
    import pyarrow.parquet as pq

    schema = _schema(columns)
    try:
        with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as target:
            part = Path(target.name)
    except OSError as error:
        raise FileUnwritable(f"the file cannot be written: {error.strerror}", subject=str(file)) from error
    rows = 0
    try:
        with pq.ParquetWriter(part, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(_record_batch(batch, schema))
                rows += len(batch)
        _open_to_others(part)
        part.replace(file)
    except OSError as error:
        raise FileUnwritable(f"the file cannot be written: {error.strerror}", subject=str(file)) from error
    finally:
        part.unlink(missing_ok=True)
    return rows


def _open_to_others(part: Path) -> None:
    """Give the file the mode that plain writing would have given it; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    part.chmod(0o666 & ~mask)


def _schema(columns: Sequence[tuple[str, str]]) -> pa.Schema:
    import pyarrow as pa

    types = {
        "int32": pa.int32(),
        "int64": pa.int64(),
        "string": pa.string(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns])


def _record_batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
