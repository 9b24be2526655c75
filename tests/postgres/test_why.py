"""`brain why`: what it says of a chunk is what the search did with it, and no more than may be read (I3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as check_settings
from hypothesis import strategies as st

from brain_dagster.model import Mode, Principal
from brain_dagster.query import Reranking, Why, rank_chunks, search, why
from brain_dagster.query import lexical as lexical_half
from brain_dagster.query.trace import SearchResult
from brain_dagster.query.why import UnknownChunk
from brain_dagster.rerank.base import RerankFailed
from brain_dagster.score import ScoreKind
from brain_dagster.store.pool import Database
from brain_dagster.store.why import Target
from brain_dagster.surface.cli.why import read_target
from tests.support.seed import (
    BrokenEmbedder,
    Passage,
    PointingEmbedder,
    add_collection,
    add_document,
    add_source,
    add_space,
)

# The package's name for it is the function.
search_steps = import_module("brain_dagster.query.search")
ALICE = Principal("alice")
BOB = Principal("bob")
Run = Callable[..., tuple[int, str, str]]
WORDS = ("wasp", "bee", "nest", "honey", "wax", "queen")
DIRECTIONS = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0), (0.8, 0.0, 0.6, 0.0))


def chunk_of(db: Database, path: str, ordinal: int = 0) -> int:
    row = db.one(
        "SELECT c.id FROM brain.chunk c JOIN brain.document d ON d.id = c.document_id"
        " WHERE d.path = %s AND c.ordinal = %s",
        (path, ordinal),
    )
    assert row is not None
    return int(row[0])


def by_half(found: Why) -> dict[str, Any]:
    return {standing.half: standing for standing in found.standings}


# Consistency: whatever it says is what the search did ----------------------------------------------------

passages = st.builds(
    Passage,
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
    vector=st.one_of(st.none(), st.sampled_from(DIRECTIONS)),
    page=st.sampled_from([1, 1, 1, 2]),
)
corpora = st.lists(st.lists(passages, min_size=1, max_size=5), min_size=1, max_size=6)
questions = st.lists(st.sampled_from([*WORDS, "unheard"]), min_size=1, max_size=4).map(" ".join)


def fill(db: Database, documents: Sequence[Sequence[Passage]]) -> PointingEmbedder:
    db.run("DELETE FROM brain.collection")
    db.run("DELETE FROM brain.embedding_space")
    space = add_space(db)
    for name in ("even", "odd"):
        add_source(db, name, add_collection(db, name))
    keys = {key: number for number, key in db.all("SELECT id, key FROM brain.source")}
    for number, document in enumerate(documents):
        paged = [Passage(p.text, p.vector, page=p.page if number % 2 == 0 else None) for p in document]
        add_document(db, keys[("even", "odd")[number % 2]], f"{number}.md", paged, space=space)
    return PointingEmbedder(space, (0.7, 0.7, 0.1, 0.0))


def same_as_shown(db: Database, result: SearchResult, ask: Callable[[int], Why]) -> None:
    """Compare `why` with the answer, for every chunk there is."""
    dropped = {chunk: each.by for each in result.trace.dropped for chunk in each.chunk_ids}
    in_excerpt = {c: n for n, excerpt in enumerate(result.excerpts, 1) for c in excerpt.chunk_ids}
    for (chunk,) in db.all("SELECT id FROM brain.chunk"):
        found = ask(chunk)
        assert found.mode == result.mode
        assert found.missing == result.missing
        if chunk in in_excerpt:
            assert found.outcome.excerpt == in_excerpt[chunk]
            assert found.outcome.by == dropped.get(chunk, "shown")
            assert found.ranked is not None
            if found.outcome.by == "shown":
                assert found.ranked.score == result.excerpts[in_excerpt[chunk] - 1].score
        elif chunk in dropped:
            assert found.outcome.by == dropped[chunk]
        else:
            assert found.outcome.by == "unlisted"
            assert all(standing.place is None for standing in found.standings)
        if found.outcome.by == "twin":
            named = result.excerpts[(found.outcome.excerpt or 0) - 1]
            assert any((t.path, t.page) == (found.chunk.path, found.chunk.page) for t in named.twins)
        if found.ranked is not None and found.ranked.parts:
            assert sum(part.value for part in found.ranked.parts) == pytest.approx(found.ranked.score.value)
            places = {standing.half: standing.place for standing in found.standings if standing.place}
            assert places == {part.half: part.place for part in found.ranked.parts}


class WordCounter:
    """A reranker that gives a passage its share of words that are `wasp`."""

    name = "word counter"

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> list[float]:
        return [passage.split().count("wasp") / len(passage.split()) for passage in passages]


class Silent(WordCounter):
    """A reranker that does not answer."""

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> list[float]:
        raise RerankFailed("no answer")


def in_order(db: Database, result: SearchResult, ask: Callable[[int], Why]) -> None:
    """The places of the excerpts' best chunks rise, and no two chunks have one place."""
    best = [c for excerpt in result.excerpts for c in excerpt.chunk_ids if ask(c).outcome.by == "shown"]
    assert len(best) == len(result.excerpts)
    ranked = [ask(chunk).ranked for (chunk,) in db.all("SELECT id FROM brain.chunk")]
    places = [each.place for each in ranked if each is not None]
    assert len(set(places)) == len(places)
    ordered = [place.place for c in best if (place := ask(c).ranked) is not None]
    assert ordered == sorted(ordered)


