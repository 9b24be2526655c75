"""Search end to end inside the store: the document that must come back, and what its score is called."""

from __future__ import annotations

from datetime import datetime

import pytest

from brain_dagster.errors import BadUsage, SchemaOutOfDate
from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import LateEmbedder, QueryEmbedder, rank_chunks, rank_files, search
from brain_dagster.query.ranking import DenseHalfMissing
from brain_dagster.query.trace import SearchResult
from brain_dagster.score import ScoreKind
from brain_dagster.store import lexical as store
from brain_dagster.store.pool import Connection, Database
from tests.support.seed import (
    BrokenEmbedder,
    Passage,
    PointingEmbedder,
    add_collection,
    add_document,
    add_source,
    add_space,
    add_unready_document,
)

ALICE = Principal("alice")
EAST, NORTH, NEAR_EAST = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.9, 0.1, 0.0, 0.0)


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    """An active space of four dimensions."""
    return add_space(db)


@pytest.fixture
def shop(db: Database, space: EmbeddingSpace) -> Database:
    """Two collections; `settlement` by word is in pay.py, the direction EAST is in ship.py."""
    code = add_source(db, "shop-code", add_collection(db, "code"))
    docs = add_source(db, "shop-docs", add_collection(db, "docs"))
    add_document(
        db,
        code,
        "shop/pay.py",
        [
            Passage("def settlementStatus(order): return order.state", NORTH, symbol="settlementStatus"),
            Passage("def refund(order): pass", NEAR_EAST, symbol="refund"),
        ],
        space=space,
        revision="abc123",
    )
    add_document(db, code, "shop/ship.py", [Passage("def parcel(): pass", EAST)], space=space)
    add_document(db, docs, "guide.md", [Passage("how to post a letter", NORTH)], space=space)
    return db


def ask(db: Database, embedder: QueryEmbedder | None, text: str, mode: Mode, limit: int = 10) -> SearchResult:
    return search(db, embedder, ALICE, text, mode=mode, limit=limit)


def paths(result: SearchResult) -> list[str]:
    return [excerpt.path for excerpt in result.excerpts]


def kinds(result: SearchResult) -> set[ScoreKind]:
    return {excerpt.score.kind for excerpt in result.excerpts}


def test_dense_finds_the_nearest_first(shop: Database, space: EmbeddingSpace) -> None:
    result = ask(shop, PointingEmbedder(space, EAST), "anything", Mode.DENSE)
    assert paths(result)[:2] == ["shop/ship.py", "shop/pay.py"]
    assert kinds(result) == {ScoreKind.COSINE}
    assert result.mode == "dense"
    assert result.excerpts[0].score.value == pytest.approx(1.0)


def test_lexical_finds_the_word_in_any_of_its_forms(shop: Database) -> None:
    for text in (
        "settlement",
        "settlement_status",
        "the settlementStatus",
        "SETTLEMENTS",
        "pay.py",
        "shop/pay.py",
    ):
        result = ask(shop, None, text, Mode.LEXICAL)
        assert paths(result)[0] == "shop/pay.py", text
        assert kinds(result) == {ScoreKind.BM25}
        assert result.missing == ()


def test_lexical_never_asks_the_embedder(shop: Database, space: EmbeddingSpace) -> None:
    def open_embedder() -> PointingEmbedder:
        raise AssertionError("the model was opened")

    assert paths(ask(shop, LateEmbedder(open_embedder), "parcel", Mode.LEXICAL)) == ["shop/ship.py"]


def test_hybrid_holds_what_either_half_found(shop: Database, space: EmbeddingSpace) -> None:
    result = ask(shop, PointingEmbedder(space, EAST), "letter", Mode.HYBRID)
    # guide.md is the only one with the word, and shares the third dense place; ship.py is the nearest.
    assert set(paths(result)) == {"shop/ship.py", "shop/pay.py", "guide.md"}
    assert paths(result)[0] == "guide.md"
    assert kinds(result) == {ScoreKind.RRF}
    assert (result.mode, result.missing) == ("hybrid", ())
    first = result.excerpts[0].score.value
    # First of the lexical list, fourth of the dense one: pay.py's settlementStatus has the smaller id.
    assert first == pytest.approx(1 / 61 + 1 / 64)


