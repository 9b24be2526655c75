"""Web pages are cut at their headings, and found by their words and not by their markup."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.structured.plain import plain_text, plain_texts, with_plain_texts
from brain_dagster.model import ChunkDraft, ParsedDocument

PAGE = (Path(__file__).resolve().parent.parent / "corpora" / "structure" / "html.html").read_text(
    encoding="utf-8"
)


def chunked(text: str, budget: int = 100) -> ParsedDocument:
    return chunk_text(text, "html", budget)


def chunk_with(document: ParsedDocument, words: str) -> ChunkDraft:
    (found,) = [chunk for chunk in document.chunks if words in chunk.text]
    return found


def test_page_says_what_it_is_about_and_who_wrote_it() -> None:
    assert chunked(PAGE).metadata == {
        "description": "How to feed, store & revive a sourdough starter.",
        "author": "Ada Kneader",
        "tags": "bread, sourdough, starter",
    }


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title> Feeding &amp;\n keeping </title><h1>Other</h1>", "Feeding & keeping"),
        ("<body><h2>Below</h2>x<h1>The <em>one</em></h1><h1>Second</h1>", "The one"),
        ("<body><svg><title>Arrow</title></svg><p>Words.", ""),
        ("<h1><div>In a box</div></h1>", "In a box"),
        ("<h1>Never closed<p>Paragraph", "Never closed"),
        ("<h1></h1><h2>Only words count</h2>", "Only words count"),
    ],
)
def test_title_of_a_page(page: str, title: str) -> None:
    assert chunked(page).title == title


def test_later_rows_of_a_large_table_carry_its_header() -> None:
    document = chunked(PAGE)
    assert chunk_with(document, "20 g, young").enclosing == ()
    assert chunk_with(document, "200 g, for a crowd").enclosing == ("starter | flour | water",)
    assert chunk_with(document, "Grey water").enclosing == ()


def test_table_that_fits_is_one_chunk() -> None:
    table = chunk_with(chunked(PAGE, 300), "20 g, young")
    assert "200 g, for a crowd" in table.text


def test_table_that_lays_out_a_page_is_cut_at_the_headings_in_it() -> None:
    cell = "<tr><td><h2>{0}</h2><p>{1}</p></td></tr>\n"
    text = (
        "<table>"
        + "".join(cell.format(name, f"All about {name}. " * 15) for name in ("Bees", "Ants"))
        + "</table>"
    )
    assert [chunk.headings for chunk in chunked(text).chunks] == [("Bees",), ("Ants",)]


def test_script_shares_no_chunk_with_prose() -> None:
    text = (
        "<h1>Bees</h1><p>They fly.</p><script>track('visit')</script>"
        "<p>They sting.</p><style>p{color:red}</style>"
    )
    document = chunked(text)
    assert [chunk.text for chunk in document.chunks] == [
        "<h1>Bees</h1><p>They fly.</p>",
        "<script>track('visit')</script>",
        "<p>They sting.</p>",
        "<style>p{color:red}</style>",
    ]
    assert [chunk.kind for chunk in document.chunks] == ["section", "module", "section", "module"]
    assert document.chunks[2].headings == ("Bees",)


def test_reference_to_a_script_cuts_nothing() -> None:
    (chunk,) = chunked("<p>They fly.</p>\n<script src='x.js'></script>\n<p>They sting.</p>").chunks
    assert chunk.kind == "section"


def test_paragraphs_of_a_page_on_one_line_are_not_cut_in_two() -> None:
    text = "<body>" + "".join(
        f"<p>Paragraph {n} tells what happened on day {n} of it.</p>" for n in range(40)
    )
    for chunk in chunked(text).chunks:
        assert chunk.text.endswith("of it.</p>")


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("<p>Fish &amp; <b>ch</b>ips, caf&eacute; &#8364;5</p>", "Fish & chips, café €5"),
        ("<p>one</p><p>two</p>three<br>four", "one\ntwo\nthree\nfour"),
        ("<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>", "a\nb"),
        ("<table><tr><th>k</th> <th>v</th></tr><tr><td>1</td><td></td></tr></table>", "k | v\n1"),
        ("<pre>if x:\n    y\n</pre><p>so  it\nsays", "if x:\n    y\n\nso it says"),
        ("<p class='hidden gem' title=\"a > b\">seen</p>", "seen"),
        ("a <!-- <p>secret</p> --> b<script>if (a<b) go('c')</script>", "a b"),
        ("<SCRIPT>x</SCRIPT ><STYLE>p{}</style>y", "y"),
        ("5 < 6 and 7 > 6 <3", "5 < 6 and 7 > 6 <3"),
        ("<img alt='a bee' src='bee.png'><a href='/x'>the hive</a>", "the hive"),
        ("<!DOCTYPE html><?php echo '<p>'; ?>x", "x"),
        ("<p>never closed <b", "never closed <b"),
        ('<p title="quote that <b>never</b> closes>x</p> y', "never closes>x\ny"),
        ("<![CDATA[x < y]]>", "x < y"),
        ("half=\"cut\" class='x'>words", "words"),
        ("is 5 > 4?", "is 5 > 4?"),
        ("rest of a comment --> words", "words"),
    ],
)
def test_words_of_a_page_without_its_markup(markup: str, words: str) -> None:
    assert plain_text("html", markup) == words


@pytest.mark.parametrize(
    "markup", ["<div class='x'></div>", "<!-- only this -->", "<script>x</script>", " <br> "]
)
def test_markup_without_words_is_left_as_it_is(markup: str) -> None:
    assert plain_text("html", markup) is None


@pytest.mark.parametrize("language", ["markdown", "xml", "vue", "", "python"])
def test_only_web_pages_have_a_plain_text(language: str) -> None:
    assert plain_text(language, "<p>words</p>") is None


def test_pieces_of_a_page_are_read_as_one() -> None:
    assert plain_texts("html", ['<p>a</p><p class="long', 'er">b <script>var c', " = 1;</script>d"]) == [
        "a",
        "b",
        "d",
    ]


def test_chunks_of_a_page_are_found_by_words_alone() -> None:
    chunks = with_plain_texts("html", chunked(PAGE).chunks)
    words = " ".join(chunk.plain_text or "" for chunk in chunks)
    assert "stir in as much flour and water as is left. On the counter" in words
    assert not {"guide", "lead", "href", "analytics", "</li>"} & set(words.split())


@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(
            ["<p", ">", "<!--", "-->", '"', "='", "</", "<script>", "</script", "é", "&#9", " ", "<td>"]
        )
    ),
    place=st.integers(0, 60),
)
def test_words_of_pieces_come_from_the_text_whatever_it_holds(parts: list[str], place: int) -> None:
    text = "".join(parts)
    for found in (*plain_texts("html", [text[:place], text[place:]]), plain_text("html", text)):
        assert found is None or found.strip()


_MEGABYTE = {
    "brackets": "<" * 1_000_000,
    "open tags": "<a " * 330_000,
    "open quotes": '<a x="' * 160_000,
    "comments": "<!--" * 250_000,
    "nested boxes": "<div>" * 100_000,
    "headings": "<h1><div>" * 60_000,
    "tables": "<table><tr>" * 60_000,
    "blanks": "<pre>" + " " * 1_000_000 + "x",
    "digits": "&#" + "9" * 1_000_000 + ";",
    "equals": '="' * 500_000,
    "metas": "<meta " + "a" * 900_000 + ">",
}


@pytest.mark.parametrize("name", _MEGABYTE)
def test_e6_a_megabyte_of_hostile_markup_takes_seconds(name: str) -> None:
    """Each takes under 2 s on one core; a search that starts over at every tag takes minutes."""
    begun = time.process_time()
    document = chunked(_MEGABYTE[name], 200)
    with_plain_texts("html", document.chunks)
    assert time.process_time() - begun < 15
    assert "".join(chunk.text for chunk in document.chunks) == _MEGABYTE[name]
