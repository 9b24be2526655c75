"""A goldset against a real index: the named file must come back, and what cannot be measured says why."""

from __future__ import annotations

import json

import pytest

from brain_dagster.errors import UnknownCollection
from brain_dagster.evals.goldset import Case
from brain_dagster.evals.record import accept, judge_and_store
from brain_dagster.evals.report import evaluation_json, evaluation_markdown, notes, sections
from brain_dagster.evals.run import evaluate
from brain_dagster.evals.unrelated import QUESTIONS
from brain_dagster.model import EmbeddingSpace, Mode
from brain_dagster.store.evals import CannotAccept
from brain_dagster.store.pool import Database
from tests.support.insects import (
    ALICE,
    BEE,
    NORTH,
    WASP,
    CompassEmbedder,
    add_insects,
    evaluate_cases,
    goldset_of,
)
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    return add_insects(db)


def test_the_named_document_comes_back_first_in_every_mode(db: Database, space: EmbeddingSpace) -> None:
    evaluation = evaluate_cases(db, space, WASP, BEE)
    assert evaluation.modes == ("dense", "lexical", "hybrid")
    for result, first in zip(evaluation.results, ("insects:wasp.md", "insects:bee.md"), strict=True):
        assert result.ranks == {"dense": 1, "lexical": 1, "hybrid": 1}
        assert set(result.first.values()) == {first}
    assert evaluation.metrics("lexical") == dict.fromkeys(
        ("recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10"), 1.0
    )


def test_a_question_for_the_wrong_file_is_a_miss_in_the_words_and_a_late_rank_in_space(
    db: Database, space: EmbeddingSpace
) -> None:
    mixed = Case("mixed", "where does the wasp live", "bee.md", "insects")
    (result,) = evaluate_cases(db, space, mixed).results
    # "the" is in both, so the words find bee.md after wasp.md; in space all others are equally far.
    assert result.ranks["lexical"] == 2
    assert result.ranks["dense"] == 2
    absent = Case("absent", "wasp", "bee.md", "insects")
    assert evaluate_cases(db, space, absent).results[0].ranks["lexical"] is None


def test_each_question_is_embedded_once_whatever_the_number_of_modes(
    db: Database, space: EmbeddingSpace
) -> None:
    embedder = CompassEmbedder(space)
    evaluate(db, embedder, ALICE, goldset_of(WASP, BEE))
    assert embedder.asked == [WASP.query, BEE.query, *QUESTIONS]


def test_lexical_alone_needs_no_model(db: Database, space: EmbeddingSpace) -> None:
    evaluation = evaluate(db, None, ALICE, goldset_of(WASP), [Mode.LEXICAL])
    assert evaluation.results[0].ranks == {"lexical": 1}
    assert evaluation.missing == ()


def test_the_right_path_in_another_source_does_not_count(db: Database, space: EmbeddingSpace) -> None:
    case = Case("roses", "roses want sun", "same.md", "insects")
    (result,) = evaluate_cases(db, space, case, modes=[Mode.LEXICAL]).results
    assert result.is_measurable
    assert result.first["lexical"] == "garden:same.md"
    assert result.ranks["lexical"] is None


def test_a_collections_name_stands_for_its_source(db: Database, space: EmbeddingSpace) -> None:
    case = Case("roses", "roses want sun", "same.md", "plants")
    (result,) = evaluate_cases(db, space, case, modes=[Mode.LEXICAL]).results
    assert (result.why_not, result.ranks["lexical"]) == (None, 1)


def test_a_source_of_that_key_is_meant_before_a_collection_of_that_name(
    db: Database, space: EmbeddingSpace
) -> None:
    add_source(db, "animals", add_collection(db, "other"))
    case = Case("wasp", "wasp", "wasp.md", "animals")
    assert evaluate_cases(db, space, case).results[0].why_not == "not listed"


@pytest.mark.parametrize(
    ("expect", "source", "why_not"),
    [
        ("wasp.md", "insects", None),
        ("wasp.md", None, None),
        ("nowhere.md", "insects", "not listed"),
        ("wasp.md", "garden", "not listed"),
        ("vault.md", "secret", "not listed"),
        ("same.md", None, "ambiguous"),
        ("bare.md", "garden", "not embedded"),
        ("scan.pdf", "garden", "failed: a reason"),
        ("logo.png", "garden", "skipped: a reason"),
        ("soon.md", "garden", "not indexed yet"),
    ],
)
def test_a_case_that_cannot_be_measured_says_why(
    db: Database, space: EmbeddingSpace, expect: str, source: str | None, why_not: str | None
) -> None:
    assert evaluate_cases(db, space, Case("c", "wasp", expect, source)).results[0].why_not == why_not


def test_vectors_of_a_retired_space_do_not_make_a_case_measurable(
    db: Database, space: EmbeddingSpace
) -> None:
    db.run("UPDATE brain.embedding_space SET state = 'retired'")
    add_space(db, model="another")
    evaluation = evaluate(db, None, ALICE, goldset_of(WASP), [Mode.LEXICAL])
    assert evaluation.results[0].why_not == "not embedded"


