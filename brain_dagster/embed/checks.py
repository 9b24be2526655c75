"""Vectors are checked before they are stored; a bad one would look like an answer later (B2, B3, B4)."""

from __future__ import annotations

import numpy as np

from brain_dagster.embed.base import Vectors
from brain_dagster.errors import InvalidEmbedding


def check_shape(vectors: Vectors, count: int, width: int) -> Vectors:
    """Require exactly one vector of `width` numbers per input text.

    Shape   (count, width)
    Raises  InvalidEmbedding - fewer or more vectors than texts (B2), or another width (B4). Nothing of
            such a batch may be stored: which vector belongs to which text is unknown.
    """
    if vectors.ndim != 2 or vectors.shape[0] != count:
        raise InvalidEmbedding(f"the model returned {vectors.shape[0]} vectors for {count} texts")
    if vectors.shape[1] != width:
        raise InvalidEmbedding(f"the model returned vectors of width {vectors.shape[1]}, not {width}")
    return np.ascontiguousarray(vectors, dtype=np.float32)


def what_is_wrong(vector: Vectors) -> str | None:
    """Say why this vector cannot be stored, or None if it can (B3)."""
    if not np.isfinite(vector).all():
        return "the vector holds NaN or infinity"
    if not float(np.linalg.norm(vector)) > 0.0:
        return "the vector is zero, so its direction is undefined"
    return None
