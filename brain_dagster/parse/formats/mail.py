"""Reads one mail message (.eml); messages attached to it are read with it."""

from __future__ import annotations

from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.extracted import PartedText
from brain_dagster.parse.formats.mail_headers import header, people, sent_at
from brain_dagster.parse.formats.message import message_page, message_part, parsed_message, subject_of
from brain_dagster.parse.formats.pieces import read_each


def extract(content: bytes, budget: int, counter: TokenCounter) -> PartedText:
    """Open a message: one part, `message 1`.

    Errors  BrokenDocument - its parts are nested more deeply than anyone nests them.
    """
    message = parsed_message(content)
    date = sent_at(message)
    said = {
        "from": people(message, "from"),
        "to": people(message, "to"),
        "date": f"{date:%Y-%m-%d %H:%M}" if date else "",
        "message-id": header(message, "message-id"),
    }
    return PartedText(
        kind="message",
        part_count=1,
        parts=read_each([message_page(message, 1)], lambda *_: [message_part(message, 1, budget, counter)]),
        title=subject_of(message),
        metadata={name: value[:1_000] for name, value in said.items() if value},
    )
