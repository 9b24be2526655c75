"""The lexical list is exact BM25F, by an implementation that shares nothing with it but the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log
from random import Random
from typing import TypeVar

import pytest

from brain_dagster.lexical.bm25 import DOCUMENT_WEIGHTS, WEIGHTS, DocumentWeights, Weights
from brain_dagster.lexical.tokens import lexemes
from brain_dagster.model import Mode, Principal
from brain_dagster.query import lexical as lexical_half
from brain_dagster.query import rank_chunks, search
from brain_dagster.query.lexical import weigh
from brain_dagster.query.question import read_question
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store.lexical import rank_lexically, term_statistics
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading
from tests.support.seed import add_collection, add_document, add_source

ALICE = Principal("alice")
K = TypeVar("K")
WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + ["shopOrder", "pay_state", "a.b.c"]


def bm25f(question: str, chunks: dict[tuple[str, int], str]) -> dict[tuple[str, int], float]:
    """Score chunks, keyed by (path, ordinal), with whole strings as terms and a float per field.

    A chunk that holds a word of the question gets its own score plus that of its document.
    """
    own = {key: _bag([text], key[0], WEIGHTS) for key, text in chunks.items()}
    whole = {
        path: _bag([t for (p, _), t in chunks.items() if p == path], path, DOCUMENT_WEIGHTS)
        for path, _ in chunks
    }
    chunk_scores, document_scores = _score(question, own, WEIGHTS), _score(question, whole, DOCUMENT_WEIGHTS)
    return {key: score + document_scores[key[0]] for key, score in chunk_scores.items()}


def _bag(texts: Iterable[str], path: str, weights: Weights | DocumentWeights) -> dict[str, float]:
    bag: dict[str, float] = {}
    for weight, text in [(weights.text, text) for text in texts] + [(weights.path, path)]:
        for word in lexemes(text):
            bag[word] = bag.get(word, 0.0) + weight
    return bag


def _score(question: str, bags: dict[K, dict[str, float]], w: Weights | DocumentWeights) -> dict[K, float]:
    scores: dict[K, float] = {}
    for word, count in Counter(lexemes(question)).items():
        holders = sum(word in bag for bag in bags.values())
        rarity = log(1 + (len(bags) - holders + 0.5) / (holders + 0.5))
        for key, bag in bags.items():
            if word in bag:
                norm = w.k1 * (1 - w.b + w.b * sum(bag.values()) / w.reference_length)
                saturated = bag[word] * (w.k1 + 1) / (bag[word] + norm)
                scores[key] = scores.get(key, 0.0) + 9 * count / (8 + count) * rarity * saturated
    return scores


@pytest.fixture
def corpus(db: Database) -> tuple[Database, dict[tuple[str, int], str]]:
    """Two readable collections of random words, and a third that must not leak into the statistics."""
    random = Random(7)
    chunks: dict[tuple[str, int], str] = {}
    for name, readers in (("one", ("alice",)), ("two", ("alice",)), ("secret", ("bob",))):
        source = add_source(db, name, add_collection(db, name, readers=readers))
        for number in range(12):
            path = f"{name}/{random.choice(WORDS)}_{number}.py"
            texts = [" ".join(random.choices(WORDS, k=random.randint(3, 60))) for _ in range(4)]
            add_document(db, source, path, texts)
            if name != "secret":
                chunks.update({(path, ordinal): text for ordinal, text in enumerate(texts)})
    return db, chunks


@pytest.mark.parametrize(
    "question", ["worda", "worda wordb wordb", "shop_order a.b.c", "one/wordc_3.py wordz state", "the wordq"]
)
def test_score_and_order_are_exact_bm25(
    corpus: tuple[Database, dict[tuple[str, int], str]], question: str
) -> None:
    db, chunks = corpus
    ranked = rank_chunks(db, None, ALICE, question, mode=Mode.LEXICAL)
    expected = bm25f(question, chunks)
    ordinals = dict(db.all("SELECT id, ordinal FROM brain.chunk"))
    got = {(chunk.path, ordinals[chunk.chunk_id]): chunk.score.value for chunk in ranked.chunks}
    assert got.keys() == expected.keys()
    for key, value in expected.items():
        assert got[key] == pytest.approx(value, rel=1e-5)
    values = [chunk.score.value or 0.0 for chunk in ranked.chunks]
    assert values == sorted(values, reverse=True)


def test_one_set_of_statistics_serves_all_collections(
    corpus: tuple[Database, dict[tuple[str, int], str]],
) -> None:
    db, chunks = corpus
    question = read_question("worda shopOrder nowhere")
    with reading(db) as connection:
        scope = resolve_scope(connection, ALICE, None, None)
        statistics = term_statistics(connection, scope.ids, list(question.terms))
    texts = [set(lexemes(f"{path} {text}")) for (path, _), text in chunks.items()]
    assert statistics.chunks == len(texts) == 96
    assert statistics.documents == 24
    documents = [
        set().union(*(lexemes(f"{path} {text}") for (p, _), text in chunks.items() if p == path))
        for path in {path for path, _ in chunks}
    ]
    assert sorted(statistics.document_frequencies.values()) == sorted(
        count
        for word in ("worda", "shoporder", "shop", "order")
        if (count := sum(word in words for words in documents))
    )
    assert sorted(statistics.frequencies.values()) == sorted(
        count for word in ("worda", "shoporder", "shop", "order") if (count := sum(word in t for t in texts))
    )


def test_common_words_still_count_for_what_the_gate_lets_in(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "a.md", ["rare common", "rare padding", "common padding"])
    for number in range(30):
        add_document(db, source, f"{number}.md", ["common"])
    question = read_question("rare common")
    with reading(db) as connection:
        statistics = term_statistics(
            connection, resolve_scope(connection, ALICE, None, None).ids, list(question.terms)
        )
        # As if the budget held the rare word only.
        weighed = weigh(question.terms, statistics)
        assert weighed is not None
        rarest = list(weighed.gate.terms[:1])
        found = connection.execute(
            "SELECT text, -(bm25 <#> %s) FROM brain.chunk WHERE terms && %s ORDER BY bm25 <#> %s, id",
            (weighed.vector, rarest, weighed.vector),
        ).fetchall()
    assert [text for text, _ in found] == ["rare common", "rare padding"]
    ranked = rank_chunks(db, None, ALICE, "rare common", mode=Mode.LEXICAL)
    assert [chunk.path for chunk in ranked.chunks[:2]] == ["a.md", "a.md"]
    own = ranked.chunks[0].score.value - ranked.chunks[1].score.value  # type: ignore[operator]
    assert own == pytest.approx(found[0][1] - found[1][1]), "their document adds the same to both"


@pytest.fixture
def common(db: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Sixty documents in which every word is too common to be looked for alone."""
    monkeypatch.setattr(lexical_half, "GATE_ROWS", 20)
    monkeypatch.setattr(lexical_half, "GATE_SHARE", 0.0)
    source = add_source(db, "s", add_collection(db, "c"))
    for number in range(60):
        add_document(db, source, f"{number}.md", ["alpha filler" if number % 2 else "beta filler"])
    add_document(db, source, "both.md", ["alpha and beta together"])
    return db


