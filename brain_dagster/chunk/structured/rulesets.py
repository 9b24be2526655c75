"""Reads the rules of CSS, SCSS and LESS by their braces: one pass and a stack, whatever stands in between.

The CSS grammar takes a minute and a half over 30,000 nested `:not(` (December 2026), and LESS has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from brain_dagster.chunk.structured.entries import (
    HEADER_CHARS,
    NAME_CHARS,
    Entry,
    Troubles,
    one_line,
    with_plain_line_ends,
)
from brain_dagster.chunk.trees import OverBudget

MAX_TOKENS = 1_000_000
_TOKEN = re.compile(
    rb"/\*(?:(?!\*/).)*+(?:\*/)?"
    rb"|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
    rb"|//|\\.|#\{|[{};()]|[^\s{};()\"'/\\#]++|\S",
    re.DOTALL,
)
_NESTS = {b"(": 1, b")": -1}
_COMMENT = re.compile(rb"/\*(?:(?!\*/).)*+(?:\*/)?|(?<!\S)//[^\n]*", re.DOTALL)
_VARIABLE = re.compile(r"([$@][\w-]+)\s*:")


@dataclass(slots=True)
class Rule:
    """A rule with those inside it, or a statement; `head_end` is where its brace or semicolon stands."""

    start: int
    head_end: int
    end: int
    is_block: bool
    children: list[Rule] = field(default_factory=list)


class Selector(Entry[Rule]):
    """A rule as an entry; `&` in its selector stands for the one around it."""

    def path(self, parent: str) -> str:
        """Return the selectors around it and its own: `@media print .card:hover`."""
        if "&" in self.key and parent:
            return Entry(0, 0, self.key.replace("&", parent, 1), "", None).path("")
        return super().path(parent)


class RuleReader:
    """The rules of one style sheet as entries: the key is the selector as written, or the `@media` line."""

    comments = ("/* */", "//")

    def __init__(self, content: bytes) -> None:
        self._content = with_plain_line_ends(content)
        self._troubles = Troubles(self._content)
        self._top = self._read()

    def top(self) -> list[Entry[Rule]]:
        """Return the rules and statements at the top level, in order."""
        return self._entries(self._top)

    def inside(self, entry: Entry[Rule]) -> list[Entry[Rule]]:
        """Return the rules right inside another; its declarations are no entries."""
        return self._entries(entry.inner.children)

    def header(self, entry: Entry[Rule]) -> str:
        """Return the selector of a rule."""
        return one_line(self._content[entry.start : entry.inner.head_end], HEADER_CHARS)

    def trouble(self) -> tuple[int, int] | None:
        """Return the bytes that are no rules and the first line of them; None if all are."""
        return self._troubles.trouble()

    def _read(self) -> list[Rule]:
        reading = _Reading(self._content, self._troubles)
        position = 0
        for _ in range(MAX_TOKENS):
            token = _TOKEN.search(self._content, position)
            if token is None:
                return reading.finish()
            position = reading.take(token)
        raise OverBudget(f"more than {MAX_TOKENS:,} words and signs")

    def _entries(self, rules: Sequence[Rule]) -> list[Entry[Rule]]:
        return [Selector(rule.start, rule.end, self._key(rule), "", rule, joint=" ") for rule in rules]

    def _key(self, rule: Rule) -> str:
        """Return a selector without comments; of a statement, what it sets: `$width`, `@import "a"`."""
        head = self._content[rule.start : min(rule.head_end, rule.start + 8 * NAME_CHARS)]
        key = " ".join(_COMMENT.sub(b" ", head).decode(errors="ignore").split())
        variable = None if rule.is_block else _VARIABLE.match(key)
        if variable is not None:
            return variable[1]
        return key if len(key) <= NAME_CHARS else key[: max(key.rfind(",", 0, NAME_CHARS), 0) or NAME_CHARS]


class _Reading:
    """Where one pass over a style sheet stands: the rules that are open, and what has begun since."""

    def __init__(self, content: bytes, troubles: Troubles) -> None:
        self._content = content
        self._troubles = troubles
        self._top: list[Rule] = []
        self._opened: list[Rule] = []
        self._start: int | None = None
        self._parentheses = 0
        self._interpolations = 0  # `#{...}` of SCSS: its braces open nothing

    def take(self, token: re.Match[bytes]) -> int:
        """Take a word or sign; return where to go on."""
        text, end = token[0], token.end()
        if text.startswith(b"/*"):
            return end
        if text == b"//" and not self._parentheses:
            line_end = self._content.find(b"\n", end)
            return line_end if line_end >= 0 else len(self._content)
        if text == b"{":
            self._open(token)
        elif text == b"}" and self._interpolations:
            self._interpolations -= 1
        elif text == b"}":
            self._close(token)
        elif text == b";" and not self._parentheses:
            self._end_statement(token)
        else:
            self._start = token.start() if self._start is None else self._start
            self._parentheses = max(0, self._parentheses + _NESTS.get(text, 0))
            self._interpolations += text == b"#{"
        return end

    def finish(self) -> list[Rule]:
        """Note what is left open at the end of the text; return the rules at its top level."""
        for rule in self._opened:
            rule.end = len(self._content)
            self._troubles.note(rule.start, rule.head_end)
        if self._start is not None:
            self._troubles.note(self._start, len(self._content))
        return self._top

    def _open(self, token: re.Match[bytes]) -> None:
        start = token.start() if self._start is None else self._start
        rule = Rule(start, token.start(), token.end(), is_block=True)
        (self._opened[-1].children if self._opened else self._top).append(rule)
        self._opened.append(rule)
        self._start, self._parentheses, self._interpolations = None, 0, 0

    def _close(self, token: re.Match[bytes]) -> None:
        if self._opened:
            self._opened.pop().end = token.end()
        else:
            self._troubles.note(*token.span())
        self._start, self._parentheses = None, 0

    def _end_statement(self, token: re.Match[bytes]) -> None:
        if self._start is not None and not self._opened:
            self._top.append(Rule(self._start, token.start(), token.end(), is_block=False))
        self._start = None
