"""Parses and chunks files in child processes, so that no file can hang, crash or bloat the caller.

Every file has a clock. When it runs out, or the parser dies, a PDF keeps the pages that were finished
(fault G3), and a text is cut by lines here in the parent, so that it is still found by its words (E6).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from queue import LifoQueue

from brain_dagster.chunk.lines import chunk_lines
from brain_dagster.chunk.pages import PageChunk, chunk_page
from brain_dagster.chunk.tokens import counter_at
from brain_dagster.embed.weights import model_folder
from brain_dagster.errors import BrainError, Defect
from brain_dagster.model import ParsedDocument
from brain_dagster.parse.collect import PartCollector, text_document
from brain_dagster.parse.errors import REFUSALS, BrokenDocument, ParserDied, ParseTimedOut
from brain_dagster.parse.frames import BrokenFrame, Frame
from brain_dagster.parse.pictures import read_pictures
from brain_dagster.parse.process import ChildGone, ChildLate, ParserChild, child_command
from brain_dagster.settings import Settings
from brain_dagster.store.clean import clean_text
from brain_dagster.vision.configured import open_vision
from brain_dagster.vision.step import VisionStep

LOOK_AHEAD = 3  # requests read ahead per worker: enough to keep it busy, few enough to keep memory flat


@dataclass(frozen=True)
class ParseRequest:
    """One file to parse: `text` for what was decoded, `content` for a format with a reader of its own.

    Both are given for a format that is text itself, a notebook or a mail: where its reader can make nothing
    of it, the text is cut by lines.

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
    `vision` replaces the step that the settings name.

    Errors  VisionMisconfigured.
    """

    def __init__(
        self,
        settings: Settings,
        workers: int = 1,
        *,
        command: Sequence[str] | None = None,
        vision: VisionStep | None = None,
    ) -> None:
        self._settings = settings
        self._vision = vision or open_vision(settings)
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
        if self._vision is not None:
            self._vision.close()

    def parse(self, request: ParseRequest) -> ParsedDocument:
        """Parse and chunk one file.

        Errors  NeedsPassword, BrokenDocument, ParseTimedOut, ParserDied - this file, for good.
                ParserUnavailable - no child can be started, whatever the file.
        """
        child = self._idle.get()
        try:
            child.start()
            if not child.is_fresh:
                # A child that dies may have been killed from outside or worn out by the files before;
                # only a fresh one that dies, dies of this file.
                with suppress(ChildGone):
                    return self._attempt(child, request, is_last=False)
                child.start()
            return self._attempt(child, request, is_last=True)
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

    def _attempt(self, child: ParserChild, request: ParseRequest, *, is_last: bool) -> ParsedDocument:
        child.is_fresh = False
        parse = self._parse_text if request.content is None else self._parse_content
        return parse(child, request, is_last)

    def _parse_text(self, child: ParserChild, request: ParseRequest, is_last: bool) -> ParsedDocument:
        if request.text is None:
            raise Defect("a file was sent to the parser without text or content", subject=request.path)
        text = clean_text(request.text)
        content = text.encode()
        deadline = time.monotonic() + self._settings.parse_timeout_s
        try:
            child.send(_request_frame(request, content), deadline)
            answer = child.receive(deadline)
            if answer.kind == "text":
                return text_document(answer, content, len(text))
            why = _why_failed(child, answer, is_last)
        except ChildLate:
            child.kill()
            why = f"the parser did not finish within {self._settings.parse_timeout_s:g} s"
        except (ChildGone, BrokenFrame) as error:
            why = _how_it_died(child, error, is_last)
        return self._by_lines(text, request, why)

    def _by_lines(self, text: str, request: ParseRequest, why: str) -> ParsedDocument:
        """Whatever happened, the text itself is at hand, and cutting it by lines needs no parser."""
        warning = f"parsed partially: {why}; cut by lines"
        return chunk_lines(text, request.budget, counter=counter_at(self._folder), warnings=(warning,))

    def _parse_content(self, child: ParserChild, request: ParseRequest, is_last: bool) -> ParsedDocument:
        """Parse a format that has a reader of its own; if it is text as well, that is the way out."""
        try:
            return self._read_content(child, request, is_last)
        except (BrokenDocument, ParseTimedOut, ParserDied) as error:
            if request.text is None:
                raise
            return self._by_lines(clean_text(request.text), request, error.message)

    def _read_content(self, child: ParserChild, request: ParseRequest, is_last: bool) -> ParsedDocument:
        assert request.content is not None
        collector = PartCollector()
        timeout = self._settings.parse_timeout_s
        deadline = time.monotonic() + timeout
        failure: type[BrainError] = ParserDied
        try:
            child.send(_request_frame(request, request.content), deadline)
            end = _collect(child, collector, deadline, request.path, is_last)
            if isinstance(end, ParsedDocument):
                return end
            why = end
        except ChildLate:
            child.kill()
            why, failure = f"not finished within {timeout:g} s", ParseTimedOut
        except (ChildGone, BrokenFrame, UnicodeDecodeError) as error:
            why = _how_it_died(child, error, is_last)
        if collector.parts_done == 0 and collector.part_count != 0:
            raise failure(subject=request.path)
        if self._vision is not None and request.language == "pdf":
            read_pictures(collector, self._vision, request.content, self._page_chunker(request))
        return collector.document(why)

    def _page_chunker(self, request: ParseRequest) -> Callable[[str], list[PageChunk]]:
        """What cuts the text of a page here: it came from a picture, and is short whatever the file holds."""
        return lambda text: chunk_page(text, request.budget, counter_at(self._folder))


def _collect(
    child: ParserChild, collector: PartCollector, deadline: float, path: str, is_last: bool
) -> ParsedDocument | str:
    """Take frames until the last one; return the document, or why parts of it may be missing."""
    while True:
        frame = child.receive(deadline)
        if frame.kind == "opened":
            collector.opened(frame)
        elif frame.kind == "part":
            collector.part(frame)
        elif frame.kind == "text":
            if b"\0" in frame.body:
                raise BrokenFrame("a text holds what its parser should have replaced")
            return text_document(frame, frame.body, len(frame.body.decode()))
        elif frame.kind == "done":
            return frame.text("reason")
        elif frame.kind == "refused":
            refusal = REFUSALS.get(frame.text("error"), BrokenDocument)
            raise refusal(frame.text("message"), subject=path)
        else:
            return _why_failed(child, frame, is_last)


def _why_failed(child: ParserChild, frame: Frame, is_last: bool) -> str:
    """Return why a child gave up; one that is out of memory ends, and an old one gets no last word."""
    if frame.kind not in ("failed", "refused"):
        raise BrokenFrame(f"unknown frame {frame.kind!r}")
    if frame.fields.get("fatal"):
        child.kill(grace_s=1)
        if not is_last:
            raise ChildGone(frame.text("reason"))
    return frame.text("reason") or frame.text("message")


def _how_it_died(child: ParserChild, error: Exception, is_last: bool) -> str:
    how = child.kill(grace_s=1)
    if not is_last:
        raise ChildGone(how) from error
    return f"the parser ended with {how}"


def _request_frame(request: ParseRequest, body: bytes) -> Frame:
    fields = {"path": request.path, "language": request.language, "budget": request.budget}
    return Frame("parse", fields, body)


def _result(future: Future[ParsedDocument]) -> ParsedDocument | BrainError:
    try:
        return future.result()
    except BrainError as error:
        return error
