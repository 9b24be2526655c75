"""Prose is cut at its headings; expected sections are written down by hand from tests/corpora/prose."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.model import ChunkDraft, ParsedDocument

PROSE = Path(__file__).resolve().parent.parent / "corpora" / "prose"
START = "Before you start"
YEAR = "The year of a colony"


def chunked(name: str, budget: int) -> ParsedDocument:
    return chunk_text((PROSE / name).read_text(encoding="utf-8"), name.partition(".")[0], budget)


def sections(chunks: tuple[ChunkDraft, ...]) -> list[tuple[tuple[str, ...], int | None, int | None]]:
    """Merge neighbouring chunks of one section: the pieces of a long one."""
    groups = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.headings)]
    return [(group[0].headings, group[0].start_line, group[-1].end_line) for group in groups]


def test_markdown_is_cut_at_its_headings() -> None:
    assert sections(chunked("markdown.md", 75).chunks) == [
        ((), 1, 7),
        ((START,), 8, 12),
        ((START, "What you need"), 13, 22),
        ((START, "What you need", "Shopping list"), 23, 29),
        ((START, YEAR), 30, 43),
        (("Reading",), 44, 47),
    ]


def test_front_matter_is_a_chunk_of_its_own() -> None:
    front, preamble, *_ = chunked("markdown.md", 200).chunks
    assert (front.start_line, front.end_line) == (1, 5)
    assert preamble.text.startswith("Bees do well in cities")
    assert preamble.headings == (START,)


def test_table_stays_whole_where_it_fits() -> None:
    (table,) = [chunk for chunk in chunked("markdown.md", 75).chunks if "| hive |" in chunk.text]
    assert "| smoker |" in table.text


def test_markdown_outline_and_title() -> None:
    document = chunked("markdown.md", 75)
    assert document.title == "Keeping bees on a roof"
    assert document.outline == (START, "What you need", "Shopping list", YEAR, "Reading")
    assert {chunk.kind for chunk in document.chunks} == {"section"}


def test_restructured_text_is_cut_at_its_titles() -> None:
    document = chunked("rst.rst", 60)
    assert sections(document.chunks) == [
        (("Sailing by hand",), 1, 7),
        (("Sailing by hand", "Knots"), 8, 17),
        (("Sailing by hand", "Knots", "Bowline"), 18, 23),
        (("Sailing by hand", "Weather"), 24, 27),
    ]
    assert document.title == "Sailing by hand"


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A #\n", ("A",)),
        ("###### deep\n", ("deep",)),
        ("####### seven\n", ()),
        ("#hashtag\n", ()),
        ("   # indented\n", ("indented",)),
        ("    # code\n", ()),
        ("Title\n===\n", ("Title",)),
        ("Two\nlines\n---\n", ("Two lines",)),
        ("- item\n---\n", ()),
        ("\n---\n\ntext\n", ()),
        ("```\n# a\n```\n# b\n", ("b",)),
        ("~~~ sh\n# a\n```\n# b\n~~~\n", ()),
        ("````\n```\n# a\n````\n# b\n", ("b",)),
        ("```\nnever closed\n# a\n", ()),
        ("> ```\n> # a\n> ```\n# b\n", ("b",)),
        ("<!-- # a -->\n# b\n", ("b",)),
        ("<!--\n# a\n-->\n# b\n", ("b",)),
        ("# `code` and **bold**\n", ("code and bold",)),
        ("# A\r\n\r\n## B\r\n", ("A", "B")),
        ("# A\r\r## B\r", ("A", "B")),
    ],
)
def test_what_is_a_markdown_heading(text: str, headings: tuple[str, ...]) -> None:
    assert chunk_text(text, "markdown", 100).outline == headings


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 'Quoted'\n---\n# Other\n", "Quoted"),
        ("---\r\ntitle: From DOS\r\n---\r\n", "From DOS"),
        ('+++\ntitle = "Toml"\n+++\ntext\n', "Toml"),
        ("---\nno title here\n---\n# Heading\n", "Heading"),
        ("---\n# never closed\n", "never closed"),
        ("only text\n", ""),
    ],
)
def test_title_comes_from_front_matter_or_the_first_heading(text: str, title: str) -> None:
    assert chunk_text(text, "markdown", 100).title == title


def test_code_block_stays_whole_where_it_fits() -> None:
    code = "```python\n" + "call_something(1)\n\n" * 8 + "```\n"
    text = "# Usage\n\n" + "Some words before the code, to fill the budget. " * 3 + "\n\n" + code
    chunks = chunk_text(text, "markdown", 75).chunks
    assert [chunk.text.count("```") for chunk in chunks] == [0, 2]


def test_code_block_over_the_budget_is_cut_at_its_lines() -> None:
    text = "# Usage\n\n```\n" + "call_something(1, 2, 3)\n" * 60 + "```\n"
    chunks = chunk_text(text, "markdown", 75).chunks
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(chunk.text.endswith("\n") for chunk in chunks)
    assert chunks[0].text.startswith("# Usage\n\n```\ncall")


def test_paragraphs_are_packed_to_the_budget_and_not_torn() -> None:
    paragraph = "A paragraph of exactly ten words, no more, no less.\n\n"
    chunks = chunk_text("# Long\n\n" + paragraph * 30, "markdown", 80).chunks
    assert all(chunk.text.endswith("less.\n\n") for chunk in chunks)
    assert all(chunk.tokens > 40 for chunk in chunks[:-1])


def test_small_sections_share_a_chunk_under_the_heading_they_share() -> None:
    text = "# Glossary\n\n" + "".join(f"## Term {n}\n\nA word or two.\n\n" for n in range(4))
    (chunk,) = chunk_text(text, "markdown", 100).chunks
    assert chunk.headings == ("Glossary",)


def test_small_outermost_sections_share_a_chunk_too() -> None:
    text = "".join(f"# Term {n}\n\nA word or two.\n\n" for n in range(6))
    (chunk,) = chunk_text(text, "markdown", 100).chunks
    assert chunk.headings == ()


def test_large_section_does_not_swallow_its_small_neighbour() -> None:
    text = "# Large\n\n" + "Many words about one thing. " * 12 + "\n\n# Small\n\nFew words.\n"
    large, small = chunk_text(text, "markdown", 100).chunks
    assert (large.headings, small.headings) == (("Large",), ("Small",))


def test_heading_without_text_goes_with_the_section_below_it() -> None:
    text = "# Manual\n\n## Install\n\n" + "Run the installer and wait for it. " * 8
    (chunk,) = chunk_text(text, "markdown", 200).chunks
    assert chunk.headings == ("Manual", "Install")
