"""The process in which pages are drawn and read: takes a PDF, then page numbers, and answers each.

Started as `python -m brain_dagster.vision.child READER MEMORY_BYTES TIMEOUT_S THREADS LANGUAGES`, with
`rapidocr`, `tesseract`, or `picture` as the reader: pictures are handed to the parent, which has a reader.
It holds nothing worth keeping: the parent kills it at the deadline of a page and starts another.
"""

from __future__ import annotations

import sys
import threading
from queue import SimpleQueue

from brain_dagster.errors import BrainError
from brain_dagster.parse.frames import Frame
from brain_dagster.parse.serving import GRACE_S, arm, limit_memory, listen, private_pipes, reply
from brain_dagster.vision.base import MAX_PAGE_CHARS, PageReader
from brain_dagster.vision.render import PageRenderer

NO_MEMORY = "it needs more memory than the vision step may use"


def main(arguments: list[str]) -> None:
    """Serve requests until stdin ends."""
    name, memory_bytes, timeout_s = arguments[0], int(arguments[1]), float(arguments[2])
    requests, replies = private_pipes()
    limit_memory(memory_bytes)
    incoming: SimpleQueue[Frame] = SimpleQueue()
    threading.Thread(target=listen, args=(requests, incoming), daemon=True).start()
    try:
        reader = open_reader(name, timeout_s, int(arguments[3]), arguments[4])
    except BrainError as error:
        reply(replies, Frame("failed", {"reason": error.message, "fatal": True}))
    reply(replies, Frame("ready", {}))
    desk = Desk(reader)
    while True:
        request = incoming.get()
        arm(timeout_s + GRACE_S)
        reply(replies, desk.answer(request))
        arm(0)


def open_reader(name: str, timeout_s: float, threads: int, languages: str) -> PageReader | None:
    """Return the reader that works here; None leaves the reading to the parent."""
    if name == "rapidocr":
        from brain_dagster.vision.rapid import RapidOcrReader

        return RapidOcrReader(threads)
    if name == "tesseract":
        from brain_dagster.vision.tesseract import TesseractReader

        return TesseractReader(languages, timeout_s)
    return None


class Desk:
    """Answers one request at a time about the PDF that lies on it."""

    def __init__(self, reader: PageReader | None) -> None:
        self._reader = reader
        self._renderer: PageRenderer | None = None

    def answer(self, request: Frame) -> Frame:
        """Return `opened`, `seen`, `picture`, or `failed` with its reason."""
        try:
            if request.kind == "open":
                self._renderer = None  # the one before goes first: two large files need not fit at once
                self._renderer = PageRenderer(request.body, request.number("pages"))
                return Frame("opened", {})
            return self._look(request.number("number"))
        except BrainError as error:
            return Frame("failed", {"reason": error.message})
        except MemoryError:
            return Frame("failed", {"reason": NO_MEMORY, "fatal": True})
        except Exception as error:  # noqa: BLE001 - whatever a library raises, the page is what is not read
            if "alloc" in str(error).lower():
                return Frame("failed", {"reason": NO_MEMORY, "fatal": True})
            return Frame("failed", {"reason": type(error).__name__})

    def _look(self, number: int) -> Frame:
        assert self._renderer is not None
        image = self._renderer.picture(number)
        if self._reader is None:
            return Frame("picture", {"width": image.width, "height": image.height}, image.pixels)
        seen = self._reader.read(image)
        confidence = None if seen.confidence is None else round(1_000 * seen.confidence)
        return Frame("seen", {"permille": confidence}, seen.text[:MAX_PAGE_CHARS].encode())


if __name__ == "__main__":
    main(sys.argv[1:])