@check_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=corpora, text=questions, mode=st.sampled_from([Mode.HYBRID, Mode.DENSE, Mode.LEXICAL]))
def test_every_chunk_stands_where_the_search_has_it(
    db: Database, documents: list[list[Passage]], text: str, mode: Mode
) -> None:
    embedder = fill(db, documents)
    result = search(db, embedder, ALICE, text, mode=mode, limit=3)

    @cache
    def ask(chunk: int) -> Why:
        return why(db, embedder, ALICE, text, Target(chunk_id=chunk), mode=mode, limit=3)

    same_as_shown(db, result, ask)
    in_order(db, result, ask)


@check_settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=corpora, text=questions, reranker=st.sampled_from([WordCounter(), Silent()]))
def test_every_chunk_stands_where_a_reranked_search_has_it(
    db: Database, documents: list[list[Passage]], text: str, reranker: WordCounter
) -> None:
    embedder = fill(db, documents)
    reranking = Reranking(reranker, candidates=4, floor=0.15)
    result = search(db, embedder, ALICE, text, mode=Mode.HYBRID, limit=3, reranking=reranking)

    @cache
    def ask(chunk: int) -> Why:
        return why(
            db,
            embedder,
            ALICE,
            text,
            Target(chunk_id=chunk),
            mode=Mode.HYBRID,
            limit=3,
            reranking=reranking,
        )

    same_as_shown(db, result, ask)
    in_order(db, result, ask)


def test_i11_every_chunk_stands_where_a_search_without_a_model_has_it(db: Database) -> None:
    embedder = fill(db, [[Passage("wasp nest", DIRECTIONS[0])], [Passage("bee wax", DIRECTIONS[1])]])
    broken = BrokenEmbedder(embedder.space)
    result = search(db, broken, ALICE, "wasp", mode=Mode.HYBRID)
    assert result.missing == ("dense: the model does not answer",)
    same_as_shown(
        db, result, lambda chunk: why(db, broken, ALICE, "wasp", Target(chunk_id=chunk), mode=Mode.HYBRID)
    )
    found = why(db, broken, ALICE, "wasp", Target(chunk_id=chunk_of(db, "0.md")), mode=Mode.HYBRID)
    assert by_half(found)["dense"].reason == "the model does not answer"


def test_an_inline_answer_shows_every_chunk_and_ranks_none(db: Database) -> None:
    source = add_source(db, "small", add_collection(db, "small", inline_token_limit=1_000))
    add_document(db, source, "a.md", ["first"])
    add_document(db, source, "b.md", ["second"])
    result = search(db, None, ALICE, "anything")
    found = why(db, None, ALICE, "anything", Target(chunk_id=chunk_of(db, "b.md")))
    assert (found.mode, result.mode) == ("inline", "inline")
    assert (found.outcome.by, found.outcome.excerpt) == ("shown", 2)
    assert result.excerpts[1].path == "b.md"
    assert (found.standings, found.words, found.ranked) == ((), (), None)


