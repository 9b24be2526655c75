"""What becomes of ranked chunks: passages, each text once, a fair share per file, all accounted for."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.model import Excerpt
from brain_dagster.query.excerpts import MERGED_TOKENS, MOST_FETCHED, Chosen
from brain_dagster.query.passage import joined_text, overlaps
from tests.support.shelf import Shelf, dropped, score, shown

# A few texts, so that copies are common; one with a line end inside, one that ends in none, one not ASCII.
PIECES = ["one\n", "two\ntwo\n", "drei ä\n", "four", "  one \n", "six\r\n", "日本\n"]
PIECES += [f"{n}\n" for n in range(20)]


@st.composite
def shelves(draw: st.DrawFn) -> tuple[Shelf, list[int], int]:
    """Documents, some paged, some copies of others; a ranking of some of their chunks; a limit."""
    shelf, known = Shelf(), []
    for number in range(draw(st.integers(1, 6))):
        if known and draw(st.booleans()):
            pieces = draw(st.sampled_from(known))
        else:
            pieces = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=9))
        known.append(pieces)
        size = len(pieces)
        pages = sorted(draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)))
        tokens = draw(st.lists(st.sampled_from([20, 240, 500, 500]), min_size=size, max_size=size))
        shelf.add(
            f"{number}.txt",
            pieces,
            collection=f"c{number % 2}",
            tokens=tokens,
            pages=pages if draw(st.integers(0, 3)) == 0 else (),
        )
    order = draw(st.permutations([*shelf.chunks, 9_001, 9_002]))
    if draw(st.booleans()):
        # Files often come in a row: all that one of them has, then all of the next.
        order = sorted(order, key=lambda c: shelf.chunks[c].path if c in shelf.chunks else "")
    ranking = order[: draw(st.integers(1, len(order)))]
    return shelf, ranking, draw(st.integers(1, 12))


def files(chosen: Chosen) -> list[str]:
    return [excerpt.path for excerpt in chosen.excerpts]


def places(ranking: list[int], excerpt: Excerpt) -> list[int]:
    return [ranking.index(chunk_id) for chunk_id in excerpt.chunk_ids]


def span(shelf: Shelf, excerpt: Excerpt) -> tuple[int, int]:
    chunks = [shelf.chunks[chunk_id] for chunk_id in excerpt.chunk_ids]
    return min(c.start_byte or 0 for c in chunks), max(c.end_byte or 0 for c in chunks)


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_an_excerpt_is_exactly_the_text_of_its_span(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    for excerpt in shelf.choose(ranking, limit).excerpts:
        first = shelf.chunks[excerpt.chunk_ids[0]]
        whole = shelf.texts[first.document_id, first.page]
        assert excerpt.page == first.page
        assert {shelf.chunks[c].page for c in excerpt.chunk_ids} == {first.page}
        if first.page is not None:
            assert excerpt.text in whole
            assert (excerpt.start_line, excerpt.end_line) == (None, None)
            continue
        start, end = span(shelf, excerpt)
        assert excerpt.text.encode() == whole.encode()[start:end]
        assert excerpt.start_line == 1 + whole.encode()[:start].decode().count("\n")
        assert excerpt.end_line == excerpt.start_line + excerpt.text.removesuffix("\n").count("\n")


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_two_excerpts_share_no_text(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    shown_ids = [chunk_id for excerpt in chosen.excerpts for chunk_id in excerpt.chunk_ids]
    assert len(shown_ids) == len(set(shown_ids))
    texts = [{" ".join(shelf.chunks[c].text.split()) for c in e.chunk_ids} for e in chosen.excerpts]
    assert sum(map(len, texts)) == len(set().union(*texts))


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_the_places_are_filled_and_none_more(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    assert len(chosen.excerpts) <= limit
    if len(chosen.excerpts) < limit:
        assert (dropped(chosen, "file"), dropped(chosen, "limit")) == ((), ())


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_excerpts_stand_in_the_order_of_their_best_chunks(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    best = [min(places(ranking, excerpt)) for excerpt in chosen.excerpts]
    assert best == sorted(best)
    assert [excerpt.score for excerpt in chosen.excerpts] == [score(place) for place in best]
    live = [chunk_id for chunk_id in ranking if chunk_id in shelf.chunks]
    if live:
        assert live[0] in chosen.excerpts[0].chunk_ids
    for position, excerpt in enumerate(chosen.excerpts):
        assert position <= min(live.index(c) for c in excerpt.chunk_ids), "a file moved down"


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_a_file_takes_more_than_its_share_only_if_no_other_file_waits(
    case: tuple[Shelf, list[int], int],
) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    share = ceil(3 * limit / 10)
    taken = {path: files(chosen).count(path) for path in files(chosen)}
    if max(taken.values(), default=0) > share:
        waiting = {shelf.chunks[c].path for by in ("file", "limit") for c in dropped(chosen, by) if c < 9_000}
        assert all(taken.get(path, 0) >= share for path in waiting)


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_every_candidate_is_accounted_for_once(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    best = [min(excerpt.chunk_ids, key=ranking.index) for excerpt in chosen.excerpts]
    others = {c for excerpt in chosen.excerpts for c in excerpt.chunk_ids} - set(best)
    fates = [*best, *(c for kind in chosen.dropped for c in kind.chunk_ids)]
    assert sorted(fates) == sorted(ranking)
    assert set(dropped(chosen, "merge")) == others
    for kind in chosen.dropped:
        assert list(kind.chunk_ids) == sorted(kind.chunk_ids, key=ranking.index), "not best first"
    assert all(c > 9_000 for c in dropped(chosen, "gone"))


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_a_twin_is_named_by_the_excerpt_that_shows_its_text(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    chosen = shelf.choose(ranking, limit)
    for chunk in (shelf.chunks[c] for c in dropped(chosen, "twin")):
        (home,) = [
            excerpt
            for excerpt in chosen.excerpts
            if any(shelf.chunks[c].text.split() == chunk.text.split() for c in excerpt.chunk_ids)
        ]
        assert any(
            (twin.collection, twin.path, twin.page) == (chunk.collection, chunk.path, chunk.page)
            and (twin.start_line or 0) <= (chunk.start_line or 0)
            and (twin.end_line or 0) >= (chunk.end_line or 0)
            for twin in home.twins
        )
    assert bool(dropped(chosen, "twin")) == any(excerpt.twins for excerpt in chosen.excerpts)


@settings(max_examples=100, deadline=None)
@given(shelves())
def test_merged_excerpts_stay_readable_and_hold_only_candidates(
    case: tuple[Shelf, list[int], int],
) -> None:
    shelf, ranking, limit = case
    for excerpt in shelf.choose(ranking, limit).excerpts:
        assert set(excerpt.chunk_ids) <= set(ranking)
        assert sum(shelf.chunks[c].tokens for c in excerpt.chunk_ids) <= MERGED_TOKENS


@settings(max_examples=50, deadline=None)
@given(shelves())
def test_the_same_ranking_gives_the_same_excerpts(case: tuple[Shelf, list[int], int]) -> None:
    shelf, ranking, limit = case
    assert shelf.choose(ranking, limit) == shelf.choose(ranking, limit)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(1, 10), st.randoms(use_true_random=False))
def test_a_tiny_collection_of_equal_beginnings_neither_sweeps_nor_vanishes(tiny, limit, random) -> None:  # type: ignore[no-untyped-def]
    """The bug this project began with: the first chunks of a small repository filled every answer."""
    shelf = Shelf()
    starts = [
        shelf.add(f"t{n}.py", ["import it\n", f"only {n}\n"], collection="tiny")[0] for n in range(tiny)
    ]
    rest = [shelf.add(f"b{n}.py", [f"big {n}\n"], collection="big")[0] for n in range(20)]
    random.shuffle(starts)
    chosen = shelf.choose(starts + rest, limit)
    assert [excerpt.collection for excerpt in chosen.excerpts] == ["tiny"] + ["big"] * (limit - 1)
    if limit > 1:
        assert len(chosen.excerpts[0].twins) == tiny - 1


def test_neighbours_become_one_excerpt_at_the_place_of_the_better_one() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", ["def f():\n", "    pass\n", "def g(): ...\n"], symbols=["A, A.f", "A.f", "A.g"])
    b = shelf.add("b.py", ["other\n"])
    chosen = shelf.choose([a[1], *b, a[0], a[2]])
    first = chosen.excerpts[0]
    assert (first.text, first.symbol) == ("def f():\n    pass\ndef g(): ...\n", "A, A.f, A.g")
    assert (first.path, first.start_line, first.end_line, first.score) == ("a.py", 1, 3, score(0))
    assert (files(chosen), dropped(chosen, "merge")) == (["a.py", "b.py"], (a[0], a[2]))


def test_a_chunk_that_is_no_candidate_is_not_pulled_in() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", ["one\n", "two\n", "three\n"])
    assert shown(shelf.choose([a[0], a[2]])) == [(a[0],), (a[2],)]


def test_a_chunk_beyond_the_last_place_is_not_merged() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", ["one\n", "two\n"])
    b = shelf.add("b.py", ["other\n"])
    assert shown(shelf.choose([a[0], *b, a[1]], limit=2)) == [(a[0],), (b[0],)]


def test_a_whole_file_does_not_come_back_as_one_blob() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", [f"part {n}\n" for n in range(6)], tokens=240)
    assert shown(shelf.choose(a)) == [tuple(a[:3]), tuple(a[3:])]


def test_pages_are_never_merged_so_a_page_can_be_cited() -> None:
    shelf = Shelf()
    a = shelf.add("a.pdf", ["end of six. ", "begin of seven. ", "end of seven."], pages=[6, 7, 7])
    chosen = shelf.choose([a[2], a[0], a[1]])
    assert [(e.page, e.text) for e in chosen.excerpts] == [
        (7, "begin of seven. end of seven."),
        (6, "end of six. "),
    ]


def test_chunks_of_one_page_are_merged_only_if_they_meet() -> None:
    shelf = Shelf()
    a = shelf.add("a.pdf", ["first. ", "second. ", "third."], pages=[1, 1, 1])
    assert shown(shelf.choose([a[2], a[0]])) == [(a[2],), (a[0],)]


def test_a_copy_in_another_collection_is_named_as_one_place() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", ["one\n", "two\n"], collection="left")
    b = shelf.add("copy/a.py", ["one\n", "two\n"], collection="right")
    for ranking in ([*a, *b], [a[0], b[0], b[1], a[1]], [a[0], b[1], b[0], a[1]], [a[0], b[1], a[1], b[0]]):
        (only,) = shelf.choose(ranking).excerpts
        assert (only.collection, only.text) == ("left", "one\ntwo\n"), ranking
        (twin,) = only.twins
        assert (twin.collection, twin.source) == ("right", "right-source")
        assert (twin.path, twin.start_line, twin.end_line) == ("copy/a.py", 1, 2)


def test_a_copy_just_beyond_the_last_place_is_still_named() -> None:
    shelf = Shelf()
    a, b = shelf.add("a.py", ["one\n"]), shelf.add("b.py", ["one\n"])
    (only,) = shelf.choose([*a, *b], limit=1).excerpts
    assert [twin.path for twin in only.twins] == ["b.py"]


def test_a_text_held_back_in_one_file_may_come_from_another() -> None:
    shelf = Shelf()
    pieces = [piece for n in range(5) for piece in (f"x{n}\n", f"gap {n}\n")]
    a = shelf.add("a.py", pieces)[::2]
    b = shelf.add("b.py", [pieces[6]])
    others = [shelf.add(f"{n}.py", [f"other {n}\n"])[0] for n in range(9)]
    chosen = shelf.choose([*a, *b, *others])
    assert files(chosen)[:4] == ["a.py", "a.py", "a.py", "b.py"]
    assert [twin.path for twin in chosen.excerpts[3].twins] == ["a.py"]


def test_a_file_that_is_held_back_fills_what_is_left_in_its_own_order() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", [f"line {n}\n" for n in range(20)])[::2]
    b = shelf.add("b.py", ["other\n"])
    chosen = shelf.choose([*a, *b], limit=6)
    # Two of six places are its share; the other file's one leaves three more.
    assert shown(chosen) == [(c,) for c in (*a[:5], b[0])]
    assert dropped(chosen, "file") == tuple(a[5:])


@pytest.mark.parametrize(("limit", "share"), [(1, 1), (3, 1), (4, 2), (10, 3), (20, 6), (100, 30)])
def test_a_share_is_three_places_in_ten(limit: int, share: int) -> None:
    shelf = Shelf()
    a = shelf.add("a.py", [f"line {n}\n" for n in range(200)])[::2]
    others = [shelf.add(f"{n}.py", [f"other {n}\n"])[0] for n in range(100)]
    assert files(shelf.choose([*a, *others], limit)).count("a.py") == share


def test_the_work_is_bounded_whatever_the_candidates() -> None:
    shelf = Shelf()
    same = [shelf.add(f"{n}.py", ["same\n"])[0] for n in range(1_000)]
    chosen = shelf.choose(same)
    assert len(chosen.excerpts[0].twins) == MOST_FETCHED - 1
    assert len(dropped(chosen, "limit")) == 1_000 - MOST_FETCHED
    assert len(shelf.fetched) == len(set(shelf.fetched)) == MOST_FETCHED


def test_a_file_alone_is_not_searched_to_its_end_for_others() -> None:
    shelf = Shelf()
    a = shelf.add("a.py", [f"line {n}\n" for n in range(400)])[::2]
    assert len(shelf.choose(a).excerpts) == 10
    assert len(shelf.fetched) == 20


def test_nothing_in_nothing_out() -> None:
    assert Shelf().choose([]) == Chosen((), ())
    assert Shelf().choose([9_001]).excerpts == ()


def test_an_overlap_of_two_chunks_is_not_repeated() -> None:
    shelf = Shelf()
    (only,) = shelf.add("a.md", ["zero äins zwei drei"])
    whole = shelf.chunks[only]
    left = replace(whole, text="zero äins zwei", start_byte=0, end_byte=15)
    right = replace(whole, chunk_id=2, ordinal=1, text="äins zwei drei", start_byte=5, end_byte=20)
    assert overlaps((left,), (right,))
    assert joined_text((left, right)) == "zero äins zwei drei"
    inside = replace(whole, chunk_id=3, ordinal=2, text="zwei", start_byte=11, end_byte=15)
    assert joined_text((left, right, inside)) == "zero äins zwei drei"
