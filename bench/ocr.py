"""Character error rate of the vision step on scanned pages whose text is known, and how long a page takes.

Every page goes the way it goes in a sync: a PDF that holds a picture, drawn by PDFium and read in the child
process. The reference is the other local reader, on the same pages in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from bench.scans import CONDITIONS, PROSE, Scan, scans
from brain_dagster.settings import Settings
from brain_dagster.vision.configured import open_vision, vision_identity
from brain_dagster.vision.tesseract import installed_tesseract

TARGET = 0.03


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a page; errors counts characters to insert, delete or replace."""

    scan: Scan
    errors: int
    length: int
    confidence: float
    seconds: float
    problem: str


def main() -> None:
    """Read all pages with every local reader there is, and print the rates per condition."""
    pages = scans()
    names = ["rapidocr", *(["tesseract"] if installed_tesseract()[0] else [])]
    if len(names) == 1:
        print("tesseract is not installed; apt-get install tesseract-ocr-deu tesseract-ocr-fra compares it")
    readings = {name: _read_all(name, pages) for name in names}
    print(f"\n{len(pages)} pages, {sum(len(_plain(page.truth)) for page in pages):,} characters")
    _table("condition", [condition.name for condition in CONDITIONS], readings, lambda scan: scan.condition)
    _table("kind", [*PROSE, "table"], readings, lambda scan: scan.kind)
    for name, read in readings.items():
        seconds = sorted(reading.seconds for reading in read)
        rate = _rate(read)
        verdict = "meets" if rate < TARGET else "misses"
        print(
            f"{name}: {100 * rate:.2f} % of all characters ({verdict} the aim of {100 * TARGET:.0f} %), "
            f"{median(seconds):.1f} s a page, the slowest {seconds[-1]:.1f} s"
        )


def _read_all(name: str, pages: Iterable[Scan]) -> list[Reading]:
    settings = Settings(vision=name, vision_timeout_s=300)  # type: ignore[arg-type]
    step = open_vision(settings)
    assert step is not None
    print(f"{name}: {vision_identity(settings)}", file=sys.stderr)
    readings = []
    try:
        step.read(next(iter(pages)).pdf, 1, [1])  # loads the models, which is not what a page costs
        for page in pages:
            begun = time.perf_counter()
            (seen,) = step.read(page.pdf, 1, [1])
            seconds = time.perf_counter() - begun
            truth, read = _plain(page.truth), _plain(seen.text)
            distance = edit_distance(truth, read)
            readings.append(Reading(page, distance, len(truth), seen.confidence or 0, seconds, seen.problem))
            if seen.problem or distance > TARGET * len(truth):
                where = f"{page.condition}, {page.kind}, {page.face}"
                print(f"  {where}: {distance} of {len(truth)} {seen.problem}", file=sys.stderr)
    finally:
        step.close()
    return readings


def _table(head: str, rows: list[str], readings: dict[str, list[Reading]], of: object) -> None:
    print(f"\n| {head} | " + " | ".join(f"{name} CER, confidence" for name in readings) + " |")
    print("|---|" + "---|" * len(readings))
    for row in rows:
        cells = []
        for read in readings.values():
            chosen = [reading for reading in read if of(reading.scan) == row]  # type: ignore[operator]
            confidence = sum(reading.confidence for reading in chosen) / len(chosen)
            cells.append(f"{100 * _rate(chosen):.2f} %, {confidence:.2f}")
        print(f"| {row} | " + " | ".join(cells) + " |")


def _rate(readings: list[Reading]) -> float:
    return sum(reading.errors for reading in readings) / sum(reading.length for reading in readings)


def _plain(text: str) -> str:
    """White space is layout, not text: any run of it counts as one space."""
    return " ".join(text.split())


def edit_distance(first: str, second: str) -> int:
    """Return the Levenshtein distance, a row of its table at a time.

    Source  Wagner, Fischer 1974; insertions run along a row, which a running minimum does at once.
    """
    codes = np.frombuffer(second.encode("utf-32-le"), np.uint32)
    steps = np.arange(len(second) + 1)
    row = steps.copy()
    for count, character in enumerate(first, 1):
        kept = row[:-1] + (codes != ord(character))
        row = np.concatenate(([count], np.minimum(row[1:] + 1, kept)))
        row = np.minimum.accumulate(row - steps) + steps
    return int(row[-1])
