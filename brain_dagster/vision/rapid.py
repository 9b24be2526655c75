"""Reads pages with RapidOCR on this machine; runs only inside the vision step's child process.

The models are part of the package: nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain_dagster.parse.reading_order import Box, row_text, rows_in_reading_order
from brain_dagster.vision.base import PageImage, PageText
from brain_dagster.vision.levelling import Corners, levelled

if TYPE_CHECKING:
    import numpy as np

# The models that the package holds; another version may hold others, and reads otherwise.
RAPIDOCR_IDENTITY = "rapidocr/PP-OCRv6"
LINE_FLOOR = 0.5  # what the recogniser is less sure of is as often a smudge as a word
# A picture that lies on its side or on its head is read far worse than one that stands.
_WEAK = 0.8


@dataclass(frozen=True, slots=True)
class _Line:
    box: Box
    confidence: float


class RapidOcrReader:
    """Finds lines of text, reads each one, and puts them in reading order."""

    identity = RAPIDOCR_IDENTITY

    def __init__(self, threads: int) -> None:
        import cv2
        from rapidocr import RapidOCR

        cv2.setNumThreads(threads)
        self._engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.text_score": 0.0,
                # Its classifier of upside-down lines turned one level line of 60 on its head (2026-12-01);
                # whole pages are turned here, and lines are not.
                "Global.use_cls": False,
                # Lines are found as well on a picture of this size as on one of twice the pixels, in half the
                # time (12 pages of the OCR benchmark, 2026-12-01: 2.7 s instead of 4.9); they are read from
                # the large one.
                "Det.limit_type": "max",
                "Det.limit_side_len": 1280,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, image: PageImage) -> PageText:
        """Read a page, turned round if it makes more sense that way."""
        import numpy as np

        picture = np.frombuffer(image.pixels, np.uint8).reshape(image.height, image.width)
        best = self._lines(picture)
        if best and _mean(best) < _WEAK:
            best = max([best, *(self._lines(np.rot90(picture, turn)) for turn in _turns(best))], key=_worth)
        kept = [line for line in best if line.confidence >= LINE_FLOOR]
        rows = rows_in_reading_order([line.box for line in kept])
        return PageText("\n".join(map(row_text, rows)), _mean(best) if best else None)

    def _lines(self, picture: np.ndarray[Any, Any]) -> list[_Line]:
        """Return the lines of a picture, straightened if the whole of it is askew."""
        import numpy as np

        colours = np.repeat(np.ascontiguousarray(picture)[:, :, None], 3, axis=2)
        found: Any = self._engine(colours)  # of a type for each step that may be left out
        if not found.txts:
            return []
        boxes = [[(float(x), float(y)) for x, y in corners] for corners in found.boxes]
        level = levelled(boxes)
        return [
            _Line(_box(corners, text), float(score))
            for corners, text, score in zip(level, found.txts, found.scores, strict=True)
        ]


def _box(corners: Corners, text: str) -> Box:
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(across), min(down), max(across), max(down), text)


def _turns(lines: Sequence[_Line]) -> tuple[int, ...]:
    """Return the quarter turns that may put a page upright: by one if most lines stand, else by two."""
    standing = sum(line.box.height > 1.5 * (line.box.right - line.box.left) for line in lines)
    return (1, 3) if 2 * standing > len(lines) else (2,)


def _mean(lines: Sequence[_Line]) -> float:
    characters = sum(len(line.box.text) for line in lines)
    return sum(line.confidence * len(line.box.text) for line in lines) / max(1, characters)


def _worth(lines: Sequence[_Line]) -> float:
    """How many characters were read, as far as they are believed."""
    return sum(max(0.0, line.confidence - LINE_FLOOR) * len(line.box.text) for line in lines)