def test_an_excerpt_says_exactly_where_it_is_from(shop: Database) -> None:
    (excerpt,) = ask(shop, None, "settlement", Mode.LEXICAL).excerpts
    assert (excerpt.collection, excerpt.source, excerpt.path) == ("code", "shop-code", "shop/pay.py")
    assert (excerpt.start_line, excerpt.end_line, excerpt.page) == (1, 1, None)
    assert (excerpt.symbol, excerpt.revision) == ("settlementStatus", "abc123")
    assert isinstance(excerpt.indexed_at, datetime)
    assert excerpt.indexed_at.tzinfo is not None
    assert excerpt.text == "def settlementStatus(order): return order.state"


def test_one_small_collection_alone_is_handed_over_whole_and_unranked(db: Database) -> None:
    small = add_collection(db, "small", inline_token_limit=100)
    source = add_source(db, "small", small)
    add_document(db, source, "b.md", ["third"])
    add_document(db, source, "a.md", ["first", "second"])
    result = ask(db, None, "anything at all", Mode.AUTO, limit=1)
    assert [excerpt.text for excerpt in result.excerpts] == ["first", "second", "third"]
    assert result.mode == "inline"
    assert {(e.score.kind, e.score.value) for e in result.excerpts} == {(ScoreKind.INLINE, None)}


def test_a_collection_over_its_limit_is_ranked(db: Database) -> None:
    source = add_source(db, "big", add_collection(db, "big", inline_token_limit=25))
    add_document(db, source, "a.md", ["alpha", "beta", "gamma"])
    result = ask(db, None, "beta", Mode.AUTO)
    assert [excerpt.text for excerpt in result.excerpts] == ["beta"]


def test_two_small_collections_are_ranked_together(db: Database) -> None:
    for name in ("one", "two"):
        source = add_source(db, name, add_collection(db, name, inline_token_limit=100))
        add_document(db, source, f"{name}.md", [f"only {name}"])
    result = ask(db, None, "two", Mode.AUTO)
    assert paths(result) == ["two.md"]


@pytest.mark.parametrize(
    ("modes", "expected"),
    [(("lexical", "lexical"), "lexical"), (("dense", "dense"), "dense"), (("lexical", "dense"), "hybrid")],
)
def test_auto_takes_the_mode_the_collections_agree_on(
    db: Database, space: EmbeddingSpace, modes: tuple[str, str], expected: str
) -> None:
    for number, mode in enumerate(modes):
        source = add_source(db, f"s{number}", add_collection(db, f"c{number}", default_mode=mode))
        add_document(db, source, "a.md", [Passage("word", EAST)], space=space)
    assert ask(db, PointingEmbedder(space), "word", Mode.AUTO).mode == expected


def test_i11_without_a_model_the_lexical_half_answers_and_says_so(
    shop: Database, space: EmbeddingSpace
) -> None:
    result = ask(shop, BrokenEmbedder(space), "settlement", Mode.HYBRID)
    assert paths(result) == ["shop/pay.py"]
    assert result.missing == ("dense: the model does not answer",)
    assert result.mode == "lexical"
    assert kinds(result) == {ScoreKind.BM25}


def test_i11_dense_alone_without_a_model_is_an_error_that_may_pass(
    shop: Database, space: EmbeddingSpace
) -> None:
    with pytest.raises(DenseHalfMissing, match="the model does not answer"):
        ask(shop, BrokenEmbedder(space), "settlement", Mode.DENSE)


