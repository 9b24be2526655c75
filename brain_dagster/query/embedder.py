"""The question's way into an embedding space; whatever goes wrong on it leaves the lexical half answering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from brain_dagster.errors import BrainError, InvalidEmbedding
from brain_dagster.model import EmbeddingSpace
from brain_dagster.store.dense import QueryVector


class QueryEmbedder(Protocol):
    """What a search needs of an embedder."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors belong to."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question. Shape (width,), float32."""
        ...


class LateEmbedder:
    """Opens the real embedder when the first question needs a vector, if one ever does."""

    def __init__(self, open_embedder: Callable[[], QueryEmbedder]) -> None:
        self._open = open_embedder
        self._embedder: QueryEmbedder | None = None

    def _opened(self) -> QueryEmbedder:
        if self._embedder is None:
            self._embedder = self._open()
        return self._embedder

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the real embedder. Errors: whatever opening it raises."""
        return self._opened().space

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question. Shape (width,), float32."""
        return self._opened().embed_query(text)


@dataclass(frozen=True, slots=True)
class NoVector:
    """Why the dense half cannot take part."""

    reason: str


def embed_question(embedder: QueryEmbedder | None, text: str) -> QueryVector | NoVector:
    """Embed a question, or say why that was not possible (I11)."""
    if embedder is None:
        return NoVector("no embedding model is configured")
    try:
        space = embedder.space
        values = np.asarray(embedder.embed_query(text), dtype=np.float32)
        _check(values, space.identity.width)
    except BrainError as error:
        return NoVector(str(error))
    return QueryVector(space.id, values)


def _check(values: NDArray[np.float32], width: int) -> None:
    if values.shape != (width,):
        raise InvalidEmbedding(f"the question's vector has shape {values.shape}, not ({width},)")
    if not np.isfinite(values).all() or not values.any():
        raise InvalidEmbedding("the question's vector is zero or not finite")
