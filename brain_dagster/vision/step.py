"""Reads pages of a PDF from their pictures, whatever the file does to the process that draws them.

Drawing and reading happen in a child process with a memory limit of its own. Each page has a clock; when it
runs out, or the child dies, that page is given up and a new child goes on with the next (faults G3, G5).
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from brain_dagster.errors import BrainError, Refused
from brain_dagster.parse.errors import ParserUnavailable
from brain_dagster.parse.frames import BrokenFrame, Frame
from brain_dagster.parse.process import ChildGone, ChildLate, ParserChild
from brain_dagster.settings import Settings
from brain_dagster.store.clean import clean_text
from brain_dagster.vision.base import (
    MAX_PAGE_CHARS,
    PageImage,
    PageNotRead,
    PageReader,
    PageSeen,
    PageText,
    ReaderBusy,
)

MAX_THREADS = 4  # more bring next to nothing on the small networks that read lines
# A document that costs this many pages their clock or their process is not worth another hour.
MAX_LOSSES = 5


class VisionStep:
    """One child process that draws pages, started by the first page that needs it; for several threads.

    reader       reads the pictures in this process; None: the child reads them itself
    unavailable  why no page can be read, if none can
    command      replaces the child's program in tests; reader and limits are appended to it
    """

    def __init__(
        self,
        settings: Settings,
        identity: str,
        reader: PageReader | None = None,
        *,
        unavailable: BrainError | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self.identity = identity
        self._reader = reader
        self._timeout_s = settings.vision_timeout_s
        self._max_pages = settings.vision_pages
        threads = settings.vision_threads or min(MAX_THREADS, os.cpu_count() or 1)
        limits = [str(settings.vision_memory_bytes), str(self._timeout_s), str(threads)]
        name = settings.vision if reader is None else "picture"
        program = command or [sys.executable, "-P", "-m", "brain_dagster.vision.child"]
        self._child = ParserChild([*program, name, *limits, settings.vision_languages or ""])
        self._turn = threading.Lock()
        self._unavailable = unavailable

    def close(self) -> None:
        """End the child."""
        self._child.kill()

    def read(self, content: bytes, page_count: int, numbers: Sequence[int]) -> list[PageSeen]:
        """Read pages of one PDF; one result for each number, in their order.

        Errors  none of the pages' own: what was not read says so in its `problem`.
        """
        with self._turn:
            return list(self._read(_Sitting(content, page_count), numbers))

    def _read(self, sitting: _Sitting, numbers: Sequence[int]) -> Iterator[PageSeen]:
        losses: list[PageSeen] = []
        for position, number in enumerate(numbers):
            if position >= self._max_pages:
                yield PageSeen(number, problem=f"only {self._max_pages} pages of a document are read so")
            elif len(losses) >= MAX_LOSSES:
                problem = f"given up after {MAX_LOSSES} pages that could not be read"
                yield PageSeen(number, problem=problem, error=losses[-1].error)
            else:
                seen, is_loss = self._read_page(sitting, number)
                losses += [seen] * is_loss
                yield seen

    def _read_page(self, sitting: _Sitting, number: int) -> tuple[PageSeen, bool]:
        """Return what became of a page, and whether that cost its clock, its process or a reader's time."""
        try:
            text = self._text(self._picture_or_text(sitting, number))
        except Refused as error:
            return PageSeen(number, problem=error.message), False
        except BrainError as error:
            return PageSeen(number, problem=error.message, error=error), True
        except ChildLate:
            self._child.kill()
            return PageSeen(number, problem=f"not finished within {self._timeout_s:g} s"), True
        except (ChildGone, BrokenFrame) as error:
            how = self._child.kill(grace_s=1)
            problem = str(error) if isinstance(error, _OutOfMemory) else f"its reader ended with {how}"
            return PageSeen(number, problem=problem), True
        return PageSeen(number, clean_text(text.text[:MAX_PAGE_CHARS]).strip(), text.confidence), False

    def _picture_or_text(self, sitting: _Sitting, number: int) -> Frame:
        """Ask the child for a page; an old child that dies of it gets no last word (as in ParserPool)."""
        self._start()
        if not self._child.is_fresh:
            with suppress(ChildGone, BrokenFrame):
                return self._ask(sitting, number)
            self._child.kill()
            self._start()
        return self._ask(sitting, number)

    def _start(self) -> None:
        if self._unavailable is not None:
            raise self._unavailable
        try:
            self._child.start()
        except ParserUnavailable as error:
            self._unavailable = ReaderBusy(
                "the process that reads pages does not start; see BRAIN_VISION and BRAIN_VISION_MEMORY_BYTES",
                retry_after_s=error.retry_after_s,
            )
            raise self._unavailable from error

    def _ask(self, sitting: _Sitting, number: int) -> Frame:
        if self._child.is_fresh or sitting.is_new:
            self._open(sitting)
        deadline = time.monotonic() + self._timeout_s
        self._child.send(Frame("look", {"number": number}), deadline)
        return _checked(self._child.receive(deadline))

    def _open(self, sitting: _Sitting) -> None:
        if sitting.refusal is not None:
            raise sitting.refusal
        deadline = time.monotonic() + self._timeout_s
        self._child.is_fresh = sitting.is_new = False
        self._child.send(Frame("open", {"pages": sitting.page_count}, sitting.content), deadline)
        try:
            _checked(self._child.receive(deadline))
        except Refused as error:
            sitting.refusal, sitting.is_new = error, True
            raise

    def _text(self, frame: Frame) -> PageText:
        if frame.kind == "picture":
            width, height = frame.number("width"), frame.number("height")
            if self._reader is None or width * height != len(frame.body) or not frame.body:
                raise BrokenFrame("a picture is not of its size")
            return self._reader.read(PageImage(width, height, frame.body))
        if frame.kind != "seen":
            raise BrokenFrame(f"unknown frame {frame.kind!r}")
        permille = frame.fields.get("permille")
        confidence = None if permille is None else min(1.0, frame.number("permille") / 1_000)
        try:
            return PageText(frame.body.decode(), confidence)
        except UnicodeDecodeError as error:
            raise BrokenFrame("a page is not text") from error


class _Sitting:
    """A PDF on its way through the child.

    is_new   the running child has not been given it yet
    refusal  why no page of it can be drawn
    """

    def __init__(self, content: bytes, page_count: int) -> None:
        self.content = content
        self.page_count = page_count
        self.is_new = True
        self.refusal: Refused | None = None


class _OutOfMemory(ChildGone):
    """The child may not have the memory that a page needs."""


def _checked(frame: Frame) -> Frame:
    if frame.kind != "failed":
        return frame
    if frame.fields.get("fatal"):
        raise _OutOfMemory(frame.text("reason", 200))
    raise PageNotRead(frame.text("reason", 200))
