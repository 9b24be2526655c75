"""Reads a mailbox (mbox): a part per message, parsed one at a time."""

from __future__ import annotations

import re
from itertools import pairwise

from brain_dagster.chunk.pages import Page
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Part, PartedText
from brain_dagster.parse.formats.message import message_part, parsed_message
from brain_dagster.parse.formats.pieces import read_each

# A line that says `From`, a sender and a time, at the beginning or after an empty line, begins a message.
_FROM_LINE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{0,300}\b\d{4}\b[^\r\n]{0,40}\r?\n")
_GUARDED = re.compile(rb"^>(>*From )", re.MULTILINE)


def extract(content: bytes, budget: int, counter: TokenCounter) -> PartedText:
    """Open a mailbox.

    Errors  BrokenDocument - no line of it begins a message.
    """
    found = list(_FROM_LINE.finditer(content))
    if not found:
        raise BrokenDocument("The mailbox cannot be read: no line of it begins a message")
    starts = [match.start() for match in found]
    bodies = [match.end() for match in found]
    spans = [(body, end) for body, (_, end) in zip(bodies, pairwise([*starts, len(content)]), strict=True)]

    def read(position: int, page: Page) -> list[Part]:
        start, end = spans[position]
        message = parsed_message(_GUARDED.sub(rb"\1", content[start:end]))
        return [message_part(message, page.number, budget, counter)]

    pages = [Page(number, "message", f"message {number}") for number in range(1, len(spans) + 1)]
    return PartedText("message", len(spans), read_each(pages, read))