@check_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=corpora, text=questions, mode=st.sampled_from([Mode.DENSE, Mode.LEXICAL]))
def test_a_chunk_below_the_depth_has_the_place_that_a_deeper_list_gives_it(
    db: Database, documents: list[list[Passage]], text: str, mode: Mode
) -> None:
    embedder = fill(db, documents)
    deeper = rank_chunks(db, embedder, ALICE, text, mode=mode, depth=100).chunks
    places = {chunk.chunk_id: (n, chunk.score) for n, chunk in enumerate(deeper, start=1)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_steps, "LIST_DEPTH", 2)
        result = search(db, embedder, ALICE, text, mode=mode, limit=2)

        @cache
        def ask(chunk: int) -> Why:
            return why(db, embedder, ALICE, text, Target(chunk_id=chunk), mode=mode, limit=2)

        same_as_shown(db, result, ask)
        for (chunk,) in db.all("SELECT id FROM brain.chunk"):
            standing = by_half(ask(chunk))[mode.value]
            place = standing.place or standing.exact_place
            assert (None if place is None else (place, standing.score)) == places.get(chunk)
            assert (standing.place is None) == bool(standing.reason)


@check_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=corpora, text=questions, depth=st.integers(2, 4))
def test_every_chunk_stands_where_a_search_for_common_words_has_it(
    db: Database, documents: list[list[Passage]], text: str, depth: int
) -> None:
    """With room for two rows, every word is common: several at once, then a share of the documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_steps, "LIST_DEPTH", depth)
        patch.setattr(lexical_half, "GATE_ROWS", 2)
        patch.setattr(lexical_half, "GATE_SHARE", 0)
        embedder = fill(db, documents)
        result = search(db, embedder, ALICE, text, mode=Mode.LEXICAL, limit=2)

        @cache
        def ask(chunk: int) -> Why:
            return why(db, embedder, ALICE, text, Target(chunk_id=chunk), mode=Mode.LEXICAL, limit=2)

        same_as_shown(db, result, ask)
        for (chunk,) in db.all("SELECT id FROM brain.chunk"):
            standing = by_half(ask(chunk))["lexical"]
            assert (standing.place is None) == bool(standing.reason)
            # A place beyond the list means that the list is full.
            if standing.exact_place is not None:
                assert standing.listed == depth < standing.exact_place


# Why a chunk is not in a list -----------------------------------------------------------------------------


def shelf(db: Database, passages: Sequence[Passage | str]) -> PointingEmbedder:
    """One collection, each passage a document of its own: `<number>.md`."""
    space = add_space(db)
    source = add_source(db, "shelf", add_collection(db, "shelf"))
    for number, passage in enumerate(passages):
        add_document(db, source, f"{number}.md", [passage], space=space)
    return PointingEmbedder(space)


def ask_lexically(db: Database, text: str, path: str, **more: Any) -> Why:
    return why(db, None, ALICE, text, Target(chunk_id=chunk_of(db, path)), mode=Mode.LEXICAL, **more)


def test_a_chunk_without_a_word_of_the_question_says_so(db: Database) -> None:
    shelf(db, ["the wasp builds", "honey in wax"])
    standing = by_half(ask_lexically(db, "wasp", "1.md"))["lexical"]
    assert (standing.place, standing.listed, standing.score) == (None, 1, None)
    assert standing.reason == "no word of the question occurs in it"
    assert by_half(ask_lexically(db, "hornet", "1.md"))["lexical"].reason == (
        "no word of the question occurs in what was searched"
    )


def test_a_chunk_whose_file_alone_holds_the_word_says_so(db: Database) -> None:
    shelf(db, ["nothing"])
    source = db.one("SELECT id FROM brain.source")
    assert source is not None
    add_document(db, source[0], "wasps.md", ["about the wasp", "about honey"])
    # The path is a word of every chunk of its file, so the question asks for a word of the text alone.
    found = why(db, None, ALICE, "about wasp", Target(chunk_id=chunk_of(db, "0.md")), mode=Mode.LEXICAL)
    assert by_half(found)["lexical"].reason == "no word of the question occurs in it"
    add_document(db, source[0], "pages.md", ["the queen", "honey"])
    found = ask_lexically(db, "queen", "pages.md")
    assert by_half(found)["lexical"].place == 1
    other = why(db, None, ALICE, "queen", Target(chunk_id=chunk_of(db, "pages.md", 1)), mode=Mode.LEXICAL)
    assert by_half(other)["lexical"].reason == (
        "no word of the question occurs in it, only elsewhere in its file"
    )


def test_a_chunk_that_the_gate_keeps_out_names_its_common_words(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_half, "GATE_ROWS", 2)
    shelf(db, ["wasp", *["common"] * 5])
    found = ask_lexically(db, "common wasp", "3.md")
    standing = by_half(found)["lexical"]
    assert (standing.place, standing.listed) == (None, 1)
    assert standing.reason == "what it holds of the question is too common to be looked for: `common`"
    assert [(word.word, word.chunks, word.is_in_gate, word.is_held) for word in found.words] == [
        ("common", 5, False, True),
        ("wasp", 1, True, False),
    ]


def test_where_every_word_is_common_it_says_how_they_are_looked_for(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room for two rows: two chunks hold both words, three hold one of them."""
    monkeypatch.setattr(lexical_half, "GATE_ROWS", 2)
    monkeypatch.setattr(lexical_half, "GATE_SHARE", 0)
    monkeypatch.setattr(search_steps, "LIST_DEPTH", 2)
    shelf(db, ["wasp nest", "nest wasp", "wasp", "wasp", "nest", "bee", "bee"])
    found = why(
        db,
        None,
        ALICE,
        "wasp nest",
        Target(chunk_id=chunk_of(db, "2.md")),
        mode=Mode.LEXICAL,
        limit=2,
    )
    standing = by_half(found)["lexical"]
    assert (standing.place, standing.listed, standing.exact_place) == (None, 2, None)
    assert standing.reason == (
        "every word of the question is common, so they are looked for together: `wasp`, `nest`"
    )
    # One common word: only in so many documents that two rows hold it, by a rule that knows no text.
    asked = {
        n: by_half(
            why(db, None, ALICE, "wasp", Target(chunk_id=chunk_of(db, f"{n}.md")), mode=Mode.LEXICAL, limit=2)
        )["lexical"]
        for n in range(4)
    }
    missed = [standing.reason for standing in asked.values() if standing.reason and not standing.exact_place]
    assert set(missed) <= {
        "every word of the question is common, so they are looked for in a share of the documents,"
        " and its own is not one"
    }
    sampled = db.all(
        "SELECT d.path FROM brain.document d WHERE brain.is_sampled(d.id, 0.5) AND d.path < '4' ORDER BY 1"
    )
    looked_at = [f"{n}.md" for n, standing in asked.items() if standing.place or standing.exact_place]
    assert looked_at == [path for (path,) in sampled]


