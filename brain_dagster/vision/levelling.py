"""Finds how far a page lay askew on the glass, and turns the places of its lines back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

_STEP = math.radians(0.1)
_STEPS = 25
_SAME_ROW = 0.2  # of a line's height

Corners = Sequence[tuple[float, float]]
"""Top left, top right, bottom right, bottom left."""


def levelled(boxes: Sequence[Corners]) -> list[Corners]:
    """Turn all boxes by the angle at which the page lies askew, so that rows are level."""
    slope = _slope(boxes)
    middles = [(sum(x for x, _ in box) / 4, sum(y for _, y in box) / 4) for box in boxes]
    height = median(math.hypot(a[0] - d[0], a[1] - d[1]) for a, _, _, d in boxes)
    # Edges of short boxes are a matter of single pixels: cells of a table tell more by standing in rows.
    nearby = [slope + step * _STEP for step in range(-_STEPS, _STEPS + 1)]
    angle = max(nearby, key=lambda turn: (_closeness(middles, turn, height), -abs(turn - slope)))
    cosine, sine = math.cos(-angle), math.sin(-angle)
    return [[(x * cosine - y * sine, x * sine + y * cosine) for x, y in corners] for corners in boxes]


def _slope(boxes: Sequence[Corners]) -> float:
    """Return the slope of the upper edges: their median, each weighed by its length."""
    edges = sorted(
        (math.atan2(b[1] - a[1], b[0] - a[0]), math.hypot(b[0] - a[0], b[1] - a[1])) for a, b, *_ in boxes
    )
    half = sum(length for _, length in edges) / 2
    for slope, length in edges:
        half -= length
        if half <= 0:
            return slope
    return 0.0


def _closeness(middles: Sequence[tuple[float, float]], angle: float, height: float) -> float:
    """Return how many boxes stand level with a neighbour if the page is turned by an angle."""
    levels = sorted(y * math.cos(angle) - x * math.sin(angle) for x, y in middles)
    return sum(max(0.0, 1 - (below - above) / (_SAME_ROW * height)) for above, below in pairwise(levels))