def test_i11_a_question_without_words_is_answered_by_the_dense_half(
    shop: Database, space: EmbeddingSpace
) -> None:
    result = ask(shop, PointingEmbedder(space, EAST), "?!", Mode.HYBRID)
    assert paths(result)[0] == "shop/ship.py"
    assert result.missing == ("lexical: there is no word in the question",)
    assert kinds(result) == {ScoreKind.COSINE}
    alone = ask(shop, None, "?!", Mode.LEXICAL)
    assert (alone.excerpts, alone.missing) == ((), ("lexical: there is no word in the question",))


@pytest.mark.parametrize(
    ("right", "half", "first"),
    [
        ("SELECT ON brain.source_term", "lexical", "shop/ship.py"),
        ("EXECUTE ON FUNCTION brain.rank_vectors", "dense", "guide.md"),
    ],
)
def test_i11_a_half_whose_table_is_out_of_reach_leaves_the_other_answering(
    shop: Database, space: EmbeddingSpace, right: str, half: str, first: str
) -> None:
    shop.run(f"REVOKE {right} FROM brain_search")
    result = ask(shop, PointingEmbedder(space, EAST), "letter", Mode.HYBRID)
    assert paths(result)[0] == first
    assert result.missing == (f"{half}: the database refused this part of the search (42501)",)


