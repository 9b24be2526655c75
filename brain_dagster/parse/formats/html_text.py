"""HTML of a mail as plain text: paragraphs, list items, table rows; quotations marked as mail marks them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

MAX_CHARS = 2_000_000
MAX_QUOTES = 5
_BLOCKS = frozenset(
    "address article aside blockquote center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header"
    " hr li main nav ol p pre section table tr ul".split()
)
_APART = frozenset("p h1 h2 h3 h4 h5 h6 table ul ol blockquote pre".split())
_SILENT = frozenset("script style head template svg math object".split())
_SPACES = re.compile(r"[ \t\r\n\f\u00a0]+")
_COMMENT = re.compile(r"<!--.{0,100000}?(?:-->|\Z)", re.DOTALL)


def html_text(markup: str) -> str:
    """Return what a reader of the page would see, line by line; never raises, whatever the markup."""
    reader = _Reader()
    reader.feed(_COMMENT.sub("", markup[:MAX_CHARS]))
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line = ""
        self._silent = ""
        self._depth = 0
        self._quotes = 0
        self._is_verbatim = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line for a block, silence for what is not shown."""
        if self._silent:
            self._depth += tag == self._silent
            return
        if tag in _SILENT:
            self._silent, self._depth = tag, 1
        elif tag == "br":
            self._end_line()
        elif tag in ("td", "th"):
            self._line += " | " if self._line.strip() else ""
        elif tag in _BLOCKS:
            self._end_block(tag)
            self._line = "- " if tag == "li" else ""
            self._is_verbatim = self._is_verbatim or tag == "pre"
            self._quotes = min(self._quotes + (tag == "blockquote"), MAX_QUOTES)

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        if self._silent:
            self._depth -= tag == self._silent
            if self._depth <= 0:
                self._silent = ""
        elif tag in _BLOCKS:
            self._end_block(tag)
            self._is_verbatim = self._is_verbatim and tag != "pre"
            self._quotes = max(0, self._quotes - (tag == "blockquote"))

    def handle_data(self, data: str) -> None:
        """Take text as a browser does: any white space is one space."""
        if self._silent:
            return
        if self._is_verbatim:
            *lines, self._line = f"{self._line}{data}".split("\n")
            self._lines += [self._quoted(line) for line in lines]
            return
        words = _SPACES.sub(" ", data)
        self._line += words.lstrip(" ") if not self._line or self._line.endswith(" ") else words

    def _end_block(self, tag: str) -> None:
        self._end_line(only_if_begun=True)
        if tag in _APART and self._lines and self._lines[-1].strip("> "):
            self._lines.append(self._quoted(""))

    def _end_line(self, *, only_if_begun: bool = False) -> None:
        if self._line.strip(" -|") or not only_if_begun:
            self._lines.append(self._quoted(self._line.rstrip(" ")))
        self._line = ""

    def _quoted(self, line: str) -> str:
        return f"{'> ' * self._quotes}{line}".rstrip()

    def text(self) -> str:
        """Return the lines, never more than one empty one between two."""
        self._end_line(only_if_begun=True)
        kept: list[str] = []
        for line in self._lines:
            if line.strip("> ") or (kept and kept[-1].strip("> ")):
                kept.append(line)
        return "\n".join(kept).strip("\n")
