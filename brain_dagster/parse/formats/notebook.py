"""Reads Jupyter notebooks, nbformat 3 and 4: a part per cell, small neighbours together.

Nothing but JSON is needed for it. Headings of Markdown cells hold for all cells below them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.blocks import BLOCKS
from brain_dagster.chunk.pages import Page, PageChunk
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Part, PartedText
from brain_dagster.parse.formats.notebook_headings import Trail, common, titles, trails_of
from brain_dagster.parse.formats.notebook_output import joined, output_text
from brain_dagster.parse.formats.pieces import PartText, whole
from brain_dagster.store.clean import clean_text

MAX_OUTLINE = 100
MAX_SYMBOLS = 20
_GAP = "\n\n"
_DATA_ADDRESS = re.compile(r"data:[\w/+.-]{1,60};base64,[A-Za-z0-9+/=]{40,}")
# Kernels and cell magics by the names that the table of languages uses.
_LANGUAGES = {
    "ipython": "python", "python2": "python", "python3": "python", "sage": "python", "pyspark": "python",
    "c++": "cpp", "c++11": "cpp", "c++14": "cpp", "c++17": "cpp", "c++20": "cpp", "c#": "csharp",
    "f#": "fsharp", "bash": "shell", "sh": "shell", "js": "javascript", "node": "javascript",
    "ts": "typescript",
}  # fmt: skip
_MAGIC = re.compile(r"\s*%%(bash|sh|sql|javascript|js|html|latex|R|perl|ruby|svg)\b")


@dataclass(frozen=True)
class Cell:
    """One cell with what is shown of its output.

    kind      code | prose | raw
    run       number of its execution, if it has one
    language  of the code, or markdown | rst
    """

    number: int
    kind: str
    source: str
    output: str
    run: int | None
    language: str

    @cached_property
    def text(self) -> str:
        """Source and output as they are shown, with the gap that separates them from the next cell."""
        output = f"Output:\n{self.output}\n" if self.output else ""
        return _GAP.join(filter(None, (self.source.rstrip(), output.rstrip()))) + _GAP

    @property
    def is_blank(self) -> bool:
        """Whether nothing would be shown."""
        return not self.text.strip()


def extract(content: bytes, budget: int, counter: TokenCounter) -> PartedText:
    """Open a notebook.

    Errors  BrokenDocument - it is no JSON, nested too deeply, or has no cells.
    """
    book = _loaded(content)
    facts = _mapping(book.get("metadata"))
    language = _language(facts)
    cells = [_cell(number, entry, language) for number, entry in enumerate(_entries(book), 1)]
    headings = [(level, title) for cell in cells for level, title in _headings(cell, counter) if title]
    outermost = min((level for level, _ in headings), default=1)
    second = [title for level, title in headings if level <= outermost + 1]
    title = headings[0][1] if headings else str(facts.get("title") or "")
    return PartedText(
        kind="cell",
        part_count=len(cells),
        parts=_parts(cells, budget, counter),
        title=clean_text(title)[:300],
        outline=tuple(second[:MAX_OUTLINE]),
        metadata=_metadata(book, facts, language),
    )


def _loaded(content: bytes) -> Mapping[str, Any]:
    try:
        book = json.loads(content)
    except RecursionError as error:
        raise BrokenDocument("The notebook cannot be read: it is nested too deeply") from error
    except ValueError as error:
        raise BrokenDocument(f"The notebook cannot be read: {str(error)[:200]}") from error
    if not isinstance(book, dict):
        raise BrokenDocument("The notebook cannot be read: it is not a JSON object")
    return book


def _entries(book: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the cells: those of nbformat 4, or those of all worksheets of nbformat 3."""
    found = book.get("cells")
    if not isinstance(found, list):
        sheets = book.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        cells = [_mapping(sheet).get("cells") for sheet in sheets]
        found = [cell for each in cells if isinstance(each, list) for cell in each]
        if not sheets:
            raise BrokenDocument("The notebook cannot be read: it has no cells")
    return [_mapping(cell) for cell in found]


def _cell(number: int, entry: Mapping[str, Any], language: str) -> Cell:
    kind = str(entry.get("cell_type"))
    source = _DATA_ADDRESS.sub("data:…", clean_text(joined(entry.get("source", entry.get("input")))))
    if kind == "heading":  # nbformat 3
        level = entry.get("level")
        marks = "#" * (min(max(level, 1), 6) if isinstance(level, int) else 1)
        source = f"{marks} {' '.join(source.split())}"
    is_rst = "restructuredtext" in str(_mapping(entry.get("metadata")).get("raw_mimetype", "")).lower()
    if kind in ("markdown", "heading") or is_rst:
        return Cell(number, "prose", source, "", None, "rst" if is_rst else "markdown")
    run = entry.get("execution_count", entry.get("prompt_number"))
    magic = _MAGIC.match(source)
    spoken = magic[1].lower() if magic else str(entry.get("language") or language)
    return Cell(
        number=number,
        kind=kind,
        source=source,
        output=output_text(entry.get("outputs")) if kind == "code" else "",
        run=run if isinstance(run, int) and kind == "code" else None,
        language=_known_language(spoken),
    )


def _parts(cells: Sequence[Cell], budget: int, counter: TokenCounter) -> Iterator[Part]:
    """Yield the parts in order; together they stand for every cell, empty ones included."""
    trail: Trail = ()
    done = 0
    for group in _groups(cells, budget, counter):
        first, last = group[0].number, group[-1].number
        if first > done + 1:
            yield Part(_page(done + 1, first - 1), "")
        part, trail = _part(group, trail, budget, counter)
        yield part
        done = last
    if done < len(cells):
        yield Part(_page(done + 1, len(cells)), "")


