"""The process in which parsers run: reads requests from its stdin, writes frames to its stdout.

Started as `python -m brain_dagster.parse.child TOKENIZER_FOLDER MEMORY_BYTES TIMEOUT_S`. It holds nothing
worth keeping: the parent kills it at the deadline and starts another. On its own it ends when the parent
is gone, when a file takes longer than the parent would wait, or when it uses more memory than it may.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.pages import Page, PageChunk, chunk_page
from brain_dagster.chunk.tokens import TokenCounter, counter_at
from brain_dagster.errors import Refused
from brain_dagster.model import ParsedDocument
from brain_dagster.parse import extracted
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Extractor, FlowText, Part, PartedText
from brain_dagster.parse.formats import extractor
from brain_dagster.parse.frames import Frame
from brain_dagster.parse.serving import GRACE_S, arm, limit_memory, listen, private_pipes, reply
from brain_dagster.store.clean import clean_text

if TYPE_CHECKING:
    from brain_dagster.parse.pdf import PdfPage


def main(arguments: list[str]) -> None:
    """Serve requests until stdin ends."""
    folder, memory_bytes, timeout_s = Path(arguments[0]), int(arguments[1]), float(arguments[2])
    requests, replies = private_pipes()
    limit_memory(memory_bytes)
    counter = counter_at(folder)
    incoming: SimpleQueue[Frame] = SimpleQueue()
    threading.Thread(target=listen, args=(requests, incoming), daemon=True).start()
    reply(replies, Frame("ready", {}))
    while True:
        request = incoming.get()
        arm(timeout_s + GRACE_S)
        for frame in answer(request, counter):
            reply(replies, frame)
        arm(0)


def answer(request: Frame, counter: TokenCounter) -> Iterator[Frame]:
    """Yield the frames that answer a request; the last one is `text`, `done`, `refused` or `failed`."""
    language, budget = request.text("language"), request.number("budget")
    try:
        extract = extractor(language)
        if language == "pdf":
            yield from _answer_pdf(request.body, budget, counter)
        elif extract is not None:
            found = _extracted(extract, request.body, budget, counter)
            yield from _answer_extracted(found, budget, counter)
        else:
            from brain_dagster.codemap.reach import with_reach  # with the readers of every framework

            text = request.body.decode()
            parsed = chunk_text(text, language, budget, counter=counter)
            yield _text_frame(with_reach(parsed, request.text("path"), language, text))
    except Refused as refusal:
        yield Frame("refused", {"error": type(refusal).__name__, "message": refusal.message})
    except MemoryError:
        yield Frame("failed", {"reason": "it needs more memory than a parser may use", "fatal": True})
    except Exception as error:  # noqa: BLE001 - whatever a parser raises, the parent decides what it means
        from brain_dagster.parse.pdf import reason

        yield Frame("failed", {"reason": reason(error)})


def _text_frame(parsed: ParsedDocument, body: bytes = b"") -> Frame:
    """Send spans only where the parent holds the text and cuts it itself; `body` is a text it does not."""
    rows = [
        [
            c.kind,
            c.symbol,
            c.enclosing,
            c.headings,
            c.reached_by,
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
        "metadata": dict(parsed.metadata),
        "chunks": rows,
    }
    return Frame("text", fields, body)


def _extracted(
    extract: Extractor, content: bytes, budget: int, counter: TokenCounter
) -> FlowText | PartedText:
    """Open a file with its reader; whatever a library raises on damaged input means the same here (G2)."""
    try:
        return extract(content, budget, counter)
    except (Refused, MemoryError):
        raise
    except Exception as error:
        from brain_dagster.parse.pdf import reason

        raise BrokenDocument(f"The file cannot be read: {reason(error)}") from error


def _answer_extracted(found: FlowText | PartedText, budget: int, counter: TokenCounter) -> Iterator[Frame]:
    """Send the extracted text with its spans, or the parts one by one."""
    if isinstance(found, FlowText):
        text = clean_text(found.text[: extracted.MAX_TEXT_CHARS])
        if len(found.text) > len(text):
            cut = f"parsed partially: more than {extracted.MAX_TEXT_CHARS:,} characters of text"
            found = replace(found, warnings=(*found.warnings, cut))
        parsed = chunk_text(text, found.language, budget, counter=counter)
        yield _text_frame(
            replace(
                parsed,
                title=found.title or parsed.title,
                warnings=(*found.warnings, *parsed.warnings),
                metadata={**parsed.metadata, **found.metadata},
            ),
            text.encode(),
        )
        return
    opened = {"parts": found.part_count, "title": found.title, "outline": found.outline}
    said = {"part": found.kind, "warnings": found.warnings, "metadata": dict(found.metadata)}
    yield Frame("opened", {**opened, **said})
    characters = 0
    for part in found.parts:
        characters += len(part.text)
        if characters > extracted.MAX_TEXT_CHARS:
            yield Frame("done", {"reason": f"more than {extracted.MAX_TEXT_CHARS:,} characters of text"})
            return
        yield _part_frame(part, budget, counter)
    yield Frame("done", {"reason": "the file ended before them"})


def _part_frame(part: Part, budget: int, counter: TokenCounter) -> Frame:
    text = clean_text(part.text)
    chunks = part.chunks if part.chunks is not None else chunk_page(text, budget, counter)
    fields = _part_fields(part.page, text, chunks)
    said = {"problem": part.problem, "warnings": part.warnings}
    place = {"last": part.page.last, "has_more": part.has_more}
    return Frame("part", {**fields, **said, **place}, text.encode())


def _part_fields(page: Page, text: str, chunks: Sequence[PageChunk]) -> dict[str, Any]:
    return {
        "part": page.kind,
        "number": page.number,
        "label": page.label,
        "headings": page.headings,
        "chars": len(text),
        "picture": "",
        "chunks": [[c.start, c.end, c.tokens, c.label, c.symbol, c.enclosing, c.headings] for c in chunks],
    }


def _answer_pdf(content: bytes, budget: int, counter: TokenCounter) -> Iterator[Frame]:
    from brain_dagster.parse import pdf  # with pypdf, a third of what starting takes

    document = pdf.PdfFile(content)
    opened = {"parts": document.page_count, "title": document.title, "outline": document.outline}
    yield Frame("opened", {**opened, "warnings": document.warnings})
    characters = 0
    for number in range(1, min(document.page_count, pdf.MAX_PAGES) + 1):
        page = document.page(number)
        characters += len(page.text)
        if characters > extracted.MAX_TEXT_CHARS:
            yield Frame("done", {"reason": f"more than {extracted.MAX_TEXT_CHARS:,} characters of text"})
            return
        yield _page_frame(page, budget, counter)
    yield Frame("done", {"reason": f"more than {pdf.MAX_PAGES:,} pages"})


def _page_frame(page: PdfPage, budget: int, counter: TokenCounter) -> Frame:
    place = Page(page.number, "page", page.label)
    fields = {
        **_part_fields(place, page.text, chunk_page(page.text, budget, counter, page.sections)),
        "picture": page.picture,
        "problem": page.problem,
    }
    return Frame("part", fields, page.text.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
