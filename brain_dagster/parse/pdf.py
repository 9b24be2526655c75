"""Reads a PDF page by page with pypdf; runs only inside the parser's child process.

Fault G: every limit here is a second line behind the process's own clock and memory cap.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate
from typing import Any, TypeVar

from pypdf import PageObject, PasswordType, PdfReader, PdfWriter
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, PyPdfError

from brain_dagster.parse.bidi import as_typed
from brain_dagster.parse.errors import BrokenDocument, NeedsPassword
from brain_dagster.parse.pdf_headings import HeadingFinder, Section, Trail, bookmarked_sections
from brain_dagster.parse.pdf_lines import LineReader, PageLines
from brain_dagster.store.clean import clean_text

T = TypeVar("T")
Trails = dict[int, list[Trail]]
"""Page numbers, and the trails of the bookmarks that point to each, in their order."""

MAX_PAGES = 5_000
MAX_OUTLINE = 2_000
SPARSE_CHARS = 100  # a page with less text is looked at for images and drawings
SCANNED_SHARE = 0.7  # an image that covers this much of a page with hardly any text is probably a scan
MIN_SIGNS = 8
_GLYPH_NAME = re.compile(r"\(cid:\d{1,6}\)|/(?:g|G|C|c|cid|glyph|uni|index)\d{1,5}\b")
_PAINT = re.compile(rb"(?<![\w/])(?:f\*?|F|B\*?|b\*?|S|s|sh|Do|BI|Tj|TJ)(?![\w*])")
_PAINTING = frozenset(
    (b"f", b"f*", b"F", b"B", b"B*", b"b", b"b*", b"S", b"s", b"sh", b"Do", b"INLINE IMAGE")
)
_SHOWING_TEXT = frozenset((b"Tj", b"TJ", b"'", b'"'))


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page: its text, or why there is none.

    sections  byte offsets of lines that are headings, each with the trail from there on; the first is 0
    picture   why only its picture says what is on it: `no text` | `line of text` | `no sense`, or ``
    problem   why the page could not be read, or ``
    """

    number: int
    label: str
    text: str
    sections: tuple[tuple[int, Trail], ...]
    picture: str
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
        self._lines = LineReader(content, self.page_count)
        self._headings = HeadingFinder()
        self.title = _or_default(lambda: clean_text(str(self._reader.metadata.title or "")), "")  # type: ignore[union-attr]

    @property
    def outline(self) -> tuple[str, ...]:
        """Titles of the outermost bookmarks, in order."""
        trails = (trail for _, trails in sorted(self._trails.items()) for trail in trails)
        return tuple(dict.fromkeys(trail[0] for trail in trails if trail))[:100]

    def page(self, number: int) -> PdfPage:
        """Read a page; `number` counts from 1. A page that cannot be read says so in `problem`.

        Headings are found in the order of the pages: ask for each page once, from the first on.
        """
        page = self._pages[number - 1]
        found, problem, picture = None, "", ""
        try:
            found = self._page_lines(page, number)
            text = found.text if found is not None and found.lines else page.extract_text()
            text = clean_text(as_typed(text))
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - pypdf raises nearly everything on hostile pages (G2)
            text, problem = "", reason(error)
        if not problem and is_garbage(text):
            text, picture = "", "no sense"
        elif not problem and len(text.strip()) < SPARSE_CHARS:
            picture = _sparse(page, text)
        lines = text.split("\n")
        sections = _offsets(lines, self._sections(number, lines, found if text else None))
        return PdfPage(number, self._label(number), text, sections, picture, problem)

    def _page_lines(self, page: PageObject, number: int) -> PageLines | None:
        """Return the lines of a page once pypdf has unpacked it within its limits: PDFium has none (G5)."""
        try:
            contents = page.get_contents()
            if contents is not None:
                contents.get_data()
        except LimitReachedError:
            raise
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - what pypdf cannot make out, PDFium may
            return self._lines.lines(number)
        return self._lines.lines(number)

    def _sections(self, number: int, lines: Sequence[str], found: PageLines | None) -> list[Section]:
        """Return the sections of a page by its bookmarks, or by its type if the document has none."""
        if self._trails:
            before = self._trail_before(number)
            return bookmarked_sections(lines, before, self._trails.get(number, ()))
        if found is None or len(lines) != len(found.lines):
            return [Section(0, self._headings.trail)]
        return self._headings.sections(found)

    def alone(self, number: int) -> bytes:
        """Return a PDF that holds one page of this one and nothing else; `number` counts from 1."""
        writer = PdfWriter()
        writer.add_page(self._pages[number - 1])
        target = BytesIO()
        writer.write(target)
        return target.getvalue()

    def _label(self, number: int) -> str:
        label = self._labels[number - 1] if number <= len(self._labels) else str(number)
        return clean_text(label)[:40]

    def _trail_before(self, number: int) -> Trail:
        """Return the trail of the last bookmark before a page."""
        while number > 1:
            number -= 1
            if number in self._trails:
                return self._trails[number][-1]
        return ()

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


def _offsets(lines: Sequence[str], sections: Sequence[Section]) -> tuple[tuple[int, Trail], ...]:
    """Turn numbers of lines into offsets of bytes."""
    starts = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
    return tuple((starts[section.line], section.trail) for section in sections)


def _pages(reader: PdfReader) -> list[PageObject]:
    """Return the pages of the tree; never `len(reader.pages)`, which believes an encrypted file's /Count."""
    with suppress(IndexError):
        reader.get_page(0)
    return reader.flattened_pages or []


def is_garbage(text: str) -> bool:
    """Say whether a text layer holds signs that mean nothing: codes of glyphs in place of characters (G4).

    A few of them are bullets and logos; where they are a third of what is there, the words are gone too.
    """
    named = sum(len(match[0]) for match in _GLYPH_NAME.finditer(text))
    signs = sum(not character.isspace() for character in text)
    unmapped = sum(_is_unmapped(character) for character in text)
    return signs >= MIN_SIGNS and 3 * (named + unmapped) > signs


def _is_unmapped(character: str) -> bool:
    return character == "\ufffd" or (
        unicodedata.category(character) in ("Co", "Cn", "Cc") and character not in "\t\n\r\f"
    )


def _sparse(page: PageObject, text: str) -> str:
    """Say whether the picture of a page with hardly any text says more; a blank page has none (G4)."""
    is_blank, share = _look_at(page)
    if not text.strip():
        return "" if is_blank else "no text"
    return "line of text" if share >= SCANNED_SHARE else ""


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
    """Map page numbers to the trails of the bookmarks that point to them.

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
                trails.setdefault(number + 1, []).append(trail)
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
