"""Prose is cut at its headings; expected sections are written down by hand from tests/corpora/prose."""

from __future__ import annotations

import re
import time
from itertools import groupby
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.model import ChunkDraft, ParsedDocument

PROSE = Path(__file__).resolve().parent.parent / "corpora" / "prose"
EXPECTED = sorted(path.name.removesuffix(".txt") for path in (PROSE / "expected").glob("*.txt"))
START = "Before you start"


def chunked(name: str, budget: int) -> ParsedDocument:
    return chunk_text((PROSE / name).read_text(encoding="utf-8"), name.partition(".")[0], budget)


def sections(chunks: tuple[ChunkDraft, ...]) -> list[tuple[tuple[str, ...], int | None, int | None]]:
    """Merge neighbouring chunks of one section: the pieces of a long one."""
    groups = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.headings)]
    return [(group[0].headings, group[0].start_line, group[-1].end_line) for group in groups]


def words_after(row: str, name: str) -> str:
    assert row.split(maxsplit=1)[0] == name
    return row.partition(" ")[2].strip()


def stretch(row: str) -> tuple[tuple[str, ...], int, int]:
    lines, _, trail = row.partition(" ")
    first, last = map(int, lines.split("-"))
    return tuple(filter(None, trail.strip().split(" > "))), first, last


