"""How an item can end in the funnel, and how each end is worded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

from brain_dagster.errors import BrainError, Defect, Transient
from brain_dagster.ingest.rules import Skip
from brain_dagster.model import ListedItem, ParsedDocument, ReadItem, State
from brain_dagster.parse.errors import BrokenDocument, NeedsPassword, ParserDied, ParseTimedOut
from brain_dagster.store.clean import clean_text

_RETRY_AFTER_S = 300.0
_MAX_RANGES = 20
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
    """The parser is done: ready, unless what it found would be an empty or a partial success (G3, G4)."""
    warnings = facts.warnings + document.warnings
    if document.pages_without_text:
        pages = page_ranges(document.pages_without_text)
        noun, verb = ("page", "has") if len(document.pages_without_text) == 1 else ("pages", "have")
        pronoun = "it needs" if noun == "page" else "they need"
        reason = f"{noun} {pages} {verb} no text layer; {pronoun} OCR"
        return replace(facts, state=State.FAILED, reason_code="needs-ocr", reason=reason, warnings=warnings)
    if document.pages_not_read:
        pages, kind = page_ranges(document.pages_not_read), document.part_kind
        if not document.chunks:
            reason = f"no {kind} could be read in time; {kind}s {pages} are missing"
            return replace(facts, state=State.FAILED, reason_code="timeout", reason=reason, warnings=warnings)
        warnings = (*warnings, f"partial: {kind}s {pages} not read")
    if not document.chunks or document.char_count == 0:
        reason = "the parser found no text in it"
        return replace(facts, state=State.SKIPPED, reason_code="empty", reason=reason, warnings=warnings)
    return replace(facts, state=State.READY, document=document, warnings=warnings)


def page_ranges(pages: Sequence[int]) -> str:
    """Write page numbers as people do: `3, 5-7`; a very long list ends with how many more there are."""
    ranges = []
    for _, group in groupby(enumerate(sorted(set(pages))), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        ranges.append(str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}")
    if len(ranges) > _MAX_RANGES:
        return f"{', '.join(ranges[:_MAX_RANGES])} and {len(ranges) - _MAX_RANGES} more ranges"
    return ", ".join(ranges)
