"""Where a conversation changes its topic: at the valleys of the likeness of what stands before and after.

Source  Hearst, Computational Linguistics 23(1), 1997 (TextTiling), with turns in place of token sequences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

WINDOW = 80  # words on either side, some 300 words of speech; Hearst takes 120 to 200 with stop words
STEM = 6  # letters by which words are the same: `measure` and `measuring`
HILL = 12  # turns that a valley is looked back and ahead for its rims
MAX_WORDS = 600_000  # a conversation of some 10 MB; beyond, topics are not looked for
_WORD = re.compile(r"[^\W\d_]{4,}")
_STOP = frozenset(
    (
        "about actually after again alright also always another anything because been before being both "
        "came come comes could didn does doesn doing don done down each else even every everyone "
        "everything from gets getting give goes going gonna good great guess happen have haven having "
        "hello here however into isn it's just kind know last later less let's like little look lots "
        "made make makes many maybe mean might more most much must need never next nice nothing okay "
        "only other over people perhaps point pretty probably quite rather really right said same says "
        "should some somebody someone something sometimes sort still stuff such sure take taken talk "
        "tell than thank thanks that that's their them then there these they thing things think this "
        "those though thought through time today told took under until used using very want wanted wanna "
        "wasn well went were what whatever when where whether which while will with without won't would "
        "yeah year years your yours aber alle also auch dann dass denn diese doch eine einen einer habe "
        "haben hier immer jetzt kann machen mehr mich muss nicht noch oder schon sehr sein sich sind "
        "über wenn werden wird wurde"
    ).split()
)


def topic_words(line: str) -> list[str]:
    """Return the words of a line that may tell its topic, cut to their beginnings."""
    return [word[:STEM] for word in map(str.lower, _WORD.findall(line)) if word not in _STOP]


def shifts(turns: Sequence[Sequence[str]]) -> list[float]:
    """Return, for each turn, how much the topic changes before it.

    Shape   one number per turn; the first is 0
    Unit    depth of a valley of cosine likeness: 0 is none, 2 the most there can be
    """
    ends = list(accumulate(map(len, turns)))
    if len(turns) < 3 or ends[-1] > MAX_WORDS:
        return [0.0] * len(turns)
    likeness = likeness_at([word for turn in turns for word in turn], ends[:-1])
    return [0.0, *(_depth(likeness, gap) for gap in range(len(likeness)))]


def _depth(likeness: Sequence[float], gap: int) -> float:
    here = likeness[gap]
    left = right = here
    for before in range(gap - 1, max(-1, gap - HILL - 1), -1):
        if likeness[before] < left:
            break
        left = likeness[before]
    for after in range(gap + 1, min(len(likeness), gap + HILL + 1)):
        if likeness[after] < right:
            break
        right = likeness[after]
    return left + right - 2 * here


def likeness_at(words: Sequence[str], gaps: Sequence[int]) -> list[float]:
    """Return the cosine of the windows on both sides of each gap.

    The windows slide: a word that changes sides changes one product and two squares, so the cost is
    linear in the words whatever the window.
    """
    windows = _Windows(words)
    return [windows.moved_to(gap) for gap in gaps]


class _Windows:
    """The words before and after a position, counted."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._position = 0
        self._left: Counter[str] = Counter()
        self._right: Counter[str] = Counter()
        self._product = self._left_square = self._right_square = 0
        for word in words[:WINDOW]:
            self._change_right(word, 1)

    def moved_to(self, position: int) -> float:
        """Move forward; return the likeness of the two sides there."""
        words = self._words
        for here in range(self._position, position):
            self._change_right(words[here], -1)
            self._change_left(words[here], 1)
            if here >= WINDOW:
                self._change_left(words[here - WINDOW], -1)
            if here + WINDOW < len(words):
                self._change_right(words[here + WINDOW], 1)
        self._position = position
        squares = self._left_square * self._right_square
        return self._product / squares**0.5 if squares else 0.0

    def _change_left(self, word: str, by: int) -> None:
        count = self._left[word]
        self._left_square += by * (2 * count + by)
        self._product += by * self._right[word]
        self._left[word] = count + by

    def _change_right(self, word: str, by: int) -> None:
        count = self._right[word]
        self._right_square += by * (2 * count + by)
        self._product += by * self._left[word]
        self._right[word] = count + by