@pytest.mark.parametrize("name", EXPECTED)
def test_prose_is_cut_where_a_reader_expects_it(name: str) -> None:
    """tests/corpora/prose/expected/README.md explains the form of what is expected."""
    rows = (PROSE / "expected" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    document = chunked(name, int(words_after(rows[0], "budget")))
    assert sections(document.chunks) == [stretch(row) for row in rows[3:]]
    assert document.title == words_after(rows[1], "title")
    assert document.outline == tuple(filter(None, words_after(rows[2], "outline").split(" | ")))
    assert document.warnings == ()


def test_front_matter_is_a_chunk_of_its_own() -> None:
    front, preamble, *_ = chunked("markdown.md", 200).chunks
    assert (front.start_line, front.end_line) == (1, 5)
    assert preamble.text.startswith("Bees do well in cities")
    assert preamble.headings == (START,)


def test_table_stays_whole_where_it_fits() -> None:
    (table,) = [chunk for chunk in chunked("markdown.md", 75).chunks if "| hive |" in chunk.text]
    assert "| smoker |" in table.text


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
        ("# C#\n# D #\n", ("C#", "D")),
        ("<pre>\n# a\n</pre>\n# b\n", ("b",)),
        ("<pre>\n# never closed\n", ("never closed",)),
        ("{/*\n# a\n*/}\n# b\n", ("b",)),
        ("one\ntwo\nthree\nfour\n---\n", ()),
        ("---\ntitle: x\n---\n# a\n", ("a",)),
        ("{\n# a\n}\n", ("a",)),
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


LONG_ROWS = [
    f"{name} costs {number} crowns in the town by the sea" for number, name in enumerate("abcdefghij" * 3)
]
TABLES = {
    "pipes": ("markdown", "| thing | price |\n|-------|------:|\n", "| {} | 9 |\n", "", "thing | price"),
    "bare pipes": ("markdown", "thing | price\n--- | ---\n", "{} | 9\n", "", "thing | price"),
    "below a line": (
        "markdown",
        "Prices:\n| thing | price |\n|---|---|\n",
        "| {} | 9 |\n",
        "",
        "thing | price",
    ),
    "grid": (
        "rst",
        "+------+-------+\n| the  | price |\n| name |       |\n+======+=======+\n",
        "| {} | 9 |\n+------+-------+\n",
        "",
        "the name | price",
    ),
    "simple": (
        "rst",
        "=====  ======\nthing  price\n=====  ======\n",
        "{}  9\n",
        "=====  ======\n",
        "thing | price",
    ),
    "list-table": (
        "rst",
        ".. list-table:: Prices\n   :header-rows: 1\n\n   * - thing\n     - price\n",
        "   * - {}\n     - 9\n",
        "",
        "thing | price",
    ),
    "csv-table": (
        "rst",
        '.. csv-table:: Prices\n   :header: "thing", "price"\n\n',
        '   "{}", 9\n',
        "",
        "thing | price",
    ),
    "asciidoc": ("asciidoc", "|===\n|thing |price\n\n", "|{}\n|9\n\n", "|===\n", "thing | price"),
    "asciidoc cells": (
        "asciidoc",
        "[%header,cols=2*]\n|===\n|thing\n|price\n\n",
        "|{}\n|9\n\n",
        "|===\n",
        "thing | price",
    ),
    "org": ("org", "| thing | price |\n|-------+-------|\n", "| {} | 9 |\n", "", "thing | price"),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_later_piece_of_a_long_table_carries_its_header_row(name: str) -> None:
    language, head, row, foot, expected = TABLES[name]
    table = head + "".join(row.format(words) for words in LONG_ROWS) + foot
    document = chunk_text(
        table + "\nAfter the table stand words that belong to no row of it.\n", language, 100
    )
    assert len(document.chunks) >= 4
    first, *later = document.chunks
    assert first.text.startswith(head)
    assert first.enclosing == ()
    inside = [chunk for chunk in later if " costs " in chunk.text]
    assert {chunk.enclosing for chunk in inside} == {(expected,)}
    assert all(chunk.enclosing == () for chunk in later if " costs " not in chunk.text)
    assert all(
        chunk.text.count(" costs ") == chunk.text.count("9\n") + chunk.text.count("9 |")
        for chunk in inside[:-1]
    )


@pytest.mark.parametrize("name", TABLES)
def test_table_that_fits_is_whole(name: str) -> None:
    language, head, row, foot, _ = TABLES[name]
    before = "Words before the table fill the chunk, so that it would not fit in as well. " * 4
    table = head + "".join(row.format(words) for words in LONG_ROWS[:3]) + foot
    chunks = chunk_text(f"{before}\n\n{table}", language, 150).chunks
    (holder,) = [chunk for chunk in chunks if " costs " in chunk.text]
    assert holder.text.endswith(table)
    assert holder.enclosing == ()


def test_row_of_a_grid_that_has_several_lines_is_not_torn() -> None:
    row = "| a town | where many people |\n|        | live by the sea   |\n+--------+-------------------+\n"
    text = (
        "+--------+-------------------+\n| place  | why               |\n+========+===================+\n"
        + row * 12
    )
    chunks = chunk_text(text, "rst", 150).chunks
    assert len(chunks) > 4
    assert all(chunk.text.count("where many") == chunk.text.count("live by") for chunk in chunks)


@pytest.mark.parametrize(
    "text",
    [
        "Intro.\n\n    first = a(1, 2, 3)\n\n    second = b(4, 5)\n\n    third = c(6, 7, 8)\n\nOutro.\n",
        "Intro::\n\n    first = a(1, 2, 3)\n\n    second = b(4, 5)\n\n    third = c(6, 7, 8)\n\nOutro.\n",
    ],
)
@pytest.mark.parametrize("language", ["markdown", "rst"])
def test_indented_code_is_one_block(text: str, language: str) -> None:
    filler = "Some words before the code fill up the chunk that it would not fit into. " * 2
    chunks = chunk_text(text.replace("Intro", filler + "Intro"), language, 50).chunks
    (holder,) = [chunk for chunk in chunks if "first" in chunk.text]
    assert "third" in holder.text


@pytest.mark.parametrize("language", ["markdown", "rst", "asciidoc", "org", "text"])
def test_paragraph_of_thousands_of_words_is_cut_at_sentences_wherever_its_lines_end(language: str) -> None:
    sentence = (
        "The lighthouse keeper, e.g. Mr. Hale of No. 9, counts the ships that pass in the night number {}. "
    )
    words = "".join(sentence.format(number) for number in range(300)).split()
    lines = [" ".join(words[start : start + 11]) for start in range(0, len(words), 11)]
    chunks = chunk_text("\n".join(lines) + "\n", language, 120).chunks
    assert len(chunks) > 40
    assert all(re.search(r"number\s\d+\.\s$", chunk.text) for chunk in chunks)
    assert min(chunk.tokens for chunk in chunks) > 60


def test_list_over_the_budget_is_cut_at_its_items() -> None:
    item = (
        "- the first line of an item. It has two sentences,\n  and a second line that is its own. So it is.\n"
    )
    chunks = chunk_text("# List\n\n" + item * 20, "markdown", 100).chunks
    assert len(chunks) > 3
    assert all(chunk.text.startswith("- the first") for chunk in chunks[1:])


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        (
            "NAME\n    ls - list\n\nSEE ALSO\n    dir\n    find\n\nand so on\nuntil\n",
            ("NAME", "SEE ALSO"),
        ),
        ("EVERY LINE\n\nIS SHOUTED\n\nIN HERE\n", ()),
        ("1. Buy milk\n\n2. Buy bread\n\n3. Go home\n", ()),
        ("1. Scope\n\nwords.\n\n1.1 Terms\n\nwords.\n", ("1. Scope", "1.1 Terms")),
        ("1. This is a sentence, and no title at all.\n\nwords\n", ()),
        ("10 Green bottles\nhanging on the wall\n", ()),
        ("Title\n=====\n\nwords\n\nPart\n----\n\nwords\n", ("Title", "Part")),
        ("a | b\n------\n1 | 2\n", ()),
        (
            "Abstract\n\n   words\n   words\n\n1.  Introduction\n\n   words\n   words\n\n"
            "Bradner        Best Practice        [Page 1]\n\n   words\n   words\n\nAppendix A\n\n   words\n",
            ("Abstract", "1. Introduction", "Appendix A"),
        ),
        ("requests==2.0\n\nflask>=3\n\n# Tests\npytest\n", ()),
        ("Dear all,\n\nthanks for the fish.\n\nBest regards\nArthur\n", ()),
    ],
)
def test_what_is_a_heading_of_plain_text(text: str, outline: tuple[str, ...]) -> None:
    assert chunk_text(text, "text", 100).outline == outline


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("= T\n\n== A ==\n\n=== B\n", ("T", "A", "B")),
        ("----\n== a\n----\n\n== b\n", ("b",)),
        ("----\n== never closed\n", ("never closed",)),
        ("Paragraph of some length\n----\ncode\n----\n", ()),
        ("A\n-\n", ()),
        ("Part\n----\nwords\n", ("Part",)),
        ("////\n== hidden\n////\n# md style\n", ("md style",)),
    ],
)
def test_what_is_a_section_of_asciidoc(text: str, outline: tuple[str, ...]) -> None:
    assert chunk_text(text, "asciidoc", 100).outline == outline


