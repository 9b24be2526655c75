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
_LATIN = ("cp1252", "cp1250", "cp1254", "iso8859_2")
_OTHER_SCRIPTS = (
    "cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256",
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

    Where Windows-1252 looks as likely as the first, it goes before it: it is by far the commonest.
    """
    samples = _samples(raw)
    codecs_to_try = _LATIN if _has_lone_letters(samples[0]) else _LATIN + _OTHER_SCRIPTS
    found = [match for sample in samples for match in from_bytes(sample, cp_isolation=list(codecs_to_try))]
    found.sort(key=lambda match: (match.chaos, -match.coherence))
    if not found:
        return []
    ties = [m for m in found if (m.chaos, m.coherence) == (found[0].chaos, found[0].coherence)]
    names = [match.encoding for match in found]
    return ["cp1252", *names] if any("cp1252" in m.could_be_from_charset for m in ties) else names


def _has_lone_letters(sample: bytes) -> bool:
    """Say whether letters beyond ASCII stand alone among ASCII ones, as only the Latin script has it.

    Every other script writes whole words with them, in pairs or runs of bytes.
    """
    beyond = len(sample) - len(sample.translate(None, delete=_BEYOND_ASCII))
    in_runs = sum(map(len, re.findall(rb"[\x80-\xff]{2,}", sample)))
    return in_runs < beyond / 2


def _samples(raw: bytes) -> list[bytes]:
    """Return a bounded piece with bytes beyond ASCII in it, cut where no character is divided.

    In every encoding on the lists a byte below `0` is a character of its own. Where there is none to cut
    at, several pieces are returned, one of which ends with a whole character.
    """
    first = next(re.finditer(rb"[\x80-\xff]", raw)).start()
    start = raw.rfind(b"\n", 0, first) + 1
    if first - start > _SAMPLE_BYTES // 2:
        start = first
    sample = raw[start : start + _SAMPLE_BYTES]
    if start + len(sample) == len(raw):
        return [sample]
    ends = [match.end() for match in re.finditer(rb"[\x00-\x2f]", sample)]
    if ends and ends[-1] + start > first:
        return [sample[: ends[-1]]]
    return [sample[: len(sample) - cut] for cut in range(4)]


def _can_decode(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
