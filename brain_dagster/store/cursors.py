"""Large results, batch by batch: memory stays flat, and no transaction stays open while a model works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, LiteralString

from brain_dagster.store.pool import Database


def stream(
    db: Database, query: LiteralString, parameters: dict[str, Any], batch: int
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of `query` in lists of up to `batch`, in its order, as of the moment of the call.

    The cursor is held beyond its transaction: the server keeps the result, the table's dead rows can
    still be vacuumed, and the caller may write and commit between batches.
    """
    connection = db.direct()
    try:
        with connection.cursor("brain_stream", withhold=True) as cursor:
            cursor.execute(query, parameters)
            while rows := cursor.fetchmany(batch):
                yield rows
    finally:
        connection.close()
