"""Reads pages with the command `tesseract`; runs only inside the vision step's child process."""

from __future__ import annotations

import ctypes
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from brain_dagster.parse.reading_order import Box, row_text, rows_in_reading_order
from brain_dagster.vision.base import DPI, PageImage, PageNotRead, PageText, ReaderUnavailable
from brain_dagster.vision.levelling import Corners, levelled

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_COLUMNS = 12  # of its table: level, page, block, paragraph, line, word, four of the box, confidence, text
_NOT_LANGUAGES = frozenset(("osd", "equ", "snum"))


@dataclass(frozen=True, slots=True)
class _Word:
    """line says where it belongs: page, block, paragraph, line."""

    line: tuple[str, ...]
    box: Box
    confidence: float


class TesseractReader:
    """Starts the command for each page; its layout analysis finds the lines.

    languages  as it names them, with `+` between them; `` for all that are installed
    """

    def __init__(self, languages: str, timeout_s: float) -> None:
        """Errors: ReaderUnavailable - the command is not installed."""
        version, installed = installed_tesseract()
        if not version:
            raise ReaderUnavailable("BRAIN_VISION=tesseract, but the command tesseract is not installed")
        self._languages = languages or "+".join(installed)
        self._timeout_s = timeout_s
        self.identity = tesseract_identity(languages)

    def read(self, image: PageImage) -> PageText:
        """Read a page; confidence is the mean of its words, weighed by their length."""
        command = ["tesseract", "stdin", "stdout", "--dpi", str(DPI), "--psm", "3", "tsv"]
        if self._languages:
            command[3:3] = ["-l", self._languages]
        try:
            done = subprocess.run(
                command,
                input=image.png(),
                capture_output=True,
                timeout=self._timeout_s,
                check=False,
                preexec_fn=_end_with_parent,
            )
        except subprocess.TimeoutExpired as error:
            raise PageNotRead(f"tesseract did not finish within {self._timeout_s:g} s") from error
        if done.returncode:
            raise PageNotRead(f"tesseract ended with exit code {done.returncode}")
        return _page_text(list(_words(done.stdout.decode("utf-8", "replace"))))


@lru_cache(maxsize=1)
def installed_tesseract() -> tuple[str, tuple[str, ...]]:
    """Return version and languages of the installed command; empty if there is none."""
    if shutil.which("tesseract") is None:
        return "", ()
    version = re.search(r"tesseract v?([\d.]+)", _answer("--version"))
    lines = _answer("--list-langs").splitlines()[1:]
    languages = [line.strip() for line in lines if line.strip() not in _NOT_LANGUAGES]
    return (version[1] if version else "unknown"), tuple(sorted(filter(None, languages)))


def tesseract_identity(languages: str) -> str:
    """Name version and languages: with other ones the same page reads otherwise."""
    version, installed = installed_tesseract()
    return f"tesseract/{version}:{languages or '+'.join(installed)}" if version else "tesseract/absent"


def _answer(option: str) -> str:
    try:
        done = subprocess.run(["tesseract", option], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def _end_with_parent() -> None:
    """Let the command end with the process that started it, which may be killed at its deadline."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _words(table: str) -> Iterator[_Word]:
    for row in table.splitlines()[1:]:
        cells = row.split("\t", _COLUMNS - 1)
        if len(cells) == _COLUMNS and cells[0] == "5" and cells[11].strip():
            left, top, width, height = (float(cell) for cell in cells[6:10])
            box = Box(left, top, left + width, top + height, cells[11].strip())
            yield _Word(tuple(cells[1:5]), box, max(0.0, float(cells[10])) / 100)


def _page_text(words: Sequence[_Word]) -> PageText:
    """Put the lines that were found into reading order; tesseract itself reads a table by its columns."""
    if not words:
        return PageText("")
    lines = [_line([word.box for word in group]) for _, group in groupby(words, key=lambda word: word.line)]
    corners = levelled([_corners(line) for line in lines])
    boxes = [
        Box(corner[0][0], corner[0][1], corner[2][0], corner[2][1], line.text)
        for corner, line in zip(corners, lines, strict=True)
    ]
    characters = sum(len(word.box.text) for word in words)
    confidence = sum(word.confidence * len(word.box.text) for word in words) / characters
    return PageText("\n".join(map(row_text, rows_in_reading_order(boxes))), confidence)


def _line(words: Sequence[Box]) -> Box:
    return Box(
        min(box.left for box in words),
        min(box.top for box in words),
        max(box.right for box in words),
        max(box.bottom for box in words),
        " ".join(box.text for box in words),
    )


def _corners(box: Box) -> Corners:
    return [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]
