"""Embedding spaces in the store."""

from __future__ import annotations

from typing import Any

from brain_dagster.model import EmbeddingSpace, SpaceIdentity
from brain_dagster.store.pool import Database
from brain_dagster.store.queries import sql


def active_space(db: Database) -> EmbeddingSpace | None:
    """Return the space that queries compare in, or None in a store without vectors."""
    row = db.one(sql("spaces.get_active"))
    return _space(row) if row else None


def create_active_space(db: Database, identity: SpaceIdentity) -> EmbeddingSpace:
    """Make `identity` the active space of a store that has none; safe to race."""
    parameters = {
        "model": identity.model,
        "revision": identity.revision,
        "width": identity.width,
        "query_prefix": identity.query_prefix,
        "passage_prefix": identity.passage_prefix,
        "is_normalised": identity.is_normalised,
        "max_tokens": identity.max_tokens,
    }
    db.run(sql("spaces.create_active"), parameters)
    row = db.one(sql("spaces.get_active"))
    assert row is not None, "spaces.create_active promises an active space"
    return _space(row)


def _space(row: tuple[Any, ...]) -> EmbeddingSpace:
    return EmbeddingSpace(row[0], SpaceIdentity(*row[1:]))
