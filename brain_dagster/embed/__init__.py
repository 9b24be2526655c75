"""Texts to vectors: embedders behind one interface, the space their vectors live in, the stage."""

from __future__ import annotations

from brain_dagster.embed.base import Embedder, SpaceEmbedder, SpaceIdentity
from brain_dagster.embed.bound import bind_embedder, open_embedder

__all__ = ["Embedder", "SpaceEmbedder", "SpaceIdentity", "bind_embedder", "open_embedder"]
