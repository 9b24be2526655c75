"""Headers and bodies of a mail message, decoded without trusting them.

The library's own header objects are not used: they take a square of the length of a hostile header and
raise on many a malformed one. Its parser of messages, of addresses, dates and encoded words is.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from datetime import datetime
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import TypeVar

from brain_dagster.store.clean import clean_text

T = TypeVar("T")
MAX_HEADER_CHARS = 20_000
MAX_PEOPLE = 12
_FOLD = re.compile(r"\r?\n[ \t]*|\r")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
# As mail programs do: who declares ASCII or Latin-1 has Windows-1252.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_NO_TEXT = ("hex", "base64", "quopri", "uu", "zlib", "bz2", "rot13", "undefined", "idna", "punycode")


def header(message: Message, name: str) -> str:
    """Return a header as one readable line, `` if there is none."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
    line = " ".join(_FOLD.sub(" ", str(raw)[:MAX_HEADER_CHARS]).split(" "))
    return _clean(_decoded_words(line)) or _clean(line)


def people(message: Message, name: str, *, names_only: bool = False) -> str:
    """Return the addresses of a header as `Ann Lee <ann@x.org>, ...`; a long list ends with how many more."""
    raws = [str(value)[:MAX_HEADER_CHARS] for key, value in message.raw_items() if key.lower() == name]
    raws = [_FOLD.sub(" ", raw) for raw in raws]
    nobody: list[tuple[str, str]] = []
    pairs = safely(lambda: getaddresses(raws), nobody)
    shown = []
    for label, raw in pairs:
        known, address = _clean(_decoded_words(label)), _clean(raw)
        full = f"{known} <{address}>" if known and address else known or address
        shown.append((known or address) if names_only else full)
    shown = list(dict.fromkeys(filter(None, shown))) or list(filter(None, [header(message, name)]))
    more = f" and {len(shown) - MAX_PEOPLE} more" if len(shown) > MAX_PEOPLE else ""
    return ", ".join(shown[:MAX_PEOPLE]) + more


def sent_at(message: Message) -> datetime | None:
    """Return the date of a message, or None if it has none that makes sense."""
    return safely(lambda: parsedate_to_datetime(header(message, "date")), None)


def body_text(part: Message) -> str:
    """Return the text of a part in whatever its charset really is."""
    payload: object = safely(lambda: part.get_payload(decode=True), None)
    if not isinstance(payload, bytes):
        return ""
    declared = safely(lambda: part.get_content_charset() or "", "")
    return clean_text(_decode(payload, declared)).replace("\r\n", "\n").replace("\r", "\n")


def safely(read: Callable[[], T], default: T) -> T:
    """Read what a malformed message may lack; the library raises what it meets on the way."""
    try:
        return read()
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        return default


def _decode(payload: bytes, declared: str) -> str:
    """Try the declared charset, then UTF-8, then what can be read as anything."""
    for name in (_charset(declared), "utf-8"):
        if name:
            try:
                return payload.decode(name)
            except (UnicodeDecodeError, LookupError, ValueError):
                continue
    return payload.decode("cp1252", "replace")


def _charset(name: str) -> str:
    found = safely(lambda: codecs.lookup(name[:40]).name, "")
    return "" if found.startswith(_NO_TEXT) else _WIDER.get(found, found)


def _decoded_words(line: str) -> str:
    """Decode encoded words, and bytes that should have been encoded."""
    parts: list[tuple[str | bytes, str | None]] = safely(lambda: list(decode_header(line)), [(line, None)])
    return "".join(
        _decode(text, charset or "") if isinstance(text, bytes) else _readable(text)
        for text, charset in parts
    )


def _readable(text: str) -> str:
    """Return a header that came with raw bytes in it, which the parser keeps as lone surrogates."""
    return safely(lambda: _decode(text.encode("ascii", "surrogateescape"), ""), text)


def _clean(text: str) -> str:
    return " ".join(_UNSEEN.sub(" ", clean_text(text)).split())
