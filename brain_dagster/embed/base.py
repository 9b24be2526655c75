"""What an embedder is, and what makes two vectors comparable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brain_dagster.model import EmbeddingSpace, SpaceIdentity

__all__ = ["Embedder", "EmbeddingSpace", "SpaceEmbedder", "SpaceIdentity", "Vectors"]

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors of one space. Nothing heavy is loaded before the first text comes."""

    @property
    def identity(self) -> SpaceIdentity:
        """What produced the vectors: weights, revision, width, prefixes, normalisation, length limit."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages. Shape (n, width), float32, row i for text i.

        The caller checks the values; see `embed.checks`.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed one question. Shape (width,), float32."""
        ...


@dataclass(frozen=True, slots=True)
class SpaceEmbedder:
    """An embedder together with the row of the store that names its space."""

    embedder: Embedder
    space: EmbeddingSpace

    def embed_query(self, text: str) -> Vectors:
        """Embed one question. Shape (width,), float32."""
        return self.embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages. Shape (n, width), float32, row i for text i."""
        return self.embedder.embed_passages(texts)