def test_a_search_that_asked_more_widely_gives_places_to_what_it_found_so(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both words together bring fewer than the list may hold, so the rarer one alone is looked for too."""
    monkeypatch.setattr(lexical_half, "GATE_ROWS", 8)
    monkeypatch.setattr(lexical_half, "GATE_SHARE", 0)
    monkeypatch.setattr(search_steps, "LIST_DEPTH", 4)
    shelf(db, ["wasp nest", *["nest"] * 20, *["wasp"] * 30])
    deeper = rank_chunks(db, None, ALICE, "wasp nest", mode=Mode.LEXICAL, depth=100).chunks
    places = {chunk.chunk_id: place for place, chunk in enumerate(deeper, start=1)}
    assert len(places) > 4, "nothing is beyond the list"
    for (chunk,) in db.all("SELECT id FROM brain.chunk"):
        found = why(db, None, ALICE, "wasp nest", Target(chunk_id=chunk), mode=Mode.LEXICAL, limit=2)
        standing = by_half(found)["lexical"]
        assert (standing.place or standing.exact_place) == places.get(chunk)


def test_a_chunk_below_the_depth_has_its_exact_place(db: Database) -> None:
    """205 chunks match; the longer a chunk, the less its one word weighs, so the order is known."""
    shelf(db, ["wasp" + " filler" * (2 * number + 1) for number in range(205)])
    for number, place in ((0, 1), (199, 200)):
        found = ask_lexically(db, "wasp", f"{number}.md")
        assert by_half(found)["lexical"].place == place
    found = ask_lexically(db, "wasp", "203.md")
    standing = by_half(found)["lexical"]
    assert (standing.place, standing.listed, standing.exact_place) == (None, 200, 204)
    assert standing.reason == "other chunks score better"
    assert found.outcome.by == "unlisted"
    assert found.ranked is None
    # A ranking that goes deeper has the score in its list.
    deeper = rank_chunks(db, None, ALICE, "wasp", mode=Mode.LEXICAL, depth=300)
    assert standing.score == next(chunk.score for chunk in deeper.chunks if chunk.path == "203.md")


def test_beyond_what_documents_are_weighed_for_the_own_score_gives_the_place(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_dagster.store import lexical

    monkeypatch.setattr(lexical, "BREADTH", 3)
    shelf(db, ["wasp" + " filler" * (2 * number + 1) for number in range(210)])
    standing = by_half(ask_lexically(db, "wasp", "208.md"))["lexical"]
    assert (standing.listed, standing.exact_place) == (200, 209)
    assert "by their own words" in standing.reason


def test_a_vector_below_the_depth_has_its_exact_place(db: Database) -> None:
    angles = [(1.0, number / 100, 0.0, 0.0) for number in range(205)]
    embedder = shelf(db, [Passage(f"text {n}", angle) for n, angle in enumerate(angles)])  # type: ignore[arg-type]
    found = why(db, embedder, ALICE, "q", Target(chunk_id=chunk_of(db, "203.md")), mode=Mode.DENSE)
    standing = by_half(found)["dense"]
    assert (standing.place, standing.listed, standing.exact_place) == (None, 200, 204)
    # The cosine of (1, 0, 0, 0) and (1, 2.03, 0, 0) is 1 / sqrt(1 + 2.03 * 2.03) = 0.44190.
    assert standing.score is not None and standing.score.value == pytest.approx(0.44190, abs=1e-5)
    assert by_half(found)["lexical"].reason == "the mode is dense"


def test_b3_a_chunk_without_a_vector_says_why(db: Database) -> None:
    embedder = shelf(db, [Passage("with", DIRECTIONS[0]), "without", "failed"])
    failed = chunk_of(db, "2.md")
    db.run("UPDATE brain.chunk SET embed_key = '\\xff' WHERE id = %s", (failed,))
    db.run(
        "INSERT INTO brain.embedding_failure (space_id, key, reason) VALUES (%s, '\\xff', 'not finite')",
        (embedder.space.id,),
    )
    reasons = [
        by_half(why(db, embedder, ALICE, "q", Target(chunk_id=chunk_of(db, f"{n}.md")), mode=Mode.DENSE))[
            "dense"
        ].reason
        for n in range(3)
    ]
    assert reasons == ["", "it has no vector yet", "embedding it failed: not finite"]


def test_the_index_is_named_when_it_missed_a_chunk(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that lacks its second-best chunk, as an approximate index may give it."""
    from brain_dagster.query import dense
    from brain_dagster.store import dense as store

    embedder = shelf(db, [Passage(f"text {n}", angle) for n, angle in enumerate(DIRECTIONS)])
    full = store.rank_densely_by_scan
    missed = chunk_of(db, "3.md")
    monkeypatch.setattr(
        dense.store, "rank_densely_by_scan", lambda *a: [c for c in full(*a) if c.chunk_id != missed]
    )
    found = why(db, embedder, ALICE, "q", Target(chunk_id=missed), mode=Mode.DENSE)
    standing = by_half(found)["dense"]
    # Cosines with (1, 0, 0, 0): 1, 0, 0.6 and 0.8, so it is the second of four.
    assert (standing.place, standing.listed, standing.exact_place) == (None, 3, 2)
    assert "the vector index did not return it" in standing.reason


def test_the_words_add_up_to_the_score(db: Database) -> None:
    shelf(db, ["wasp nest wasp", "bee nest", "nest of wax"])
    found = ask_lexically(db, "a wasp nest, a nest!", "0.md")
    standing = by_half(found)["lexical"]
    assert standing.score is not None and standing.score.value is not None
    total = sum(word.score + word.document_score for word in found.words)
    assert total == pytest.approx(standing.score.value, rel=1e-5)
    words = {word.word: word for word in found.words}
    assert list(words) == ["a", "wasp", "nest"]
    # ln(1 + (3 - n + 0.5) / (n + 0.5)) for n = 1 and n = 3 of three chunks.
    assert words["wasp"].idf == pytest.approx(0.98083, abs=1e-5)
    assert words["nest"].idf == pytest.approx(0.13353, abs=1e-5)
    assert words["a"].idf is None
    assert words["wasp"].score > words["nest"].score > 0 == words["a"].score


def test_what_the_question_quotes_has_a_list_of_its_own(db: Database) -> None:
    embedder = shelf(db, [Passage("def pay(): ...", DIRECTIONS[0], symbol="pay_now"), Passage("pay_now()")])
    asked = [
        why(db, embedder, ALICE, "pay_now", Target(chunk_id=chunk_of(db, p)), mode=Mode.HYBRID)
        for p in ("0.md", "1.md")
    ]
    first, second = map(by_half, asked)
    ranked = asked[0].ranked
    assert ranked is not None and ranked.place == 1
    # First in all three lists, and the exact one counts three times: 5/61.
    assert {part.half: part.place for part in ranked.parts} == {"exact": 1, "dense": 1, "lexical": 1}
    assert sum(part.value for part in ranked.parts) == pytest.approx(5 / 61)
    assert ranked.score.value == pytest.approx(5 / 61)
    assert (first["exact"].place, first["exact"].score.kind) == (1, ScoreKind.EXACT)
    assert second["exact"].place is None
    assert "letter by letter" in second["exact"].reason


def test_a_chunk_below_the_floor_says_so(db: Database) -> None:
    embedder = shelf(
        db, [Passage("wasp wasp", DIRECTIONS[0]), Passage("wasp of honey and wax", DIRECTIONS[1])]
    )
    reranking = Reranking(WordCounter(), floor=0.3)
    shown, below = (
        why(
            db,
            embedder,
            ALICE,
            "wasp",
            Target(chunk_id=chunk_of(db, path)),
            mode=Mode.HYBRID,
            reranking=reranking,
        )
        for path in ("0.md", "1.md")
    )
    assert (shown.outcome.by, shown.outcome.excerpt) == ("shown", 1)
    assert shown.ranked is not None and shown.ranked.score.kind is ScoreKind.RERANK
    assert (below.outcome.by, below.outcome.excerpt, below.ranked) == ("floor", None, None)
    assert by_half(below)["lexical"].place == 2


def test_what_became_of_a_chunk_is_told_with_the_excerpt_it_is_in(db: Database) -> None:
    """Two passages of one page meet, a copy is a twin, and the answer has room for two excerpts."""
    source = add_source(db, "shelf", add_collection(db, "shelf"))
    add_document(db, source, "a.pdf", [Passage("wasp wasp wasp", page=1), Passage("wasp on", page=1)])
    add_document(db, source, "copy.md", ["bee", "wasp wasp wasp", "wax", "honey", "comb"])
    add_document(db, source, "b.md", ["a wasp and much else that is not asked for"])
    add_document(db, source, "c.md", ["a wasp and even more of what was never asked for by anybody at all"])

    def outcome(path: str, ordinal: int) -> tuple[str, int | None]:
        target = Target(chunk_id=chunk_of(db, path, ordinal))
        found = why(db, None, ALICE, "wasp", target, mode=Mode.LEXICAL, limit=2)
        return found.outcome.by, found.outcome.excerpt

    assert outcome("a.pdf", 0) == ("shown", 1)
    assert outcome("a.pdf", 1) == ("merge", 1)
    assert outcome("copy.md", 1) == ("twin", 1)
    assert outcome("b.md", 0) == ("shown", 2)
    assert outcome("c.md", 0) == ("limit", None)
    assert outcome("copy.md", 0) == ("unlisted", None)


# What is pointed at, and by whom --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("12", Target(chunk_id=12)),
        ("src:a/b.py", Target(source="src", path="a/b.py", whole_path="a/b.py")),
        ("src:a.py:7", Target(source="src", path="a.py", line=7, whole_path="a.py:7")),
        ("src:a.pdf#page=3", Target(source="src", path="a.pdf", page=3, whole_path="a.pdf#page=3")),
        ("src:a:b.md:x", Target(source="src", path="a:b.md:x", whole_path="a:b.md:x")),
    ],
)
def test_a_target_is_read_as_people_write_it(written: str, target: Target) -> None:
    assert read_target(written) == target
    assert target.written == written


