"""What the readers of all prose formats share: blocks, the scanner that gathers them, plain titles.

Blocks tile the text: each begins on its first line and ends where the next one begins, blank lines included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from brain_dagster.chunk.blocks.front_matter import Form, read_front_matter
from brain_dagster.chunk.source import SourceText

FRONT_MATTER_LINES = 400
MAX_TITLE_CHARS = 200
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_FENCES: dict[str, tuple[Form, tuple[str, ...]]] = {
    "---": ("yaml", ("---", "...")),
    "+++": ("toml", ("+++",)),
    "{": ("json", ("}",)),
}


@dataclass(slots=True)
class Block:
    """A stretch of whole lines.

    level       of a heading, counted from 1; 0 for everything else
    title       of a heading, without markup
    is_rigid    code and tables: kept whole where they fit
    is_apart    shares its chunks with nothing, e.g. the script of a web page
    header_row  of a table, in one line: the pieces of a long table carry it
    """

    start: int
    level: int = 0
    title: str = ""
    is_rigid: bool = False
    is_apart: bool = False
    is_front_matter: bool = False
    header_row: str = ""


class LineScanner:
    """The lines of a text without their ends, and what has been found in them so far."""

    def __init__(self, source: SourceText) -> None:
        bounds = [*source.line_starts, len(source)]
        content = source.content
        self.starts = source.line_starts
        self.lines = [content[start:end].rstrip(b"\r\n").decode() for start, end in pairwise(bounds)]
        self.blocks: list[Block] = []
        self.metadata: dict[str, str] = {}
        self.warnings: list[str] = []

    def begin(self, line: int, **properties: object) -> Block:
        """Start a block at a line."""
        block = Block(self.starts[line], **properties)  # type: ignore[arg-type]
        self.blocks.append(block)
        return block

    def take_front_matter(self) -> int:
        """Take front matter as a block and read it; return the line after it, 0 if there is none.

        YAML stands between `---`, TOML between `+++`, JSON between braces on lines of their own.
        """
        fence = self.lines[0].rstrip().removeprefix("\ufeff") if self.lines else ""
        if fence not in _FENCES:
            return 0
        form, closing = _FENCES[fence]
        for number in range(1, min(len(self.lines), FRONT_MATTER_LINES)):
            if self.lines[number].rstrip() in closing:
                return self._accept_front_matter(form, number)
        return 0

    def _accept_front_matter(self, form: Form, last: int) -> int:
        whole = "\n".join(self.lines[1:last])
        found = read_front_matter("{" + whole + "\n}" if form == "json" else whole, form)
        if form == "json" and not found.metadata:
            return 0  # a brace on a line of its own begins many things
        self.metadata |= found.metadata
        self.warnings += [found.warning] if found.warning else []
        self.begin(0, is_front_matter=True)
        return last + 1


def plain(title: str) -> str:
    """Return a heading's text without links, emphasis and code marks."""
    bare = _LINK.sub(r"\1", title[: 5 * MAX_TITLE_CHARS])
    return " ".join(bare.replace("`", "").replace("**", "").split())[:MAX_TITLE_CHARS]


def is_indented(line: str) -> bool:
    """Tell whether a line is set in like a block of code: four columns or more."""
    return line[:4].expandtabs(4).startswith("    ")
