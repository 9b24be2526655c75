"""How an item can end in the funnel, and how each end is worded."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from brain_dagster.chunk.structured.plain import with_plain_texts
from brain_dagster.errors import BrainError, Defect, Transient
from brain_dagster.ingest.rules import Skip
from brain_dagster.model import ListedItem, ParsedDocument, ReadItem, State
from brain_dagster.parse.errors import BrokenDocument, NeedsPassword, ParserDied, ParseTimedOut
from brain_dagster.place import page_ranges
from brain_dagster.store.clean import clean_text

_RETRY_AFTER_S = 300.0
# Names that people and `brain status` use; every other error goes by its own code.
_CODES: dict[type[BrainError], str] = {
    BrokenDocument: "broken",
    NeedsPassword: "needs-password",
    ParserDied: "parser-died",
    ParseTimedOut: "timeout",
}


def skipped(item: ListedItem, skip: Skip, facts: ReadItem | None = None) -> ReadItem:
    """A rule left the item out."""
    if facts is None:
        facts = ReadItem(
            State.PENDING, content_hash=item.content_hash or item.token, size_bytes=item.size_bytes or 0
        )
    return replace(facts, state=State.SKIPPED, reason_code=skip.rule, reason=skip.reason, document=None)


def failed(facts: ReadItem, error: BrainError) -> ReadItem:
    """An error ended the item; only what may work later gets a time for another attempt."""
    retry_at = None
    if isinstance(error, Transient):
        retry_at = datetime.now(UTC) + timedelta(seconds=error.retry_after_s or _RETRY_AFTER_S)
    code = "unexpected" if isinstance(error, Defect) else error.code.replace("_", "-")
    code = _CODES.get(type(error), code)
    reason = clean_text(error.message)  # parsers quote what they choked on
    return replace(facts, state=State.FAILED, reason_code=code, reason=reason, retry_at=retry_at)


def unexpected(facts: ReadItem, error: Exception) -> ReadItem:
    """An error nobody foresaw; its text may quote the document, so only its type is kept (I12)."""
    reason = f"{type(error).__name__} while opening it; the log says where. Please report it"
    return replace(facts, state=State.FAILED, reason_code="unexpected", reason=reason)


def parsed(facts: ReadItem, document: ParsedDocument) -> ReadItem:
    """The parser is done: ready, unless what it found would be an empty success (G3, G4).

    What was read is published even where pages are missing: the outcome names them, and a check counts the
    document until something reads them.
    """
    facts = replace(facts, warnings=facts.warnings + document.warnings, retry_at=_retry_at(document))
    if document.pages_without_text:
        facts = replace(facts, reason_code="needs-ocr", reason=_needs_ocr(document))
    if document.pages_not_read:
        pages, kind = page_ranges(document.pages_not_read), document.part_kind
        if not document.chunks:
            reason = f"no {kind} could be read in time; {kind}s {pages} are missing"
            return replace(facts, state=State.FAILED, reason_code="timeout", reason=reason)
        facts = replace(facts, warnings=(*facts.warnings, f"partial: {kind}s {pages} not read"))
    if not document.chunks or document.char_count == 0:
        if document.pages_without_text:
            return replace(facts, state=State.FAILED)
        reason = "the parser found no text in it"
        return replace(facts, state=State.SKIPPED, reason_code="empty", reason=reason)
    reason = "; ".join(filter(None, (facts.reason, document.read_from_pictures)))
    document = replace(document, chunks=with_plain_texts(facts.language, document.chunks))
    return replace(facts, state=State.READY, document=document, reason=reason or None)


def _needs_ocr(document: ParsedDocument) -> str:
    pages = document.pages_without_text
    noun, verb, pronoun = ("page", "has", "it needs") if len(pages) == 1 else ("pages", "have", "they need")
    return f"{noun} {page_ranges(pages)} {verb} no usable text layer; {pronoun} OCR"


def _retry_at(document: ParsedDocument) -> datetime | None:
    if document.retry_after_s is None:
        return None
    return datetime.now(UTC) + timedelta(seconds=document.retry_after_s)