def test_of_common_words_what_holds_all_of_them_comes_first(common: Database) -> None:
    ranked = rank_chunks(common, None, ALICE, "alpha beta", mode=Mode.LEXICAL)
    assert ranked.chunks[0].path == "both.md"
    assert len({chunk.chunk_id for chunk in ranked.chunks}) == len(ranked.chunks)
    (row,) = [row for row in ranked.trace if row.half == "lexical"]
    assert "all words common: 2 of 2 at once" in row.strategy


def test_a_word_that_is_everywhere_is_looked_for_in_a_share_of_the_documents(common: Database) -> None:
    ranked = rank_chunks(common, None, ALICE, "filler", mode=Mode.LEXICAL)
    # 20 of 60, by a hash of the document's number: the same ones each time, and never all.
    assert 8 <= len(ranked.chunks) <= 32
    assert ranked.chunks == rank_chunks(common, None, ALICE, "filler", mode=Mode.LEXICAL).chunks
    (row,) = [row for row in ranked.trace if row.half == "lexical"]
    assert "33% of the documents" in row.strategy


def test_the_index_of_terms_is_used_once_the_table_is_large(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "a.md", ["needle in here"])
    # 20,000 more rows cost 3 s one by one and 0.4 s as copies of one with other terms.
    db.run(
        "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind,"
        " start_line, end_line, text, context, context_kind, context_model, context_prompt_hash,"
        " context_state, tokens, embed_key, terms, bm25)"
        " SELECT document_id, source_id, collection_id, 1, n, kind, n, n, text, '', 'structure', '', '',"
        " 'ok', 10, '', ARRAY[n, n + 1, n + 2], bm25 FROM brain.chunk, generate_series(1, 20000) n"
    )
    db.run("ANALYZE brain.chunk")
    question = read_question("needle")
    with reading(db) as connection:
        scope = resolve_scope(connection, ALICE, None, None)
        statistics = term_statistics(connection, scope.ids, list(question.terms))
        weighed = weigh(question.terms, statistics)
        assert weighed is not None
        found = rank_lexically(
            connection,
            scope.ids,
            gate=weighed.gate,
            question=weighed.vector,
            document_question=weighed.document_vector,
            depth=100,
        )
        # The scan runs inside a function with the owner's rights, where EXPLAIN does not look.
        scans = connection.execute(
            "SELECT pg_stat_get_xact_numscans(c.oid) FROM pg_class c WHERE c.relname = 'chunk_by_term'"
        ).fetchone()
    assert len(found) == 1
    assert scans == (1,)


