"""Cheap looks at a text that decide whether it is parsed and walked, which costs a hundred times as much."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hint:
    """Words and patterns of which one must occur.

    A word is found at memory speed; a pattern is nearly as fast if it begins with a plain character or with
    the start of a line. One pattern of many alternatives reads 1 MB a second (measured 2026-12-01), so each
    stands alone.
    """

    words: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = field(default=())

    def fits(self, text: str) -> bool:
        """Whether a text may hold what is looked for."""
        return any(word in text for word in self.words) or any(p.search(text) for p in self.patterns)


def pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern of a hint; `^` is the start of any line."""
    return re.compile(text, re.MULTILINE)