def test_anchor_and_attributes_stand_with_the_section_below_them() -> None:
    text = (
        "== One\n\n" + "Many words about the first thing. " * 9 + "\n\n[[two]]\n[appendix]\n== Two\n\nwords\n"
    )
    _, two = chunk_text(text, "asciidoc", 100).chunks
    assert two.text.startswith("[[two]]")


HOSTILE = {
    "one line of 50 kB": ("markdown text org csv vtt chat", "word " * 10_000),
    "deep quotes": ("markdown rst asciidoc", "> " * 100_000 + "x\n"),
    "deep list": ("markdown", "".join(" " * (level % 300) + "- x\n" for level in range(6_000))),
    "a hundred thousand stars": ("org text", "*" * 100_000 + " x\n"),
    "a megabyte of pipes": ("markdown", "|" * 1_000_000),
    "lines of pipes": ("asciidoc org csv", "|\n" * 40_000),
    "delimiter rows": ("markdown org", "|-|\n" * 20_000),
    "fences never closed": ("markdown asciidoc", "    ```\n" * 10_000),
    "fences of every length": ("asciidoc markdown", "".join("-" * length + "\n" for length in range(4, 500))),
    "open comments": ("markdown", "{/* \n<pre>\n" * 20_000),
    "hash and blanks": ("markdown org", "# " + " " * 100_000 + "x"),
    "brackets in a heading": ("markdown", "# " + "[" * 100_000),
    "rules under a paragraph": ("markdown text", "x\ny\nz\nw\n" + "---\n" * 20_000),
    "borders of tables": ("rst asciidoc", "==  ==\n" * 20_000 + "x\n"),
    "grid borders": ("rst", "+--+\n" * 20_000),
    "fields": ("rst asciidoc", ":a: b\n" * 20_000),
    "open blocks of org": ("org", "#+begin_src\n" * 20_000),
    "stamps and parentheses": ("text chat", "[00:00:00] a a a a a a (((((((\n" * 5_000),
    "names without an end": ("text markdown", ("Ann " * 20 + "\n") * 3_000),
    "sentence ends": ("markdown text", ". " * 50_000),
    "quotation marks": ("csv tsv", ',"' * 50_000 + "\n" + '"\n' * 20_000),
    "timings": ("vtt srt", "00:01.000 --> 00:02.000\n" * 5_000),
}


@pytest.mark.parametrize(
    ("language", "name"), [(language, name) for name in HOSTILE for language in HOSTILE[name][0].split()]
)
def test_e1_hostile_text_costs_no_square(language: str, name: str) -> None:
    text = HOSTILE[name][1]
    started = time.process_time()
    document = chunk_text(text, language, 200)
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert time.process_time() - started < 5
