"""The embedding model as a Dagster resource; one per process, loaded when the first text needs it."""

from __future__ import annotations

from functools import lru_cache

import dagster as dg

from brain_dagster.embed import SpaceEmbedder, bind_embedder
from brain_dagster.embed.base import Embedder
from brain_dagster.embed.sentence_transformer import SentenceTransformerEmbedder
from brain_dagster.settings import Settings, settings
from brain_dagster.store.pool import Database


class EmbedderResource(dg.ConfigurableResource):
    """The configured embedding model (BRAIN_EMBED_MODEL)."""

    def open(self, db: Database) -> SpaceEmbedder:
        """Bind the model to the active space of the store.

        Raises  OtherSpaceIsActive - the store holds vectors of another model.
        """
        return bind_embedder(of_process(settings()), db)


@lru_cache(maxsize=1)
def of_process(configured: Settings) -> Embedder:
    """Runs that share a process share the weights: loading them takes 8 to 10 s."""
    return SentenceTransformerEmbedder(configured)