def test_a_place_in_a_file_is_the_chunk_that_covers_it(db: Database) -> None:
    source = add_source(db, "shelf", add_collection(db, "shelf"))
    add_document(db, source, "a.md", ["wasp one", "bee two", "bee three bee"])
    add_document(db, source, "a.md:2", ["bee colon"])
    add_document(db, source, "b.pdf", [Passage("wasp", page=1), Passage("bee", page=2)])

    def meant(written: str) -> tuple[int, int]:
        found = why(db, None, ALICE, "bee", read_target(written), mode=Mode.LEXICAL)
        return found.chunk.chunk_id, found.meant

    assert meant("shelf:a.md:1") == (chunk_of(db, "a.md", 0), 1)
    assert meant("shelf:b.pdf#page=2") == (chunk_of(db, "b.pdf", 1), 1)
    # The file as a whole: whichever chunk stands best.
    assert meant("shelf:a.md") == (chunk_of(db, "a.md", 2), 3)
    # A file whose name ends like a line is meant as well as the line.
    assert meant("shelf:a.md:2")[1] == 2


def test_of_a_file_the_chunk_that_ranks_best_is_taken(db: Database) -> None:
    """Best by its words alone is the first chunk; the second is in both lists, and before it."""
    space = add_space(db)
    source = add_source(db, "shelf", add_collection(db, "shelf"))
    add_document(db, source, "a.md", ["wasp wasp", Passage("one wasp", DIRECTIONS[0])], space=space)
    found = why(
        db, PointingEmbedder(space), ALICE, "wasp", Target(source="shelf", path="a.md"), mode=Mode.HYBRID
    )
    assert (found.chunk.text, found.meant) == ("one wasp", 2)
    assert found.ranked is not None and found.ranked.place == 1
    assert by_half(found)["lexical"].place == 2


