"""Bytes to text: one way in for every encoding, and a reason for what is not text (E2, E3).

The order is: byte order mark, UTF-16 without one, strict UTF-8, damaged UTF-8, what the file declares,
what its bytes look like, and as a last resort Windows-1252 with replacement. Line ends stay as they are
stored (E4).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from brain_dagster.ingest.binary import BinaryContent, check_signature, check_text
from brain_dagster.store.clean import clean_text

__all__ = ["BinaryContent", "Decoded", "decode"]

# UTF-32 before UTF-16: the mark of little-endian UTF-16 is the beginning of the other's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What detection may answer. Left to all codecs of Python it takes `café` for UTF-16 and Koi8 for Japanese.
_LEGACY = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "koi8_r", "cp866",
    "cp932", "euc_jp", "gb18030", "big5", "cp949",
)  # fmt: skip
# What a file may declare. Not every codec of Python is an encoding of text, and `rot13` is not wanted.
_DECLARABLE = re.compile(
    r"(iso8859-\d+|cp\d+|koi8-[rut]|mac-\w+|tis-620|shift_jis\w*|euc_\w+|iso2022_\w+|gb\w+|big5\w*|johab|kz1048)\Z"
)
_DECLARATION = re.compile(
    rb"coding[:=][ \t]*[\"']?([-\w.]{2,40})"  # Python, Ruby, Emacs, Vim, and the encoding= of XML
    rb"|charset[ \t]*=?[ \t]*[\"']?([-\w.]{2,40})",  # HTML and CSS
    re.IGNORECASE,
)
_DECLARATION_BYTES = 1_024
_SAMPLE_BYTES = 65_536
# Of a text in another encoding hardly any sequence is valid UTF-8 by chance; of a damaged one most are.
_GOOD_PER_BAD = 4
_BEYOND_ASCII = bytes(range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file as text.

    text      without byte order mark, storable, line ends as stored
    encoding  name of the Python codec that decoded it
    warnings  what was lost, in sentences
    """

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(raw: bytes) -> Decoded:
    """Return the text of a file.

    Errors  BinaryContent says which test found that it is no text.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _finish(raw[len(mark) :], encoding)
    check_signature(raw)
    return _finish(raw, _unmarked_encoding(raw))


def _finish(raw: bytes, encoding: str) -> Decoded:
    """Decode with the encoding found, replacing and counting what does not fit."""
    warnings: tuple[str, ...] = ()
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode(encoding, "replace")
        warnings = (f"{text.count(chr(0xFFFD))} places are not valid {encoding} and were replaced",)
    check_text(text, encoding)
    return Decoded(clean_text(text), encoding, warnings)


def _unmarked_encoding(raw: bytes) -> str:
    wide = _unmarked_utf16(raw) if b"\x00" in raw else ""
    if wide:
        return wide
    if _can_decode(raw, "utf-8"):
        # Seven-bit Japanese is valid UTF-8 by accident; it announces itself by escapes.
        declared = _declared(raw) if b"\x1b$" in raw else ""
        return declared if declared.startswith("iso2022") else "utf-8"
    return "utf-8" if _is_damaged_utf8(raw) else _legacy_encoding(raw)


def _unmarked_utf16(raw: bytes) -> str:
    """Recognise UTF-16 by its ASCII characters: every other byte is NUL, the ones between hardly ever."""
    even, odd = raw[0::2].count(0), raw[1::2].count(0)
    if len(raw) % 2 or max(even, odd) < 0.2 * len(raw) or min(even, odd) > 0.005 * len(raw):
        return ""
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    return encoding if _can_decode(raw, encoding) else ""


def _is_damaged_utf8(raw: bytes) -> bool:
    text = raw.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(raw.translate(None, delete=_BEYOND_ASCII))
    return good >= _GOOD_PER_BAD * bad


def _legacy_encoding(raw: bytes) -> str:
    declared = _declared(raw)
    if declared and _can_decode(raw, declared):
        return declared
    return next((name for name in _detected(raw) if _can_decode(raw, name)), "cp1252")


def _declared(raw: bytes) -> str:
    """Return the codec a file names near its top, or nothing if it names none that is text."""
    found = _DECLARATION.search(raw[:_DECLARATION_BYTES])
    if found is None:
        return ""
    try:
        name = codecs.lookup((found[1] or found[2]).decode("ascii")).name
    except LookupError:
        return ""
    # As browsers do: who declares Latin-1 has Windows-1252, which has quotes where the other has controls.
    name = "cp1252" if name in ("iso8859-1", "ascii") else name
    return name if _DECLARABLE.match(name) else ""


def _detected(raw: bytes) -> list[str]:
    """Return the codecs the bytes look like, likeliest first.

    Where Windows-1252 gives the same text as the likeliest, it stands for it: the two may differ in
    bytes beyond the sample, and it is by far the commonest.
    """
    matches = from_bytes(_sample(raw), cp_isolation=list(_LEGACY))
    names = [match.encoding for match in matches]
    if matches and "cp1252" in matches[0].could_be_from_charset:
        names.insert(0, "cp1252")
    return names


def _sample(raw: bytes) -> bytes:
    """Return a bounded piece with bytes beyond ASCII in it, cut at line ends where there are any.

    In every encoding on the list a newline byte is a newline, so the cut divides no character.
    """
    first = next(iter(re.finditer(rb"[\x80-\xff]", raw)))
    start = raw.rfind(b"\n", 0, first.start()) + 1
    if first.start() - start > _SAMPLE_BYTES // 2:
        start = first.start()
    sample = raw[start : start + _SAMPLE_BYTES]
    if start + len(sample) < len(raw):
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    return sample


def _can_decode(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
