"""Pages are cut at sentences, and a chunk belongs to one page."""

from __future__ import annotations

from brain_dagster.chunk.pages import Page, PageChunk, chunk_page, page_drafts
from brain_dagster.chunk.tokens import default_counter


def texts(page: str, budget: int) -> list[str]:
    content = page.encode()
    return [content[c.start : c.end].decode() for c in chunk_page(page, budget, default_counter())]


def test_short_page_is_one_chunk() -> None:
    assert texts("A page with a few words.", 200) == ["A page with a few words."]


def test_blank_page_has_no_chunk() -> None:
    assert texts(" \n\r\n\t", 200) == []
    assert texts("", 200) == []


def test_page_is_cut_where_a_sentence_ends_its_line() -> None:
    sentence = "This sentence runs over the\nend of its line and stops here.\n"
    assert all(text.endswith("stops here.\n") for text in texts(sentence * 12, 40))
    assert "".join(texts(sentence * 12, 40)) == sentence * 12


def test_draft_of_a_page_names_the_page_and_no_lines() -> None:
    page = "é. Words on a page."
    chunks = chunk_page(page, 200, default_counter())
    (draft,) = page_drafts(page.encode(), chunks, Page(3, label="iii", headings=("Part",)), first=7)
    assert (draft.ordinal, draft.kind, draft.page, draft.page_label) == (7, "page", 3, "iii")
    assert (draft.start_byte, draft.end_byte, draft.start_line, draft.end_line) == (None,) * 4
    assert draft.headings == ("Part",)
    assert draft.text == page


def test_words_that_a_line_end_divides_are_searched_whole_and_shown_as_printed() -> None:
    page = (
        "Shells are vis-\nitors, we do not\nsee them. How-\never, the Anglo-\nSaxon pages 10-\n12 are whole."
    )
    (draft,) = page_drafts(page.encode(), chunk_page(page, 200, default_counter()), Page(1), first=0)
    assert draft.text == page
    whole = "Shells are visitors,\nwe do not\nsee them. However,\nthe Anglo-\nSaxon pages 10-\n12 are whole."
    assert draft.plain_text == whole
    assert page_drafts(b"Whole words.", [PageChunk(0, 12, 3)], Page(1), first=0)[0].plain_text is None


def test_section_begins_a_chunk_and_gives_it_its_headings() -> None:
    first, second = "Sowing\n" + "Rye is sown in autumn.\n" * 8, "Harvest\n" + "Rye is cut in July.\n" * 8
    sections = [(0, ("Fields", "Sowing")), (len(first), ("Fields", "Harvest"))]
    chunks = chunk_page(first + second, 200, default_counter(), sections)
    assert [(chunk.start, chunk.headings) for chunk in chunks] == [
        (0, ("Fields", "Sowing")),
        (len(first), ("Fields", "Harvest")),
    ]


def test_scrap_of_a_section_goes_with_the_next_one_and_most_of_a_chunk_names_it() -> None:
    scrap, rest = "and so it ended.\n", "Harvest\n" + "Rye is cut in July.\n" * 8
    sections = [(0, ("Sowing",)), (len(scrap), ("Harvest",))]
    (chunk,) = chunk_page(scrap + rest, 200, default_counter(), sections)
    assert chunk.headings == ("Harvest",)
