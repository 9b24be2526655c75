"""Questions longer than the model reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from brain_dagster.embed.base import Vectors
from brain_dagster.embed.question import MOST_WINDOWS, embed_long_question

AXES = {"north": (1.0, 0.0), "east": (0.0, 1.0)}


def windows(text: str) -> list[str]:
    """One word is all this model reads."""
    return text.split()


class Model:
    """Points where the word it reads points, and remembers what it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.read.extend(texts)
        return np.array([AXES[text] for text in texts], dtype=np.float32)


def test_a_short_question_is_embedded_as_it_is() -> None:
    model = Model()
    assert embed_long_question("north", windows=windows, embed=model.embed).tolist() == [1.0, 0.0]
    assert model.read == ["north"]


def test_b6_every_window_of_a_long_question_counts() -> None:
    model = Model()
    vector = embed_long_question("north east", windows=windows, embed=model.embed)
    assert vector.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert model.read == ["north", "east"]


def test_the_first_line_counts_once_more_than_the_mean_of_all() -> None:
    model = Model()
    vector = embed_long_question("north\neast", windows=windows, embed=model.embed)
    # mean of the two windows (1/2, 1/2), plus the first line (1, 0), at unit length
    assert vector.tolist() == pytest.approx([1.5 / 2.5**0.5, 0.5 / 2.5**0.5])
    assert vector.dtype == np.float32


def test_a_question_of_many_windows_is_bounded() -> None:
    model = Model()
    embed_long_question("north " * 1_000, windows=windows, embed=model.embed)
    assert len(model.read) == MOST_WINDOWS
