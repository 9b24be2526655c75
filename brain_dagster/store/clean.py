"""Strings made safe for PostgreSQL at the one edge where they enter it (faults D1, D2, F6)."""

from __future__ import annotations

import re

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_NOT_PRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Replace what PostgreSQL cannot store, NUL and lone surrogates, by U+FFFD, one for one.

    One for one keeps every span valid: the text has as many characters after as before.
    """
    return _NOT_STORABLE.sub("\ufffd", text)


def printable_path(path: bytes) -> str:
    """Return a path as people may see it: UTF-8 where it is, U+FFFD where it is not or could deceive."""
    return _NOT_PRINTABLE.sub("\ufffd", path.decode("utf-8", "replace"))
