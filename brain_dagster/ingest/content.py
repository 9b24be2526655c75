"""What a file is, once its bytes are here: which type, which encoding, which language."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from brain_dagster.chunk.languages import language_of
from brain_dagster.ingest.binary import BinaryContent
from brain_dagster.ingest.decode import decode
from brain_dagster.ingest.formats import MEDIA_TYPES, binary_format, text_format
from brain_dagster.ingest.generated import judge_text
from brain_dagster.ingest.rules import Skip, judge_bytes
from brain_dagster.model import ReadItem
from brain_dagster.parse.formats import EXTRACTED_LANGUAGES

_PDF_MARK = b"%PDF-"
_MEDIA_TYPES = {
    "css": "text/css",
    "csv": "text/csv",
    "html": "text/html",
    "javascript": "text/javascript",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "log": "text/plain",
    "markdown": "text/markdown",
    "rst": "text/x-rst",
    "srt": "application/x-subrip",
    "text": "text/plain",
    "toml": "application/toml",
    "tsv": "text/tab-separated-values",
    "vtt": "text/vtt",
    "xml": "application/xml",
    "yaml": "application/yaml",
}
_FIRST_LINE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Content:
    """A file that can be parsed: its text, its bytes where the format has a reader of its own, or both."""

    media_type: str
    language: str
    encoding: str = ""
    text: str | None = None
    raw: bytes | None = None
    warnings: tuple[str, ...] = ()

    def describe(self, facts: ReadItem) -> ReadItem:
        """Return the facts with what is known of the content added."""
        return replace(
            facts,
            media_type=self.media_type,
            language=self.language,
            encoding=self.encoding,
            warnings=facts.warnings + self.warnings,
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that a rule leaves out, with what was known of it by then."""

    skip: Skip
    content: Content | None = None

    def describe(self, facts: ReadItem) -> ReadItem:
        """Return the facts with what is known of the content added."""
        return self.content.describe(facts) if self.content is not None else facts


def open_content(path: bytes, raw: bytes) -> Content | Skipped:
    """Decide by content what a file is; its name only decides where content cannot.

    Errors  NeedsPassword - an office document that is encrypted.
    """
    skip = judge_bytes(path, raw)
    if skip is not None:
        return Skipped(skip)
    if is_pdf(path, raw):
        return Content("application/pdf", "pdf", raw=raw)
    office = binary_format(path, raw)
    if isinstance(office, Skip):
        return Skipped(office)
    if office is not None:
        return Content(MEDIA_TYPES[office], office, raw=raw)
    try:
        decoded = decode(raw)
    except BinaryContent as error:
        return Skipped(Skip("binary", error.message))
    head = decoded.text[:_FIRST_LINE_CHARACTERS].splitlines()
    language = text_format(path, decoded.text, language_of(os.fsdecode(path), head[0] if head else ""))
    content = Content(
        _media_type(language),
        language,
        decoded.encoding,
        decoded.text,
        raw=raw if language in EXTRACTED_LANGUAGES else None,
        warnings=decoded.warnings,
    )
    skip = judge_text(decoded.text, language)
    return Skipped(skip, replace(content, text=None, raw=None)) if skip is not None else content


def _media_type(language: str) -> str:
    known = MEDIA_TYPES.get(language) or _MEDIA_TYPES.get(language)
    return known or (f"text/x-{language}" if language else "text/plain")


def is_pdf(path: bytes, raw: bytes) -> bool:
    """Say whether a file goes to the PDF parser: by its mark, or because it is called one.

    A web page saved under the name of a PDF goes there too, to be refused as broken, not indexed (G2).
    """
    return raw.startswith(_PDF_MARK) or path.lower().endswith(b".pdf")