def test_of_a_file_that_no_list_holds_the_nearest_chunk_is_taken(db: Database) -> None:
    embedder = shelf(db, [Passage(f"word {n}", (1.0, n / 1000, 0.0, 0.0)) for n in range(200)])
    source = db.one("SELECT id FROM brain.source")
    assert source is not None
    far = [Passage(text, (0.0, 1.0, number / 10, 0.0)) for number, text in enumerate(["x", "y", "z"])]
    add_document(db, source[0], "far.md", [far[2], far[0], far[1]], space=embedder.space)
    target = Target(source="shelf", path="far.md")
    found = why(db, embedder, ALICE, "unheard", target, mode=Mode.HYBRID)
    # None has a word of the question and all are orthogonal to it: the first in reading order.
    assert (found.chunk.text, found.meant) == ("z", 3)
    # Turned towards the far file: its first passage, in place 2 of it, is the nearest.
    turned = PointingEmbedder(embedder.space, (1.0, 0.1, 0.0, 0.0))
    found = why(db, turned, ALICE, "unheard", target, mode=Mode.HYBRID)
    assert found.chunk.text == "x"


def refusal(db: Database, principal: Principal, target: Target, **more: Any) -> tuple[str, str, str]:
    with pytest.raises(UnknownChunk) as caught:
        why(db, None, principal, "wasp", target, mode=Mode.LEXICAL, **more)
    shape = caught.value.shape()
    return shape.code, shape.message, shape.subject


