"""The one funnel: every listed item goes in, and exactly one `ReadItem` comes out for each."""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from brain_dagster.connectors.base import Connector, TooLarge
from brain_dagster.errors import BrainError, Defect
from brain_dagster.ingest.content import Content, Skipped, open_content
from brain_dagster.ingest.outcomes import failed, parsed, skipped, unexpected
from brain_dagster.ingest.rules import judge_listing, too_large
from brain_dagster.model import ListedItem, ParsedDocument, ReadItem, State
from brain_dagster.parse.errors import ParserUnavailable
from brain_dagster.parse.worker import ParseRequest, ParserPool
from brain_dagster.settings import Settings
from brain_dagster.store.clean import printable_path

_log = logging.getLogger(__name__)
# Items are taken in hand this many at a time, which bounds what waits behind a slow one whatever the
# number of items; the parser pool starves only for a moment between two batches.
_BATCH_ITEMS = 512


@dataclass(frozen=True, slots=True)
class _Slot:
    """One item in its place in line: what became of it so far, and whether the parser has the last word."""

    item: ListedItem
    became: ReadItem
    is_parsing: bool = False


def read_items(
    connector: Connector, items: Sequence[ListedItem], parser: ParserPool, settings: Settings
) -> Iterator[tuple[ListedItem, ReadItem]]:
    """Read, decode and parse items; yield each with what became of it.

    Order   as given, every item exactly once.
    Memory  holds the few files in flight, never the source.
    Errors  only what concerns every item (SourceUnavailable, ParserUnavailable, Defect); what is wrong
            with one item ends in its outcome.
    """
    for start in range(0, len(items), _BATCH_ITEMS):
        yield from _read_batch(connector, items[start : start + _BATCH_ITEMS], parser, settings)


def _read_batch(
    connector: Connector, items: Sequence[ListedItem], parser: ParserPool, settings: Settings
) -> Iterator[tuple[ListedItem, ReadItem]]:
    line: deque[_Slot] = deque()
    prepared = _prepare(connector, items, settings)
    for document in parser.parse_many(_requests(prepared, line)):
        while not line[0].is_parsing:
            yield _leave(line)
        slot = line.popleft()
        yield slot.item, _finish(slot, document)
    while line:
        if line[0].is_parsing:
            raise Defect("the parser lost a document", subject=printable_path(line[0].item.path))
        yield _leave(line)


def _leave(line: deque[_Slot]) -> tuple[ListedItem, ReadItem]:
    slot = line.popleft()
    return slot.item, slot.became


def _requests(
    prepared: Iterable[tuple[_Slot, ParseRequest | None]], line: deque[_Slot]
) -> Iterator[ParseRequest]:
    """Put every prepared item in line, and hand on what the parser has to see."""
    for slot, request in prepared:
        line.append(slot)
        if request is not None:
            yield request


def _prepare(
    connector: Connector, items: Sequence[ListedItem], settings: Settings
) -> Iterator[tuple[_Slot, ParseRequest | None]]:
    """Apply the rules that need no content, and read the rest in one stream."""
    verdicts = [judge_listing(item, settings.max_file_bytes) for item in items]
    wanted = [item for item, verdict in zip(items, verdicts, strict=True) if verdict is None]
    contents = connector.read_many(wanted, settings.max_file_bytes)
    for item, verdict in zip(items, verdicts, strict=True):
        if verdict is not None:
            yield _Slot(item, skipped(item, verdict)), None
        else:
            listed, content = next(contents)
            if listed is not item:
                raise Defect("the connector handed over items in another order")
            yield _open(item, content, settings)


def _open(
    item: ListedItem, content: bytes | BrainError, settings: Settings
) -> tuple[_Slot, ParseRequest | None]:
    """Turn the bytes of one item into a request to parse, or into its outcome.

    This is the per-document boundary: whatever one file provokes ends here as that file's failure.
    """
    if isinstance(content, TooLarge):
        return _Slot(item, skipped(item, too_large(item.size_bytes, settings.max_file_bytes))), None
    if isinstance(content, BrainError):
        return _Slot(item, failed(_unread(item), content)), None
    facts = replace(_unread(item), content_hash=content_hash(item, content), size_bytes=len(content))
    try:
        opened = open_content(item.path, content)
    except BrainError as error:
        return _Slot(item, failed(facts, error)), None
    except Exception as error:  # noqa: BLE001 - one hostile file must not stop the others
        _log_unexpected(item, error)
        return _Slot(item, unexpected(facts, error)), None
    if isinstance(opened, Skipped):
        return _Slot(item, skipped(item, opened.skip, opened.describe(facts))), None
    return _Slot(item, opened.describe(facts), is_parsing=True), _request(item, opened, settings)


def _request(item: ListedItem, opened: Content, settings: Settings) -> ParseRequest:
    return ParseRequest(
        path=printable_path(item.path),
        language=opened.language,
        text=opened.text,
        content=opened.raw,
        budget=settings.chunk_tokens,
    )


def _finish(slot: _Slot, document: ParsedDocument | BrainError) -> ReadItem:
    if isinstance(document, ParserUnavailable):
        raise document  # without a parser every item would fail, and good documents with them
    if isinstance(document, BrainError):
        return failed(slot.became, document)
    return parsed(slot.became, document)


def _unread(item: ListedItem) -> ReadItem:
    return ReadItem(
        State.PENDING, content_hash=item.content_hash or item.token, size_bytes=item.size_bytes or 0
    )


def content_hash(item: ListedItem, raw: bytes) -> str:
    """Return the identity of an item's stored bytes: git's own where the listing has one (E4)."""
    return item.content_hash or f"sha256:{hashlib.sha256(raw).hexdigest()}"


def _log_unexpected(item: ListedItem, error: Exception) -> None:
    """Say what failed and where, never what was in the file (I12)."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{place.filename}:{place.lineno}"
    _log.error("%s at %s while opening %s", type(error).__name__, where, printable_path(item.path))