def test_i11_a_half_that_takes_too_long_leaves_the_other_answering(
    shop: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never_ends(connection: Connection, *arguments: object) -> None:
        connection.execute("SELECT set_config('statement_timeout', '20', true), pg_sleep(0)")
        connection.execute("SELECT pg_sleep(30)")

    monkeypatch.setattr(store, "term_statistics", never_ends)
    result = ask(shop, PointingEmbedder(space, EAST), "letter", Mode.HYBRID)
    assert paths(result)[0] == "shop/ship.py"
    assert len(result.missing) == 1
    assert result.missing[0].startswith("lexical: The search took longer")


def test_b5_vectors_of_a_retired_space_do_not_answer(shop: Database, space: EmbeddingSpace) -> None:
    shop.run("UPDATE brain.embedding_space SET state = 'retired'")
    result = ask(shop, PointingEmbedder(space, EAST), "letter", Mode.HYBRID)
    assert paths(result) == ["guide.md"]
    assert result.missing == ("dense: the store no longer answers from this model's space",)


def test_b5_two_spaces_of_one_width_are_never_compared(shop: Database, space: EmbeddingSpace) -> None:
    other = add_space(shop, state="building", model="other")
    source = add_source(shop, "next", add_collection(shop, "next"))
    add_document(shop, source, "next.md", [Passage("next", EAST)], space=other)
    result = ask(shop, PointingEmbedder(space, EAST), "anything", Mode.DENSE)
    assert "next.md" not in paths(result)


def test_b3_a_chunk_without_a_vector_answers_by_its_words(shop: Database, space: EmbeddingSpace) -> None:
    source = add_source(shop, "bare", add_collection(shop, "bare"))
    add_document(shop, source, "bare.md", ["the platypus chapter"], space=space)
    assert "bare.md" in paths(ask(shop, PointingEmbedder(space), "platypus", Mode.HYBRID))[:2]


def test_a_store_without_vectors_says_that_the_dense_half_is_missing(
    db: Database, space: EmbeddingSpace
) -> None:
    add_document(db, add_source(db, "s", add_collection(db, "c")), "a.md", ["word"])
    result = ask(db, PointingEmbedder(space), "word", Mode.HYBRID)
    assert paths(result) == ["a.md"]
    assert result.missing == ("dense: no chunk in scope has a vector yet",)


def test_a2_a_deleted_document_stops_answering_in_every_mode(shop: Database, space: EmbeddingSpace) -> None:
    shop.run("DELETE FROM brain.document WHERE path = 'shop/ship.py'")
    for mode in (Mode.DENSE, Mode.LEXICAL, Mode.HYBRID):
        assert "shop/ship.py" not in paths(ask(shop, PointingEmbedder(space, EAST), "parcel", mode))


def test_a2_chunks_of_a_document_that_is_not_ready_do_not_surface(
    shop: Database, space: EmbeddingSpace
) -> None:
    shop.run("UPDATE brain.document SET state = 'pending', chunk_count = 0 WHERE path IN ('shop/ship.py')")
    for mode in (Mode.DENSE, Mode.LEXICAL, Mode.HYBRID):
        assert "shop/ship.py" not in paths(ask(shop, PointingEmbedder(space, EAST), "parcel", mode))


def test_an_unready_document_is_never_an_answer_but_is_no_obstacle(shop: Database) -> None:
    source = add_source(shop, "half", add_collection(shop, "half"))
    add_unready_document(shop, source, "settlement.md", "pending")
    assert paths(ask(shop, None, "settlement", Mode.LEXICAL)) == ["shop/pay.py"]


def test_the_same_text_is_shown_once_and_names_its_twins(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "a.md", ["same words", "same words", "same words", "other words"])
    add_document(db, source, "b.md", ["same words"])
    result = ask(db, None, "words", Mode.LEXICAL, limit=3)
    assert sorted((e.path, e.text) for e in result.excerpts) == [
        ("a.md", "other words"),
        ("a.md", "same words"),
    ]
    (shown,) = [e for e in result.excerpts if e.text == "same words"]
    assert ("b.md", 1) in {(twin.path, twin.start_line) for twin in shown.twins}


def test_the_same_question_gives_the_same_answer_a_hundred_times(
    shop: Database, space: EmbeddingSpace
) -> None:
    embedder = PointingEmbedder(space, (0.5, 0.5, 0.0, 0.0))
    answers = {ask(shop, embedder, "order letter parcel", Mode.HYBRID).excerpts for _ in range(100)}
    assert len(answers) == 1


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_limit_out_of_range_is_refused(shop: Database, limit: int) -> None:
    with pytest.raises(BadUsage, match="between 1 and 1000"):
        ask(shop, None, "word", Mode.LEXICAL, limit=limit)


def test_a_principal_who_may_read_nothing_gets_nothing(shop: Database, space: EmbeddingSpace) -> None:
    result = search(shop, PointingEmbedder(space), Principal("mallory"), "settlement")
    assert result.excerpts == ()


def test_a_store_without_tables_says_to_migrate(db: Database) -> None:
    db.run("DROP SCHEMA brain CASCADE")
    with pytest.raises(SchemaOutOfDate, match="brain init"):
        ask(db, None, "word", Mode.LEXICAL)


def test_ranked_chunks_know_their_files_and_how_they_were_found(
    shop: Database, space: EmbeddingSpace
) -> None:
    ranked = rank_chunks(shop, PointingEmbedder(space, EAST), ALICE, "letter", mode=Mode.HYBRID)
    assert (ranked.chunks[0].source, ranked.chunks[0].path) == ("shop-docs", "guide.md")
    assert ranked.is_complete
    assert {(t.half, t.collection, t.strategy, t.candidates) for t in ranked.trace if t.half == "dense"} == {
        ("dense", "code", "every vector compared", 3),
        ("dense", "docs", "every vector compared", 1),
    }


def test_ranked_files_are_distinct_and_each_stands_where_its_best_chunk_is(
    shop: Database, space: EmbeddingSpace
) -> None:
    ranked = rank_files(shop, PointingEmbedder(space, EAST), ALICE, "anything", mode=Mode.DENSE)
    assert ranked.files == (
        ("shop-code", "shop/ship.py"),
        ("shop-code", "shop/pay.py"),
        ("shop-docs", "guide.md"),
    )


def test_deeper_lists_only_append_files(db: Database) -> None:
    # 150 chunks of one file outrank all others, so the first hundred hold a single file.
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "loud.md", [f"needle needle needle {n}" for n in range(150)])
    for number in range(60):
        add_document(
            db, source, f"quiet{number:02}.md", [f"needle among many other words {number} " + "hay " * 40]
        )
    ranked = rank_files(db, None, ALICE, "needle", mode=Mode.LEXICAL, files=50)
    assert ranked.files[0] == ("s", "loud.md")
    assert len(set(ranked.files)) == len(ranked.files) == 50
