"""The round-robin draw: every list reaches the reranker, none sweeps it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain_dagster.model import Candidate
from brain_dagster.query.draw import draw_round_robin
from brain_dagster.score import Score, ScoreKind


def ranked(*chunk_ids: int, kind: ScoreKind = ScoreKind.COSINE) -> list[Candidate]:
    """A list in this order; the scores fall, as a scorer's would."""
    return [Candidate(c, c, 1, Score(kind, 1.0 - position / 100)) for position, c in enumerate(chunk_ids)]


def order(candidates: list[Candidate]) -> list[int]:
    return [candidate.chunk_id for candidate in candidates]


def drawn(lists: list[list[int]], cap: int) -> list[int]:
    return order(draw_round_robin([ranked(*chunks) for chunks in lists], cap))


# Few identities, so that lists share chunks.
chunk_lists = st.lists(st.lists(st.integers(1, 25), unique=True, max_size=12), max_size=6)
caps = st.integers(0, 80)


def test_one_from_each_list_in_turn() -> None:
    assert drawn([[1, 2, 3], [10, 20], [100]], 10) == [1, 10, 100, 2, 20, 3]


def test_a_list_whose_next_chunk_was_drawn_gives_the_one_after_it() -> None:
    assert drawn([[1, 2, 3], [1, 4, 5]], 4) == [1, 4, 2, 5]


def test_the_cap_ends_a_round_where_it_stands() -> None:
    assert drawn([[1, 2], [10, 20], [100, 200]], 4) == [1, 10, 100, 2]
    assert drawn([[1, 2], [10, 20]], 0) == []


def test_a_chunk_in_two_lists_is_drawn_as_the_first_of_them_holds_it() -> None:
    (only,) = draw_round_robin([ranked(7), ranked(7, kind=ScoreKind.BM25)], 5)
    assert only.score.kind is ScoreKind.COSINE


def test_a_tiny_collection_neither_sweeps_nor_vanishes() -> None:
    """Two chunks of a small repository beside two lists of 200: one in each of two rounds, then no more."""
    large, larger, tiny = list(range(1, 201)), list(range(1001, 1201)), [5001, 5002]
    for lists in ([large, larger, tiny], [tiny, large, larger], [large, tiny, larger]):
        found = drawn(lists, 30)
        assert [chunk for chunk in found if chunk > 5000] == tiny
        assert max(found.index(chunk) for chunk in tiny) < 6
        assert len([chunk for chunk in found if chunk <= 200]) == 14
        assert len([chunk for chunk in found if 1000 < chunk <= 1200]) == 14


@given(chunk_lists, caps)
def test_no_chunk_is_drawn_twice_and_none_is_left_while_there_is_room(
    lists: list[list[int]], cap: int
) -> None:
    found = drawn(lists, cap)
    everything = {chunk for chunks in lists for chunk in chunks}
    assert len(set(found)) == len(found) == min(cap, len(everything))
    assert set(found) <= everything


@given(chunk_lists, st.integers(0, 40))
def test_the_first_chunk_of_every_list_is_drawn_if_the_cap_allows(lists: list[list[int]], extra: int) -> None:
    found = drawn(lists, len(lists) + extra)
    assert {chunks[0] for chunks in lists if chunks} <= set(found)


@given(st.lists(st.integers(1, 60), unique=True, max_size=30), caps)
def test_list_order_in_list_order_out(chunks: list[int], cap: int) -> None:
    assert drawn([chunks], cap) == chunks[:cap]


@given(chunk_lists, caps)
def test_each_list_keeps_its_order_and_more_room_only_appends(lists: list[list[int]], cap: int) -> None:
    found = drawn(lists, cap)
    assert found == drawn(lists, 1_000)[:cap]
    # What only one list holds comes in that list's order.
    for chunks in lists:
        others = {c for other in lists if other is not chunks for c in other}
        own = [c for c in chunks if c not in others]
        assert [c for c in found if c in own] == [c for c in own if c in found]


@given(chunk_lists, st.integers(0, 6), st.integers(1, 12))
def test_a_removed_list_has_no_influence_left(lists: list[list[int]], at: int, length: int) -> None:
    """The chunks only it held are gone, and the others stand as they stand without it."""
    strangers = list(range(1_000, 1_000 + length))
    with_it = drawn([*lists[:at], strangers, *lists[at:]], 1_000)
    assert [chunk for chunk in with_it if chunk < 1_000] == drawn(lists, 1_000)
    assert drawn([*lists[:at], [], *lists[at:]], 1_000) == drawn(lists, 1_000)


@given(chunk_lists, caps)
def test_only_positions_count_and_never_scores(lists: list[list[int]], cap: int) -> None:
    flat = [[Candidate(c, c, 1, Score(ScoreKind.BM25, 1.0)) for c in chunks] for chunks in lists]
    assert order(draw_round_robin(flat, cap)) == drawn(lists, cap)
