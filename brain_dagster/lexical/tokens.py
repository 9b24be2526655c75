"""Text to lexemes; the same function reads documents and questions.

PostgreSQL's own parsers do not know code: `models/transaction.js` is one token that neither
`transaction.js` nor `transaction` finds, and `settlementStatusEnum` is never split (D4). Here

- a path or dotted name gives itself and its tails: `src/models/user.js`, `models/user.js`, `user.js`;
- an identifier gives itself, written together, and its parts: `settlementStatusEnum`,
  `settlement_status_enum` and `settlement-status-enum` all give `settlementstatusenum`, `settlement`,
  `status`, `enum`; `HTTPServer` gives `httpserver`, `http`, `server`;
- words and parts are stemmed as English, accents are folded, compatibility forms are unified (NFKC);
- scripts that write no spaces (Chinese, Japanese, Korean, Thai ...) give characters and bigrams.

Nothing is dropped for its length: lexemes are hashed (bm25.py), so one of 2,047 bytes costs as much as
one of 3 (D4). What is bounded is splitting: a run such as a base64 wall or a digest counts as one word,
because its fragments would be noise in everyone's statistics. There is no stop list: the inverse
document frequency already says that `the` says nothing.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

import Stemmer

# Longer runs of letters and digits are not split further: at 64 characters, base64 lines and digests
# are behind it and the longest identifiers of the measured packages (54 characters) before it.
LONGEST_SPLIT = 64
MOST_PARTS = 12
MOST_NUMBERS = 3
# Of a dotted chain or path only this many last segments are combined.
MOST_SEGMENTS = 6
# Units longer than this are read without the cache, so that a wall of text cannot fill it.
LONGEST_CACHED = 200

_SEPARATOR = r"(?:[./-]|::|->)"
_ASCII_UNIT = re.compile(rf"[A-Za-z](?:\+\+|\#)(?!\w)|[A-Za-z0-9_]+(?:{_SEPARATOR}[A-Za-z0-9_]+)*")
_SEGMENT = re.compile(r"(?:[./]|::|->)+")
_JOINT = re.compile(r"[_-]+")
_ASCII_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
_SCRIPT_RUN = re.compile(f"(?P<spaceless>[{_SPACELESS}]+)|[^{_SPACELESS}]+")
_SPACELESS_CHARACTERS = re.compile(f"[{_SPACELESS}]")
_stemmers = threading.local()


def lexemes(text: str) -> list[str]:
    """Return every lexeme of `text` in reading order, with repetitions; empty for pure punctuation."""
    found: list[str] = []
    for unit in units(text):
        found.extend(unit_lexemes(unit))
    return found


def units(text: str) -> list[str]:
    """Return the longest runs that belong together: words, identifiers, dotted names, paths."""
    if text.isascii():
        return _ASCII_UNIT.findall(text)
    return _unicode_unit().findall(unicodedata.normalize("NFKC", text))


def unit_lexemes(unit: str) -> tuple[str, ...]:
    """Return the lexemes of one unit as `units` cuts it."""
    if len(unit) > LONGEST_CACHED:
        return tuple(_read_unit(unit))
    return _cached_unit(unit)


# 65,536 entries are about 20 MB, and hold nine of ten units of a 6 MB source tree.
@lru_cache(maxsize=65_536)
def _cached_unit(unit: str) -> tuple[str, ...]:
    return tuple(_read_unit(unit))


def _read_unit(unit: str) -> Iterator[str]:
    if unit[-1] in "+#":
        # C++, C# and F# are languages, not the letters c and f; the letter alone would say nothing.
        yield unit.lower()
        return
    segments = [segment for segment in _SEGMENT.split(unit) if segment]
    tail = [_fold(segment) for segment in segments[-MOST_SEGMENTS:]]
    for start in range(len(tail) - 1):
        yield ".".join(tail[start:])
    for segment in segments:
        yield from _read_segment(segment)


def _read_segment(segment: str) -> Iterator[str]:
    """Yield an identifier written together, its pieces if they have parts of their own, and its parts."""
    pieces = [piece for piece in _JOINT.split(segment) if piece]
    parts = [_parts(piece) for piece in pieces]
    if segment.startswith("__") and segment.endswith("__") and pieces:
        yield segment.lower()  # `__init__` is a name of its own; `init` alone would lose it
    if len(pieces) > 1:
        yield _fold("".join(pieces))
    for piece, its_parts in zip(pieces, parts, strict=True):
        if len(its_parts) > 1:
            yield _fold(piece)
        for part in its_parts:
            yield from _read_part(part)


def _read_part(part: str) -> Iterator[str]:
    if part.isascii():
        yield _stem(part.lower())
        return
    for run in _SCRIPT_RUN.finditer(part):
        word = run.group()
        if run.group("spaceless"):
            yield from word
            yield from map("".join, pairwise(word))
        else:
            yield _stem(_fold(word))


def _parts(piece: str) -> list[str]:
    """Split at case changes and between letters and digits; opaque runs stay whole."""
    if len(piece) > LONGEST_SPLIT:
        return [piece]
    parts = _ASCII_PART.findall(piece) if piece.isascii() else _unicode_parts(piece)
    numbers = sum(part[0].isdigit() for part in parts)
    return [piece] if len(parts) > MOST_PARTS or numbers > MOST_NUMBERS else parts


def _unicode_parts(piece: str) -> list[str]:
    if _SPACELESS_CHARACTERS.search(piece):
        return [piece]
    starts = [0]
    for position, (before, after) in enumerate(pairwise(piece), start=1):
        number_edge = before.isdigit() != after.isdigit()
        if number_edge or (before.islower() and after.isupper()):
            starts.append(position)
    return [piece[start:end] for start, end in pairwise([*starts, len(piece)])]


def _fold(word: str) -> str:
    """Lower-case; drop the accents of Latin words, which people leave out when they type."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    return bare if bare.isascii() else folded


def _stem(word: str) -> str:
    if len(word) > LONGEST_SPLIT or not word.isalpha():
        return word
    # A stemmer holds state and is not to be shared between threads.
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(word))


@cache
def _unicode_unit() -> re.Pattern[str]:
    """The pattern of a unit beyond ASCII: `\\w` leaves out the vowel signs that Indic words consist of."""
    marks = [chr(c) for c in range(0x300, 0x1F000) if unicodedata.category(chr(c)) in ("Mn", "Mc")]
    word = rf"\w[\w{''.join(marks)}]*"
    return re.compile(rf"[A-Za-z](?:\+\+|\#)(?!\w)|{word}(?:{_SEPARATOR}{word})*")
