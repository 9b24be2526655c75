"""The process in which parsers run: reads requests from its stdin, writes frames to its stdout.

Started as `python -m brain_dagster.parse.child TOKENIZER_FOLDER MEMORY_BYTES TIMEOUT_S`. It holds nothing
worth keeping: the parent kills it at the deadline and starts another. On its own it ends when the parent
is gone, when a file takes longer than the parent would wait, or when it uses more memory than it may.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.pages import chunk_page
from brain_dagster.chunk.tokens import TokenCounter, counter_at
from brain_dagster.errors import Refused
from brain_dagster.model import ParsedDocument
from brain_dagster.parse import pdf
from brain_dagster.parse.frames import PREFIX, Frame, decode, lengths

GRACE_S = 5  # the parent's clock comes first; this one is for children whose parent died


def main(arguments: list[str]) -> None:
    """Serve requests until stdin ends."""
    folder, memory_bytes, timeout_s = Path(arguments[0]), int(arguments[1]), float(arguments[2])
    requests, replies = _private_pipes()
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    counter = counter_at(folder)
    incoming: SimpleQueue[Frame] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, incoming), daemon=True).start()
    _reply(replies, Frame("ready", {}))
    while True:
        request = incoming.get()
        _arm(timeout_s + GRACE_S)
        for frame in answer(request, counter):
            _reply(replies, frame)
        _arm(0)


def answer(request: Frame, counter: TokenCounter) -> Iterator[Frame]:
    """Yield the frames that answer a request; the last one is `text`, `done`, `refused` or `failed`."""
    try:
        if request.text("language") == "pdf":
            yield from _answer_pdf(request.body, request.number("budget"), counter)
        else:
            text = request.body.decode()
            parsed = chunk_text(text, request.text("language"), request.number("budget"), counter=counter)
            yield _text_frame(parsed)
    except Refused as refusal:
        yield Frame("refused", {"error": type(refusal).__name__, "message": refusal.message})
    except MemoryError:
        yield Frame("failed", {"reason": "it needs more memory than a parser may use", "fatal": True})
    except Exception as error:  # noqa: BLE001 - whatever a parser raises, the parent decides what it means
        yield Frame("failed", {"reason": pdf.reason(error)})


def _text_frame(parsed: ParsedDocument) -> Frame:
    """Send spans only: the parent holds the text and cuts it itself."""
    rows = [
        [
            c.kind,
            c.symbol,
            c.enclosing,
            c.headings,
            c.start_byte,
            c.end_byte,
            c.start_line,
            c.end_line,
            c.tokens,
        ]
        for c in parsed.chunks
    ]
    fields = {
        "title": parsed.title,
        "outline": parsed.outline,
        "imports": parsed.imports,
        "warnings": parsed.warnings,
        "chunks": rows,
    }
    return Frame("text", fields)


def _answer_pdf(content: bytes, budget: int, counter: TokenCounter) -> Iterator[Frame]:
    document = pdf.PdfFile(content)
    opened = {"pages": document.page_count, "title": document.title, "outline": document.outline}
    yield Frame("opened", {**opened, "warnings": document.warnings})
    characters = 0
    for number in range(1, min(document.page_count, pdf.MAX_PAGES) + 1):
        page = document.page(number)
        characters += len(page.text)
        if characters > pdf.MAX_TEXT_CHARS:
            yield Frame("done", {"reason": f"more than {pdf.MAX_TEXT_CHARS:,} characters of text"})
            return
        yield _page_frame(page, budget, counter)
    yield Frame("done", {"reason": f"more than {pdf.MAX_PAGES:,} pages"})


def _page_frame(page: pdf.PdfPage, budget: int, counter: TokenCounter) -> Frame:
    fields = {
        "number": page.number,
        "label": page.label,
        "headings": page.headings,
        "chars": len(page.text),
        "is_blank": page.is_blank,
        "image_percent": round(100 * page.image_share),
        "problem": page.problem,
        "chunks": [
            [chunk.start, chunk.end, chunk.tokens] for chunk in chunk_page(page.text, budget, counter)
        ],
    }
    return Frame("page", fields, page.text.encode())


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol and leave /dev/null in their place for whoever prints."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _listen(requests: BinaryIO, incoming: SimpleQueue[Frame]) -> None:
    """Pass requests on; when the parent is gone, so is this process, whatever it is doing."""
    while prefix := requests.read(PREFIX.size):
        header, body = lengths(prefix)
        incoming.put(decode(requests.read(header), requests.read(body)))
    os._exit(0)


def _reply(replies: BinaryIO, frame: Frame) -> None:
    replies.write(frame.encode())
    replies.flush()
    if frame.fields.get("fatal"):
        os._exit(1)


def _arm(seconds: float) -> None:
    """End this process by SIGALRM or SIGXCPU after that long, even inside a parser written in C."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1 if seconds else resource.RLIM_INFINITY
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
