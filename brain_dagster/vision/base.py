"""What reads the picture of a page, and what it makes of it."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Protocol

from brain_dagster.errors import BrainError, Refused, Transient

DPI = 200
MAX_PAGE_CHARS = 100_000  # the densest printed page has a tenth of it; whoever answers more made it up


class VisionMisconfigured(Refused):
    """The settings of the vision step do not fit together; see BRAIN_VISION in docs/pdf.md."""


class ReaderUnavailable(Refused):
    """What BRAIN_VISION names is not on this machine; install it, or choose another reader."""


class PageNotRead(Refused):
    """The reader could make nothing of the picture of this page.

    The message is the reason in a few words. It never holds text of the page, of an answer, or a key (I12).
    """


class ReaderBusy(Transient):
    """The reader did not answer as it should; the page may be read later."""


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as it looks, in shades of grey.

    pixels  one byte each, 0 is black; `width * height` of them, row by row from the top left
    """

    width: int
    height: int
    pixels: bytes

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 0, 0, 0, 0)
        rows = (self.pixels[at : at + self.width] for at in range(0, len(self.pixels), self.width))
        packed = zlib.compress(b"".join(b"\0" + row for row in rows), 3)
        chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(name, body) for name, body in chunks)


@dataclass(frozen=True, slots=True)
class PageText:
    """What a reader saw on a page.

    text        lines in reading order; `` if there is nothing to read on it
    confidence  0 to 1, the reader's own estimate; None if it makes none
    """

    text: str
    confidence: float | None = None


class PageReader(Protocol):
    """Turns the picture of a page into text."""

    @property
    def identity(self) -> str:
        """What reads, as it goes into recipes: `rapidocr/PP-OCRv6`. Another identity may read otherwise."""
        ...

    def read(self, image: PageImage) -> PageText:
        """Read one page.

        Errors  PageNotRead - this picture, for good. ReaderBusy - perhaps later.
        """
        ...


@dataclass(frozen=True, slots=True)
class PageSeen:
    """What became of one page that was to be read from its picture.

    problem  why it was not read, or ``
    error    the error behind the problem, if trying again later may help
    """

    number: int
    text: str = ""
    confidence: float | None = None
    problem: str = ""
    error: BrainError | None = None


def _png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
