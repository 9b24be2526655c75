"""Binds the configured embedder to its space in the store, and refuses to mix spaces (B4, B5)."""

from __future__ import annotations

from brain_dagster.embed.base import Embedder, SpaceEmbedder
from brain_dagster.embed.sentence_transformer import SentenceTransformerEmbedder
from brain_dagster.errors import Refused
from brain_dagster.model import EmbeddingSpace, SpaceIdentity
from brain_dagster.settings import Settings
from brain_dagster.store import spaces
from brain_dagster.store.pool import Database


class OtherSpaceIsActive(Refused):
    """The store's vectors come from another embedding model than the configured one; nothing was changed."""


def open_embedder(settings: Settings, db: Database) -> SpaceEmbedder:
    """Return the configured embedder bound to the active space; loads no model yet.

    Raises  OtherSpaceIsActive - the store holds vectors of another model.
    """
    return bind_embedder(SentenceTransformerEmbedder(settings), db)


def bind_embedder(embedder: Embedder, db: Database) -> SpaceEmbedder:
    """Bind any embedder to the active space, which is created if the store has none."""
    space = spaces.active_space(db) or spaces.create_active_space(db, embedder.identity)
    if space.identity != embedder.identity:
        raise OtherSpaceIsActive(_difference(space, embedder.identity))
    return SpaceEmbedder(embedder, space)


def _difference(space: EmbeddingSpace, configured: SpaceIdentity) -> str:
    have, want = space.identity, configured
    return (
        f"the store's vectors come from {have.model} ({have.revision[:19]}, width {have.width}), but"
        f" {want.model} ({want.revision[:19]}, width {want.width}) is configured; set BRAIN_EMBED_MODEL"
        " and BRAIN_EMBED_FOLDER back, or use another database"
    )
