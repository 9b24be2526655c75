"""The words of a marked-up text without its markup: what is embedded and indexed in place of the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from brain_dagster.chunk.captions import CAPTIONED, words_of_captions
from brain_dagster.chunk.structured.markup import Mark, MarkKind, decoded, marks
from brain_dagster.model import ChunkDraft

MARKED_UP = frozenset(("html", "xhtml"))
LINE_BREAKING = frozenset(
    b"address article aside blockquote body br caption center dd details dialog div dl dt fieldset "
    b"figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link "
    b"main menu meta nav noscript ol optgroup option p pre search section select summary table tbody "
    b"template textarea tfoot thead title tr ul".split()
)
_APART = frozenset((b"td", b"th"))  # cells of a row
_VERBATIM = frozenset((b"pre", b"textarea", b"listing", b"xmp"))
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_LINE, _CELL = "\n", " | "
_FIRST_BRACKET = re.compile(r"[<>]")


def plain_text(language: str, text: str) -> str | None:
    """Return the words of a stretch of a web page; None for every other language, and if it has no words.

    Tags with their attributes, comments, scripts and style sheets are left out, entities are decoded,
    and every block stands on a line of its own. The text may begin inside a tag.
    """
    start = _end_of_cut_tag(text) if language in MARKED_UP else 0
    return plain_texts(language, [text[start:]])[0]


def plain_texts(language: str, texts: Sequence[str]) -> list[str | None]:
    """Return the words of each of the texts that make up a page together, in order.

    Because they are read as one, a text that begins inside a tag or a script is understood.
    """
    if language not in MARKED_UP:
        return [None] * len(texts)
    encoded = [text.encode(errors="replace") for text in texts]
    ends = list(accumulate(map(len, encoded)))
    words = [_Words() for _ in texts]
    content = b"".join(encoded)
    position = verbatim = 0
    for mark in marks(content):
        _spread(words, ends, content, (position, mark.start), is_verbatim=verbatim > 0)
        position = mark.end
        if mark.kind is MarkKind.CDATA:
            _spread(words, ends, content, (mark.start + 9, mark.end - 3), is_verbatim=verbatim > 0)
        elif mark.name in _VERBATIM:
            verbatim = max(0, verbatim + (mark.kind is MarkKind.OPEN) - (mark.kind is MarkKind.CLOSE))
        _separate(words, ends, mark)
    _spread(words, ends, content, (position, len(content)), is_verbatim=verbatim > 0)
    return [each.text() or None for each in words]


def with_plain_texts(language: str, chunks: tuple[ChunkDraft, ...]) -> tuple[ChunkDraft, ...]:
    """Give the chunks of a page or of captions the plain text by which they are found."""
    if language in CAPTIONED:
        texts: list[str | None] = [words_of_captions(chunk.text) or None for chunk in chunks]
    elif language in MARKED_UP:
        texts = plain_texts(language, [chunk.text for chunk in chunks])
    else:
        return chunks
    return tuple(replace(chunk, plain_text=text) for chunk, text in zip(chunks, texts, strict=True))


class _Words:
    """Gathers the words of one text."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._at_break = True

    def add(self, text: str, *, is_verbatim: bool) -> None:
        """Append text; white space that only lays out the source becomes one blank."""
        if not is_verbatim:
            text = _BLANKS.sub(" ", text)
            text = text.lstrip(" ") if self._at_break else text
        if text:
            self._parts.append(text)
            self._at_break = text[-1] in " \n"

    def separate(self, how: str) -> None:
        """Append the end of a line or of a cell, unless one stands there."""
        last = self._parts[-1] if self._parts else _LINE
        if last in (how, _LINE):
            return
        self._parts[-1:] = [how] if last == _CELL else [last.rstrip(" "), how]
        self._at_break = True

    def text(self) -> str:
        """Return what was gathered, in lines."""
        lines = "".join(self._parts).split("\n")
        text = "\n".join(line.rstrip(" \t\r").removesuffix(_CELL.rstrip()) for line in lines)
        return _EMPTY_LINES.sub("\n\n", text).strip("\n ")


def _spread(
    words: list[_Words], ends: list[int], content: bytes, stretch: tuple[int, int], *, is_verbatim: bool
) -> None:
    """Hand a stretch of text to the texts it lies in."""
    start, end = stretch
    while start < end:
        number = bisect_right(ends, start)
        stop = min(end, ends[number])
        words[number].add(decoded(content[start:stop]), is_verbatim=is_verbatim)
        start = stop


def _separate(words: list[_Words], ends: list[int], mark: Mark) -> None:
    if mark.name in LINE_BREAKING:
        words[bisect_right(ends, mark.start)].separate(_LINE)
    elif mark.name in _APART:
        words[bisect_right(ends, mark.start)].separate(_CELL)


def _end_of_cut_tag(text: str) -> int:
    """Return where the rest of a tag ends that a text begins with; 0 if it begins with none."""
    first = _FIRST_BRACKET.search(text)
    if first is None or first[0] == "<":
        return 0
    head = text[: first.start()].rstrip()
    is_rest = head.endswith(('"', "'", "/", "--")) or '="' in head or "='" in head
    return first.end() if is_rest else 0
