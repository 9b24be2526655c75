"""Parses and chunks files in child processes, so that no file can hang, crash or bloat the caller.

Every file has a clock. When it runs out, or the parser dies, a PDF keeps the pages that were finished
(fault G3), and a text is cut by lines here in the parent, so that it is still found by its words (E6).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from queue import LifoQueue

from brain_dagster.chunk.lines import chunk_lines
from brain_dagster.chunk.tokens import counter_at
from brain_dagster.embed.weights import model_folder
from brain_dagster.errors import BrainError, Defect
from brain_dagster.model import ParsedDocument
from brain_dagster.parse.collect import PdfCollector, text_document
from brain_dagster.parse.errors import REFUSALS, BrokenDocument, ParserDied, ParseTimedOut
from brain_dagster.parse.frames import BrokenFrame, Frame
from brain_dagster.parse.process import ChildGone, ChildLate, ParserChild, child_command
from brain_dagster.settings import Settings
from brain_dagster.store.clean import clean_text

LOOK_AHEAD = 3  # requests read ahead per worker: enough to keep it busy, few enough to keep memory flat


@dataclass(frozen=True)
class ParseRequest:
    """One file to parse: `text` for everything that was decoded, `content` for a PDF.

    budget  tokens of the embedding model that one chunk may hold
    """

    path: str
    language: str
    text: str | None
    content: bytes | None
    budget: int


class ParserPool:
    """Child processes that parse; they start with the first request and are replaced when they die.

    `command` replaces the child's program in tests; the pool appends folder, memory and timeout to it.
    """

    def __init__(self, settings: Settings, workers: int = 1, *, command: Sequence[str] | None = None) -> None:
        self._settings = settings
        self._folder = model_folder(settings)
        limits = [str(settings.parse_memory_bytes), str(settings.parse_timeout_s)]
        full_command = [*(command or child_command()), str(self._folder), *limits]
        self._workers = max(1, workers)
        self._all = [ParserChild(full_command) for _ in range(self._workers)]
        self._idle: LifoQueue[ParserChild] = LifoQueue()
        for child in self._all:
            self._idle.put(child)

    def __enter__(self) -> ParserPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all children."""
        for child in self._all:
            child.kill()

    def parse(self, request: ParseRequest) -> ParsedDocument:
        """Parse and chunk one file.

        Errors  NeedsPassword, BrokenDocument, ParseTimedOut, ParserDied - this file, for good.
                ParserUnavailable - no child can be started, whatever the file.
        """
        child = self._idle.get()
        try:
            child.start()
            if request.language == "pdf":
                return self._parse_pdf(child, request)
            return self._parse_text(child, request)
        finally:
            self._idle.put(child)

    def parse_many(self, requests: Iterable[ParseRequest]) -> Iterator[ParsedDocument | BrainError]:
        """Parse files in parallel; results come in the order of the requests, errors in their place.

        Requests are taken from the iterable in the caller's thread and only a few ahead of the results.
        """
        pending: deque[Future[ParsedDocument]] = deque()
        source = iter(requests)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="parse") as threads:
            try:
                while True:
                    room = LOOK_AHEAD * self._workers - len(pending)
                    pending.extend(threads.submit(self.parse, request) for request in islice(source, room))
                    if not pending:
                        return
                    yield _result(pending.popleft())
            finally:
                for future in pending:
                    future.cancel()

    def _parse_text(self, child: ParserChild, request: ParseRequest) -> ParsedDocument:
        if request.text is None:
            raise Defect("a text file was sent to the parser without its text", subject=request.path)
        text = clean_text(request.text)
        content = text.encode()
        deadline = time.monotonic() + self._settings.parse_timeout_s
        try:
            child.send(_request_frame(request, content), deadline)
            answer = child.receive(deadline)
            if answer.kind == "text":
                return text_document(answer, content, len(text))
            why = answer.text("reason") or answer.text("message") or "the parser failed"
        except ChildLate:
            child.kill()
            why = f"the parser did not finish within {self._settings.parse_timeout_s:g} s"
        except (ChildGone, BrokenFrame):
            why = f"the parser ended with {child.kill(grace_s=1)}"
        # Whatever happened, the text itself is at hand, and cutting it by lines needs no parser.
        warning = f"parsed partially: {why}; cut by lines"
        return chunk_lines(text, request.budget, counter=counter_at(self._folder), warnings=(warning,))

    def _parse_pdf(self, child: ParserChild, request: ParseRequest) -> ParsedDocument:
        if request.content is None:
            raise Defect("a PDF was sent to the parser without its bytes", subject=request.path)
        collector = PdfCollector()
        timeout = self._settings.parse_timeout_s
        deadline = time.monotonic() + timeout
        try:
            child.send(_request_frame(request, request.content), deadline)
            why = _collect(child, collector, deadline, request.path)
            failure: type[BrainError] = BrokenDocument
        except ChildLate:
            child.kill()
            why, failure = f"not finished within {timeout:g} s", ParseTimedOut
        except (ChildGone, BrokenFrame, UnicodeDecodeError):
            why, failure = f"the parser ended with {child.kill(grace_s=1)}", ParserDied
        if collector.pages_done == 0:
            raise failure(
                f"The PDF cannot be read: {why}" if failure is BrokenDocument else "", subject=request.path
            )
        return collector.document(why)


def _collect(child: ParserChild, collector: PdfCollector, deadline: float, path: str) -> str:
    """Take frames until the last one; return why pages may be missing."""
    while True:
        frame = child.receive(deadline)
        if frame.kind == "opened":
            collector.opened(frame)
        elif frame.kind == "page":
            collector.page(frame)
        elif frame.kind == "refused":
            refusal = REFUSALS.get(frame.text("error"), BrokenDocument)
            raise refusal(frame.text("message"), subject=path)
        elif frame.kind in ("done", "failed"):
            return frame.text("reason")
        else:
            raise BrokenFrame(f"unknown frame {frame.kind!r}")


def _request_frame(request: ParseRequest, body: bytes) -> Frame:
    return Frame("parse", {"language": request.language, "budget": request.budget}, body)


def _result(future: Future[ParsedDocument]) -> ParsedDocument | BrainError:
    try:
        return future.result()
    except BrainError as error:
        return error
