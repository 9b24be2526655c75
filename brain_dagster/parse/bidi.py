"""Hebrew and Arabic in the order they are spoken, and letters as people type them.

A PDF says where glyphs stand, not in which order they are read. PDFium reads lines of these scripts from the
right, which is right for what is printed properly. Programs that know nothing of them print such lines from
left to right: the page is wrong to the eye, and comes out backwards. The words themselves tell.
"""

from __future__ import annotations

import re
import unicodedata

_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
_HAS_RIGHT_TO_LEFT = re.compile(f"[{_RIGHT_TO_LEFT}]")
_WORD = re.compile(f"[{_RIGHT_TO_LEFT}]+")
# What is read from the left within such a line: Latin words, numbers, and the signs inside them.
_LEFT_TO_RIGHT = re.compile(f"[^\\W{_RIGHT_TO_LEFT}](?:[^\\s{_RIGHT_TO_LEFT}]*[^\\W{_RIGHT_TO_LEFT}])?")
_ENDS_A_WORD = frozenset("ךםןףץةى")
_ARTICLE = "ال"
# Ligatures and shapes of letters that fonts name one by one; nobody types them into a search.
_SHAPES = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdff\ufe70-\ufefc]+")


def as_typed(text: str) -> str:
    """Return text with the shapes of letters replaced by the letters, and backward lines turned round."""
    text = _SHAPES.sub(lambda shapes: unicodedata.normalize("NFKC", shapes[0]), text)
    if _HAS_RIGHT_TO_LEFT.search(text) is None or not _is_backwards(text):
        return text
    return "\n".join(_turned(line) for line in text.split("\n"))


def _is_backwards(text: str) -> bool:
    """Weigh letters that only end words, and the Arabic article, which only begins them."""
    right = wrong = 0
    for word in _WORD.findall(text):
        if len(word) > 2:
            right += (word[-1] in _ENDS_A_WORD) + word.startswith(_ARTICLE)
            wrong += (word[0] in _ENDS_A_WORD) + word.endswith(_ARTICLE[::-1])
    return wrong > right


def _turned(line: str) -> str:
    if _HAS_RIGHT_TO_LEFT.search(line) is None:
        return line
    return _LEFT_TO_RIGHT.sub(lambda part: part[0][::-1], line[::-1])