def test_metrics_are_over_the_measurable_cases_only(db: Database, space: EmbeddingSpace) -> None:
    gone = Case("gone", "where is it", "gone.md", "insects")
    missed = Case("missed", "tulips", "bee.md", "insects")
    evaluation = evaluate_cases(db, space, WASP, gone, missed, modes=[Mode.LEXICAL])
    assert (len(evaluation.results), len(evaluation.measurable)) == (3, 2)
    metrics = evaluation.metrics("lexical")
    assert metrics is not None
    assert metrics["recall@10"] == 0.5


def test_nothing_measurable_gives_no_number_and_fails(db: Database, space: EmbeddingSpace) -> None:
    evaluation = judge_and_store(db, evaluate_cases(db, space, Case("gone", "wasp", "gone.md", "insects")))
    assert evaluation.is_failed
    assert set(evaluation_json(evaluation)["modes"]["hybrid"].values()) == {None}
    assert db.one("SELECT count(*) FROM brain.eval_metric") == (0,)
    with pytest.raises(CannotAccept):
        accept(db, evaluation, "alice")


def test_a_collection_alice_may_not_read_is_refused_by_name(db: Database, space: EmbeddingSpace) -> None:
    with pytest.raises(UnknownCollection, match="locked"):
        evaluate_cases(db, space, WASP, collections=["locked"])


def test_a_limited_search_is_measured_and_compared_apart(db: Database, space: EmbeddingSpace) -> None:
    everything = judge_and_store(db, evaluate_cases(db, space, WASP))
    accept(db, everything, "alice")
    limited = judge_and_store(db, evaluate_cases(db, space, WASP, collections=["animals"]))
    assert limited.series == "insects in animals"
    assert limited.verdict is not None
    assert limited.verdict.word == "no-baseline"
    elsewhere = evaluate_cases(db, space, WASP, collections=["plants"])
    assert elsewhere.results[0].why_not == "not listed"


def test_the_json_is_the_contract(db: Database, space: EmbeddingSpace) -> None:
    gone = Case("gone", "where is it", "gone.md", "insects")
    evaluation = judge_and_store(db, evaluate_cases(db, space, WASP, gone, modes=[Mode.HYBRID]))
    report = json.loads(json.dumps(evaluation_json(evaluation)))
    assert list(report)[:5] == ["goldset", "cases", "measurable", "modes", "per_case"]
    numbers = {"recall@1": 1, "recall@3": 1, "recall@5": 1, "recall@10": 1, "mrr@10": 1, "ndcg@10": 1}
    assert {key: report[key] for key in list(report)[:5]} == {
        "goldset": "insects",
        "cases": 2,
        "measurable": 1,
        "modes": {"hybrid": numbers},
        "per_case": [
            {"id": "wasp", "expect": "wasp.md", "measurable": True, "rank": {"hybrid": 1}},
            {"id": "gone", "expect": "gone.md", "measurable": False, "rank": {"hybrid": None}},
        ],
    }
    assert list(report["modes"]["hybrid"]) == list(numbers)
    assert report["unmeasurable"] == {"gone": "not listed"}
    assert report["verdict"]["word"] == "no-baseline"
    assert report["eval_run"] == evaluation.eval_run_id


def test_the_tables_name_the_miss_what_came_instead_and_why_a_case_is_not_measured(
    db: Database, space: EmbeddingSpace
) -> None:
    gone = Case("gone", "line\nbreak | \x1b[31mred", "gone.md", "insects")
    missed = Case("missed", "tulips", "bee.md", "insects")
    evaluation = judge_and_store(db, evaluate_cases(db, space, WASP, gone, missed, modes=[Mode.LEXICAL]))
    modes, unmeasurable, misses = sections(evaluation)
    assert modes.title == "insects: 3 cases, 2 measurable; one case is 50.0 points (percent)"
    # One hit of two: sqrt(0.25 / 2) = 35.4 points of standard error.
    assert modes.rows == (("lexical", "50.0", "50.0", "50.0", "50.0", "50.0", "50.0", "35.4", "-"),)
    assert unmeasurable.rows == (("gone", "insects:gone.md", "not listed"),)
    assert misses.rows == (("missed", "tulips", "insects:bee.md", "garden:bare.md", "lexical -"),)
    markdown = evaluation_markdown(evaluation)
    assert "| missed | tulips | insects:bee.md | garden:bare.md | lexical - |" in markdown
    assert "\x1b" not in markdown
    assert notes(evaluation) == ("there is no accepted baseline to compare with",)


def test_a_goldset_that_is_indexed_itself_is_named(db: Database, space: EmbeddingSpace) -> None:
    (garden,) = db.one("SELECT id FROM brain.source WHERE key = 'garden'") or (0,)
    passage = Passage(f'{{"query": "{WASP.query}"}}', NORTH)
    add_document(db, garden, "golden/insects.jsonl", [passage], space=space)
    evaluation = evaluate_cases(db, space, WASP, BEE, modes=[Mode.LEXICAL])
    assert evaluation.results[0].ranks["lexical"] == 2
    assert notes(evaluation) == (
        "garden:golden/insects.jsonl holds the questions and came first for 1 of them:"
        " exclude it from its source",
    )
