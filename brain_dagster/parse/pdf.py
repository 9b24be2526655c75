"""Reads a PDF page by page with pypdf; runs only inside the parser's child process.

Fault G: every limit here is a second line behind the process's own clock and memory cap.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from brain_dagster.parse.errors import BrokenDocument, NeedsPassword
from brain_dagster.store.clean import clean_text

T = TypeVar("T")
Trails = dict[int, tuple[str, ...]]

MAX_PAGES = 5_000
MAX_TEXT_CHARS = 20_000_000
MAX_OUTLINE = 2_000
SPARSE_CHARS = 100  # a page with less text is looked at for images and drawings
_PAINT = re.compile(rb"(?<![\w/])(?:f\*?|F|B\*?|b\*?|S|s|sh|Do|BI|Tj|TJ)(?![\w*])")
_PAINTING = frozenset(
    (b"f", b"f*", b"F", b"B", b"B*", b"b", b"b*", b"S", b"s", b"sh", b"Do", b"INLINE IMAGE")
)
_SHOWING_TEXT = frozenset((b"Tj", b"TJ", b"'", b'"'))


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page: its text, or why there is none.

    is_blank     nothing is on the page at all
    image_share  how much of the page one image covers, 0 to 1; only looked at where text is sparse
    problem      why the page could not be read, or ``
    """

    number: int
    label: str
    text: str
    headings: tuple[str, ...]
    is_blank: bool
    image_share: float
    problem: str


class PdfFile:
    """An opened PDF; pages are read one at a time so that finished ones survive whatever comes next."""

    def __init__(self, content: bytes) -> None:
        """Open a PDF.

        Errors  NeedsPassword - only the user password opens it. BrokenDocument - with pypdf's reason.
        """
        heard = _Listener()
        with heard:
            self._reader, self._pages = _open(content)
        self.warnings = [f"recovered a damaged file: {message}" for message in heard.messages]
        self.page_count = len(self._pages)
        self._note_page_count()
        self._labels: list[str] = _or_default(lambda: list(self._reader.page_labels), [])
        self._trails: Trails = _or_default(lambda: _outline_trails(self._reader), {})
        self.title = _or_default(lambda: clean_text(str(self._reader.metadata.title or "")), "")  # type: ignore[union-attr]

    @property
    def outline(self) -> tuple[str, ...]:
        """Titles of the outermost bookmarks, in order."""
        return tuple(dict.fromkeys(trail[0] for _, trail in sorted(self._trails.items()) if trail))[:100]

    def page(self, number: int) -> PdfPage:
        """Read a page; `number` counts from 1. A page that cannot be read says so in `problem`."""
        page = self._pages[number - 1]
        problem = ""
        try:
            text = clean_text(page.extract_text())
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - pypdf raises nearly everything on hostile pages (G2)
            text, problem = "", reason(error)
        is_blank, share = False, 0.0
        if not problem and len(text.strip()) < SPARSE_CHARS:
            is_blank, share = _look_at(page)
            is_blank = is_blank and not text.strip()
        return PdfPage(number, self._label(number), text, self._trail(number), is_blank, share, problem)

    def _label(self, number: int) -> str:
        label = self._labels[number - 1] if number <= len(self._labels) else str(number)
        return clean_text(label)[:40]

    def _trail(self, number: int) -> tuple[str, ...]:
        """Return the trail of the last bookmark at or before a page."""
        while number > 0 and number not in self._trails:
            number -= 1
        return self._trails.get(number, ())

    def _note_page_count(self) -> None:
        """Compare the declared count with the pages that exist; only the pages are believed (G6)."""
        declared = _or_default(lambda: int(self._reader.root_object["/Pages"]["/Count"]), self.page_count)  # type: ignore[index]
        if declared != self.page_count:
            self.warnings.append(f"the file declares {declared} pages, {self.page_count} were found")


def _open(content: bytes) -> tuple[PdfReader, list[PageObject]]:
    try:
        reader = PdfReader(BytesIO(content))
        needs_password = reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED
        pages = [] if needs_password else _pages(reader)
    except MemoryError:
        raise
    except (FileNotDecryptedError, DependencyError) as error:
        raise NeedsPassword() from error
    except Exception as error:
        # pypdf lets AttributeError, KeyError, RecursionError and others out on damaged input (G2).
        looks_like_pdf = not content or b"%PDF-" in content[:1024]
        why = reason(error) if looks_like_pdf else "it does not begin as a PDF does"
        raise BrokenDocument(f"The PDF cannot be read: {why}") from error
    if needs_password:
        raise NeedsPassword()
    if not pages:
        raise BrokenDocument("The PDF has no pages")
    return reader, pages


def _pages(reader: PdfReader) -> list[PageObject]:
    """Return the pages of the tree; never `len(reader.pages)`, which believes an encrypted file's /Count."""
    with suppress(IndexError):
        reader.get_page(0)
    return reader.flattened_pages or []


def _look_at(page: PageObject) -> tuple[bool, float]:
    """Return whether nothing is painted on a page, and the largest share of it that one image covers."""
    painted = False
    largest = 0.0
    area = _or_default(lambda: float(page.mediabox.width) * float(page.mediabox.height), 0.0)

    def visit(operator: bytes, operands: Any, matrix: Any, _text_matrix: Any) -> None:
        nonlocal painted, largest
        painted = painted or operator in _PAINTING or operator in _SHOWING_TEXT
        if operator in (b"Do", b"INLINE IMAGE") and area > 0:
            covered = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])
            largest = max(largest, min(1.0, covered / area))

    try:
        page.extract_text(visitor_operand_before=visit)
        contents = page.get_contents()
        painted = painted or (contents is not None and _PAINT.search(contents.get_data()) is not None)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a page that cannot be looked at is not called blank
        painted = True
    return not painted, largest


def _outline_trails(reader: PdfReader) -> Trails:
    """Map page numbers to the trail of the last bookmark that points to them.

    A nested list holds the children of the bookmark before it. Explicit stack, counted entries (E6).
    """
    trails: Trails = {}
    trail: tuple[str, ...] = ()
    stack: list[Iterator[Any]] = [iter(reader.outline)]
    for _ in range(MAX_OUTLINE):
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            if not stack:
                break
        elif isinstance(entry, list):
            stack.append(iter(entry))
        else:
            title = " ".join(clean_text(str(entry.title)).split())[:200]
            trail = (*trail[: len(stack) - 1], title)
            number = reader.get_destination_page_number(entry)
            if number is not None and number >= 0:
                trails[number + 1] = trail
    return trails


def reason(error: BaseException) -> str:
    """Return a parser's complaint as one short line."""
    text = " ".join(str(error).split())[:200]
    return text if isinstance(error, PyPdfError) and text else f"{type(error).__name__} {text}".strip()


def _or_default(read: Callable[[], T], default: T) -> T:
    """Read something that a damaged file may lack."""
    try:
        return read()
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - decoration, not content: labels, bookmarks and titles may be broken
        return default


class _Listener(logging.Handler):
    """Collects what pypdf has to say while it opens a file; at most three distinct remarks."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message unless there are enough."""
        message = " ".join(record.getMessage().split())[:200]
        if len(self.messages) < 3 and message not in self.messages:
            self.messages.append(message)

    def __enter__(self) -> _Listener:
        logging.getLogger("pypdf").addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("pypdf").removeHandler(self)
