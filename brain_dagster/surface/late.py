"""The configured embedding model for a command that may never need it: importing it takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain_dagster.query.embedder import LateEmbedder
from brain_dagster.surface.context import brain_settings

if TYPE_CHECKING:
    from brain_dagster.embed import SpaceEmbedder
    from brain_dagster.store.pool import Database


def late_embedder(database: Database) -> LateEmbedder:
    """Return the configured model bound to this store; opened by the first question that needs a vector."""

    def open_configured() -> SpaceEmbedder:
        from brain_dagster import embed

        return embed.open_embedder(brain_settings(), database)

    return LateEmbedder(open_configured)
