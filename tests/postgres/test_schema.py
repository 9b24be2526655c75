"""The schema itself."""

from __future__ import annotations

import psycopg
import pytest

from brain_dagster.store.pool import Database


def test_ready_document_without_text_cannot_be_stored(db: Database) -> None:
    with db.transaction() as connection:
        collection = connection.execute(
            "INSERT INTO brain.collection (name, owner) VALUES ('c', 'ann') RETURNING id"
        ).fetchone()
        assert collection is not None
        source = connection.execute(
            "INSERT INTO brain.source (key, collection_id, kind, location, added_by)"
            " VALUES ('s', %s, 'folder', '/x', 'ann') RETURNING id",
            collection,
        ).fetchone()
        assert source is not None
    with pytest.raises(psycopg.errors.CheckViolation):
        db.run(
            "INSERT INTO brain.document (source_id, collection_id, path_bytes, path, content_hash,"
            " change_token, state, recipe, generation, revision)"
            " VALUES (%s, %s, 'a', 'a', 'h', 't', 'ready', 'r', 1, 'rev')",
            (source[0], collection[0]),
        )