def test_i3_a_chunk_that_may_not_be_read_and_one_that_does_not_exist_are_not_told_apart(
    db: Database,
) -> None:
    shelf(db, ["wasp"])
    add_source(db, "other", add_collection(db, "other"))
    chunk = chunk_of(db, "0.md")
    assert ask_lexically(db, "wasp", "0.md").outcome.by == "shown"
    hidden = refusal(db, BOB, Target(chunk_id=chunk))
    absent = refusal(db, BOB, Target(chunk_id=chunk + 1_000))
    assert hidden == ("unknown_chunk", hidden[1], str(chunk))
    assert absent == ("unknown_chunk", hidden[1], str(chunk + 1_000))
    for target in (Target(source="shelf", path="0.md", line=1), Target(source="no", path="0.md", line=1)):
        assert refusal(db, BOB, target)[:2] == hidden[:2]
    # Readable, and out of what this question is put to: another place, another collection.
    assert refusal(db, ALICE, Target(chunk_id=chunk), place="#board")[:2] == hidden[:2]
    assert refusal(db, ALICE, Target(chunk_id=chunk), collections=["other"])[:2] == hidden[:2]


def test_i3_a_revoked_reader_is_told_nothing_in_the_next_call(db: Database) -> None:
    shelf(db, ["wasp"])
    chunk = chunk_of(db, "0.md")
    assert ask_lexically(db, "wasp", "0.md").chunk.path == "0.md"
    db.run("DELETE FROM brain.collection_reader")
    refusal(db, ALICE, Target(chunk_id=chunk))


