"""Draws pages of PDFs with PDFium; runs only inside the vision step's child process."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import pypdfium2 as pdfium
from pypdfium2 import raw

from brain_dagster.vision.base import DPI, PageImage, PageNotRead

if TYPE_CHECKING:
    from brain_dagster.parse.pdf import PdfFile

POINTS_PER_INCH = 72
# A4 at 200 dpi has 3.9 million. A page may claim to be 200 inches wide; what is drawn of it must not (G5).
MAX_PIXELS = 9_000_000
MAX_SIDE = 6_000
MAX_PICTURES = 200
SAMPLES = 100_000
WHITE = b"\xff"
NOT_UNPACKED = "its picture cannot be unpacked"
LARGE_SHARE = 0.2  # of the page: smaller pictures are logos


class PageRenderer:
    """An opened PDF whose pages can be drawn."""

    def __init__(self, content: bytes, page_count: int) -> None:
        """Open a PDF.

        page_count  how many pages the parser found; where PDFium counts others, each page is taken out of
                    the file by the parser, so that both mean the same one (G6)
        Errors      PageNotRead - PDFium cannot open it. Those of PdfFile.
        """
        self._parser: PdfFile | None = None
        try:
            self._document: pdfium.PdfDocument | None = pdfium.PdfDocument(content)
        except pdfium.PdfiumError:
            self._document = None
        if self._document is None or len(self._document) != page_count:
            from brain_dagster.parse.pdf import PdfFile

            self._parser = PdfFile(content)

    def picture(self, number: int) -> PageImage:
        """Draw a page as a reader would hold it; `number` counts from 1.

        Errors  PageNotRead - it cannot be drawn.
        """
        try:
            if self._parser is None and self._document is not None:
                return _draw(self._document, number - 1)
            assert self._parser is not None
            with pdfium.PdfDocument(self._parser.alone(number)) as single:
                return _draw(single, 0)
        except pdfium.PdfiumError as error:
            raise PageNotRead("it cannot be drawn") from error


def _draw(document: pdfium.PdfDocument, index: int) -> PageImage:
    page = document[index]
    try:
        width, height = page.get_size()
        bitmap = page.render(scale=_scale(width, height), grayscale=True)
        try:
            rows = memoryview(bitmap.buffer).cast("B")
            pixels = b"".join(
                rows[row * bitmap.stride : row * bitmap.stride + bitmap.width] for row in range(bitmap.height)
            )
            image = PageImage(bitmap.width, bitmap.height, pixels)
        finally:
            bitmap.close()
        _check_pictures(page, width * height, is_white=image.pixels.count(WHITE) == len(image.pixels))
        return image
    finally:
        page.close()


def _check_pictures(page: pdfium.PdfPage, area: float, *, is_white: bool) -> None:
    """Refuse a page whose picture PDFium could not unpack: it leaves white paper and says nothing (G5)."""
    pictures = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])
    for picture in islice(pictures, MAX_PICTURES):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) < LARGE_SHARE * area:
            continue
        try:
            unpacked = memoryview(picture.get_bitmap().buffer).cast("B")
        except (pdfium.PdfiumError, MemoryError, RuntimeError) as error:
            raise PageNotRead(NOT_UNPACKED) from error
        if is_white and bytes(unpacked[:: max(1, len(unpacked) // SAMPLES)]).strip(WHITE):
            raise PageNotRead(NOT_UNPACKED)


def _scale(width: float, height: float) -> float:
    """Return how many pixels a point gets, within what may be drawn at all."""
    if width <= 0 or height <= 0:
        raise PageNotRead("it has no size")
    pixels = math.sqrt(MAX_PIXELS / (width * height))
    return min(DPI / POINTS_PER_INCH, pixels, MAX_SIDE / max(width, height))