def _page(first: int, last: int, label: str = "") -> Page:
    return Page(first, "cell", label, last=last if last > first else 0)


def _groups(cells: Sequence[Cell], budget: int, counter: TokenCounter) -> Iterator[list[Cell]]:
    """Gather neighbours that fit one chunk: Markdown leads the code below it, a heading begins anew."""
    group: list[Cell] = []
    size = 0
    for cell in cells:
        if cell.is_blank:
            continue
        source = SourceText(cell.text, counter)
        tokens = source.tokens(0, len(source)) if source.fits(0, len(source), budget) else budget + 1
        begins = cell.kind == "prose" and (
            _begins_with_heading(cell, counter) or any(each.kind == "code" for each in group)
        )
        if group and (begins or size + tokens > budget):
            yield group
            group, size = [], 0
        group.append(cell)
        size += tokens
    if group:
        yield group


def _part(group: Sequence[Cell], trail: Trail, budget: int, counter: TokenCounter) -> tuple[Part, Trail]:
    """Return a group as a part, and the headings in force below it."""
    text = PartText(budget, counter)
    first, last = group[0], group[-1]
    label = f"cells {first.number}-{last.number}"
    if len(group) == 1:
        label = f"cell {first.number}" + (f" [{first.run}]" if first.run is not None else "")
    if len(group) == 1 and first.kind == "prose":
        chunks, trail = _prose_chunks(first, trail, budget, counter)
        text.add(first.text, chunks)
    elif len(group) == 1:
        _add_code(text, first, titles(trail), budget, counter)
    else:
        shared: list[tuple[str, ...]] = []
        for cell in group:
            if cell.kind == "prose":
                trails, trail = trails_of(cell.text, cell.language, trail, counter)
                shared.append(common([titles(each) for _, each in trails]))
        everything = "".join(cell.text for cell in group)
        names = common(shared) if shared else titles(trail)
        symbol = _symbols(group, budget, counter)
        text.add(everything, [whole(everything, counter, symbol=symbol, headings=names)])
    return text.part(_page(first.number, last.number, label)), trail


def _add_code(
    text: PartText, cell: Cell, headings: tuple[str, ...], budget: int, counter: TokenCounter
) -> None:
    """Add a code cell: whole if it fits, else cut at its declarations, the output behind them."""
    only = SourceText(cell.text, counter)
    if only.fits(0, len(only), budget):
        symbol = _symbols([cell], budget, counter)
        text.add(cell.text, [whole(cell.text, counter, symbol=symbol)], headings=headings)
        return
    language = cell.language if cell.kind == "code" else ""
    code = cell.source.rstrip() + _GAP
    drafts = chunk_text(code, language, budget, counter=counter).chunks
    cut = [
        PageChunk(each.start_byte or 0, each.end_byte or 0, each.tokens, "", each.symbol, each.enclosing)
        for each in drafts
    ]
    text.add(code if cut else "", cut, headings=headings)
    if cell.output:
        text.add_page(f"Output:\n{cell.output}{_GAP}", headings=headings)


def _symbols(group: Sequence[Cell], budget: int, counter: TokenCounter) -> str:
    """Name what the code cells declare at their top level."""
    names: list[str] = []
    for cell in group:
        if cell.kind == "code":
            names += chunk_text(cell.source, cell.language, budget, counter=counter).outline
    return ", ".join(list(dict.fromkeys(names))[:MAX_SYMBOLS])


def _prose_chunks(
    cell: Cell, before: Trail, budget: int, counter: TokenCounter
) -> tuple[list[PageChunk], Trail]:
    """Cut a cell of prose at its headings and paragraphs; every chunk knows all headings above it."""
    drafts = chunk_text(cell.text, cell.language, budget, counter=counter).chunks
    trails, after = trails_of(cell.text, cell.language, before, counter)
    chunks = []
    for each in drafts:
        start, end = each.start_byte or 0, each.end_byte or 0
        earlier = [trail for offset, trail in trails if offset <= start]
        inside = [trail for offset, trail in trails if start < offset < end]
        names = common([titles(trail) for trail in (*earlier[-1:], *inside)])
        chunks.append(PageChunk(start, end, each.tokens, headings=names))
    return chunks, after


def _headings(cell: Cell, counter: TokenCounter) -> list[tuple[int, str]]:
    if cell.kind != "prose" or cell.is_blank:
        return []
    blocks = BLOCKS[cell.language](SourceText(cell.text, counter))
    return [(block.level, block.title) for block in blocks if block.level]


def _begins_with_heading(cell: Cell, counter: TokenCounter) -> bool:
    blocks = BLOCKS[cell.language](SourceText(cell.text, counter))
    return bool(blocks) and blocks[0].level > 0


def _language(facts: Mapping[str, Any]) -> str:
    kernel, info = _mapping(facts.get("kernelspec")), _mapping(facts.get("language_info"))
    return str(info.get("name") or kernel.get("language") or kernel.get("name") or "python")


def _known_language(name: str) -> str:
    name = name.strip().lower()
    return _LANGUAGES.get(name, name)


def _metadata(book: Mapping[str, Any], facts: Mapping[str, Any], language: str) -> dict[str, str]:
    kernel = _mapping(facts.get("kernelspec")).get("display_name")
    authors = facts.get("authors")
    people = [_mapping(each).get("name") for each in authors] if isinstance(authors, list) else []
    said = {
        "language": _known_language(language),
        "kernel": kernel,
        "nbformat": book.get("nbformat"),
        "author": ", ".join(str(name) for name in people if name),
    }
    return {name: str(value) for name, value in said.items() if value}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
