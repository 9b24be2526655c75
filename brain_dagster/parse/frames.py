"""What parent and child say to each other: frames of a JSON header and a body of raw bytes.

The child has touched hostile input, so its words are data: JSON, never pickle, and checked on arrival.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from brain_dagster.store.clean import clean_text

PREFIX = struct.Struct(">II")
MAX_METADATA = 50  # names a file may say of itself
MAX_FRAME_BYTES = 400_000_000  # 20 MB of text in the shortest of lines stays well below


class BrokenFrame(Exception):
    """The other side sent something that is not a frame of this protocol."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: `kind` says which, `fields` holds the rest of the header."""

    kind: str
    fields: dict[str, Any]
    body: bytes = b""

    def encode(self) -> bytes:
        """Return the frame as it goes over the pipe."""
        header = json.dumps({"kind": self.kind, **self.fields}, ensure_ascii=True).encode()
        return PREFIX.pack(len(header), len(self.body)) + header + self.body

    def text(self, name: str, limit: int = 2_000) -> str:
        """Return a string field."""
        value = self.fields.get(name, "")
        if not isinstance(value, str):
            raise BrokenFrame(f"{name} is not a string")
        return clean_text(value[:limit])

    def number(self, name: str) -> int:
        """Return a field that counts something."""
        value = self.fields.get(name)
        if type(value) is not int or value < 0:
            raise BrokenFrame(f"{name} is not a count")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field that is a list of strings."""
        return strings(self.fields.get(name, []))

    def mapping(self, name: str) -> dict[str, str]:
        """Return a field that maps a few names to texts."""
        value = self.fields.get(name, {})
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise BrokenFrame(f"{name} does not map names to texts")
        kept = list(value.items())[:MAX_METADATA]
        return {clean_text(key[:100]): clean_text(text[:1_000]) for key, text in kept}

    def rows(self, name: str) -> list[Sequence[Any]]:
        """Return a field that is a list of lists."""
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
            raise BrokenFrame(f"{name} is not a table")
        return value


def strings(value: object) -> tuple[str, ...]:
    """Return a decoded JSON list as strings, or refuse it."""
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise BrokenFrame("expected a list of strings")
    return tuple(map(clean_text, value))


def lengths(prefix: bytes) -> tuple[int, int]:
    """Return how many bytes of header and body follow a prefix."""
    header, body = PREFIX.unpack(prefix)
    if header + body > MAX_FRAME_BYTES:
        raise BrokenFrame("a frame is larger than any result can be")
    return header, body


def decode(header: bytes, body: bytes) -> Frame:
    """Build a frame from what came over the pipe."""
    try:
        fields = json.loads(header)
        kind = fields.pop("kind")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise BrokenFrame("a frame has no readable header") from error
    if not isinstance(kind, str):
        raise BrokenFrame("a frame has no kind")
    return Frame(kind, fields, body)