def test_i3_neither_places_nor_words_count_what_may_not_be_read(db: Database) -> None:
    """A hidden collection full of better chunks moves no place and no number."""
    embedder = shelf(db, [Passage("wasp nest and honey", DIRECTIONS[2])])
    target = Target(chunk_id=chunk_of(db, "0.md"))
    before = why(db, embedder, ALICE, "wasp unheard", target, mode=Mode.HYBRID)
    hidden = add_source(db, "hidden", add_collection(db, "hidden", readers=()))
    for number in range(20):
        add_document(
            db, hidden, f"h{number}.md", [Passage("wasp unheard", DIRECTIONS[0])], space=embedder.space
        )
    assert why(db, embedder, ALICE, "wasp unheard", target, mode=Mode.HYBRID) == before


def test_numbers_that_no_column_holds_are_unknown_chunks(db: Database) -> None:
    shelf(db, ["wasp"])
    refusal(db, ALICE, Target(chunk_id=10**30))
    refusal(db, ALICE, read_target(f"shelf:0.md:{10**12}"))
    refusal(db, ALICE, read_target("shelf:0.md\x00"))


# The command ----------------------------------------------------------------------------------------------


def test_the_json_is_a_contract(brain: Run, db: Database) -> None:
    shelf(db, ["the wasp builds", "honey"])
    chunk = json.loads(brain("search", "wasp", "--mode", "lexical", "--json")[1])["excerpts"][0]["chunks"][0]
    code, out, err = brain("why", str(chunk), "--query", "wasp", "--mode", "lexical", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert list(answer) == [
        "query", "mode", "missing", "chunk", "meant", "outcome", "ranked", "halves", "words",
    ]  # fmt: skip
    assert answer["chunk"] == {
        "id": chunk,
        "collection": "shelf",
        "source": "shelf",
        "path": "0.md",
        "start_line": 1,
        "end_line": 1,
        "page": None,
        "symbol": "",
    }
    assert answer["outcome"] == {"by": "shown", "excerpt": 1}
    dense, lexical = answer["halves"]
    assert dense == {
        "half": "dense",
        "place": None,
        "of": 0,
        "exact_place": None,
        "score": None,
        "score_kind": None,
        "reason": "the mode is lexical",
    }
    assert (lexical["place"], lexical["of"], lexical["score_kind"]) == (1, 1, "bm25")
    assert answer["ranked"]["score"] == lexical["score"]
    (word,) = answer["words"]
    assert list(word) == ["word", "chunks", "idf", "in_gate", "held", "score", "document_score"]


def test_people_read_what_became_of_it_first(brain: Run, db: Database) -> None:
    shelf(db, ["the wasp builds", "honey", "a wasp\x1b[2J"])
    code, out, _ = brain("why", "shelf:0.md:1", "--query", "wasp", "--mode", "lexical")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].endswith("shelf/shelf: 0.md:1")
    assert lines[1].startswith("shown as excerpt ")
    assert lines[2].startswith("place ") and "of 2 candidates, bm25 " in lines[2]
    assert "list\tplace\tof\tscore\twhy it is not in it" in lines
    assert "dense\t-\t0\t-\tthe mode is lexical" in lines
    _, out, _ = brain("why", "shelf:1.md", "--query", "wasp", "--mode", "lexical")
    assert out.splitlines()[1] == "not in the answer: no list holds it"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["why", "999999", "--query", "wasp"], "unknown_chunk"),
        (["why", "shelf:no.md", "--query", "wasp"], "unknown_chunk"),
        (["why", "shelf:0.md", "--query", "wasp", "--as", "bob"], "unknown_chunk"),
        (["why", "shelf:0.md", "--query", "wasp", "--collection", "none"], "unknown_collection"),
        (["why", "shelf:0.md", "--query", ""], "empty_question"),
        (["why", "shelf:0.md", "--query", "wasp", "-k", "0"], "bad_usage"),
        (["why", "nonsense", "--query", "wasp"], "bad_usage"),
        (["why", "shelf:0.md"], "bad_usage"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    brain: Run, db: Database, arguments: list[str], error: str
) -> None:
    shelf(db, ["wasp"])
    code, out, err = brain(*arguments, "--json")
    assert (code, json.loads(out)["error"]["code"]) == (2, error)
    assert err.startswith("brain: ")