def test_d3_every_chunk_of_a_wall_of_distinct_words_is_searchable(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    chunks = [
        " ".join(f"v{number:x}z" for number in range(start, start + 2_000))
        for start in range(0, 20_000, 2_000)
    ]
    add_document(db, source, "wall.txt", chunks)
    for number in (0, 9_999, 19_999):
        result = search(db, None, ALICE, f"v{number:x}z", mode=Mode.LEXICAL)
        assert result.excerpts[0].start_line == number // 2_000 + 1


@pytest.mark.parametrize("length", [2046, 2047, 8191])
def test_d4_a_lexeme_of_any_length_is_found(db: Database, length: int) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "long.txt", ["nothing", "q" * length])
    result = search(db, None, ALICE, "q" * length, mode=Mode.LEXICAL)
    assert [excerpt.start_line for excerpt in result.excerpts] == [2]


def test_d4_an_identifier_at_the_end_of_the_largest_chunk_is_found_whole_and_by_part(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(db, source, "end.py", ["hay " * 40_000 + "settlementStatusEnum", "hay"])
    for text in ("settlementStatusEnum", "settlement_status_enum", "settlement", "enum"):
        result = search(db, None, ALICE, text, mode=Mode.LEXICAL)
        assert [excerpt.start_line for excerpt in result.excerpts] == [1], text


def test_text_beyond_ascii_is_found(db: Database) -> None:
    source = add_source(db, "s", add_collection(db, "c"))
    add_document(
        db,
        source,
        "i18n.md",
        [
            "\u6771\u4eac\u90fd\u306e\u7a0e\u91d1",
            "die Gr\u00f6\u00dfe der Stra\u00dfe",
            "\u041d\u0430\u043b\u043e\u0433\u0438",
        ],
    )
    for text, line in (
        ("\u7a0e\u91d1", 1),
        ("\u7a0e", 1),
        ("groesse Strasse", 2),
        ("\u043d\u0430\u043b\u043e\u0433\u0438", 3),
    ):
        assert search(db, None, ALICE, text, mode=Mode.LEXICAL).excerpts[0].start_line == line
