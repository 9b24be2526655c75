"""A goldset against a real index: the named file must come back, and what cannot be measured says why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from brain_dagster.errors import Transient, UnknownCollection
from brain_dagster.evals import run as run_module
from brain_dagster.evals.goldset import Case, Goldset
from brain_dagster.evals.record import accept, judge_and_store
from brain_dagster.evals.report import evaluation_json, evaluation_markdown, notes, sections
from brain_dagster.evals.result import Evaluation
from brain_dagster.evals.run import evaluate, run_goldset
from brain_dagster.evals.unrelated import QUESTIONS
from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query.ranking import DenseHalfMissing, RankedChunks, RankedFiles
from brain_dagster.store.evals import CannotAccept, list_cases
from brain_dagster.store.pool import Database
from tests.support.seed import (
    Passage,
    add_collection,
    add_document,
    add_source,
    add_space,
    add_unready_document,
)

ALICE = Principal("alice")
NORTH, EAST, UP, BACK = (1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0)
DIRECTIONS = {"wasp": NORTH, "bee": EAST, "order": UP, "kernel": BACK}


@dataclass
class CompassEmbedder:
    """Points a question where its known word points, and remembers what it was asked."""

    space: EmbeddingSpace
    directions: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: DIRECTIONS)
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        sums = [self.directions[word] for word in text.split() if word in self.directions] or [NORTH]
        return np.array(sums, dtype=np.float32).sum(axis=0)


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    """Two collections of insects with one path in common, and one that alice may not read."""
    space = add_space(db)
    insects = add_source(db, "insects", add_collection(db, "animals"))
    garden = add_source(db, "garden", add_collection(db, "plants"))
    secret = add_source(db, "secret", add_collection(db, "locked", readers=()))
    add_document(db, insects, "wasp.md", [Passage("the wasp builds a paper nest", NORTH)], space=space)
    add_document(db, insects, "bee.md", [Passage("the bee keeps honey in wax", EAST)], space=space)
    add_document(db, insects, "same.md", [Passage("ants carry leaves", UP)], space=space)
    add_document(db, garden, "same.md", [Passage("roses want sun", BACK)], space=space)
    add_document(db, garden, "bare.md", [Passage("tulips without a vector")], space=space)
    add_document(db, secret, "vault.md", [Passage("the wasp of the vault", NORTH)], space=space)
    add_unready_document(db, garden, "scan.pdf", "failed")
    add_unready_document(db, garden, "logo.png", "skipped")
    add_unready_document(db, garden, "soon.md", "pending")
    return space


def _goldset(*cases: Case, name: str = "insects") -> Goldset:
    return Goldset(name, "0" * 64, cases)


WASP = Case("wasp", "where does the wasp live", "wasp.md", "insects")
BEE = Case("bee", "what does the bee keep", "bee.md", "insects")


def _evaluate(db: Database, space: EmbeddingSpace, *cases: Case, **more: Any) -> Evaluation:
    return evaluate(db, CompassEmbedder(space), ALICE, _goldset(*cases), **more)


def test_the_named_document_comes_back_first_in_every_mode(db: Database, space: EmbeddingSpace) -> None:
    evaluation = _evaluate(db, space, WASP, BEE)
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
    (result,) = _evaluate(db, space, mixed).results
    # "the" is in both, so the words find bee.md after wasp.md; in space all others are equally far.
    assert result.ranks["lexical"] == 2
    assert result.ranks["dense"] == 2
    absent = Case("absent", "wasp", "bee.md", "insects")
    assert _evaluate(db, space, absent).results[0].ranks["lexical"] is None


def test_each_question_is_embedded_once_whatever_the_number_of_modes(
    db: Database, space: EmbeddingSpace
) -> None:
    embedder = CompassEmbedder(space)
    evaluate(db, embedder, ALICE, _goldset(WASP, BEE))
    assert embedder.asked == [WASP.query, BEE.query, *QUESTIONS]


def test_lexical_alone_needs_no_model(db: Database, space: EmbeddingSpace) -> None:
    evaluation = evaluate(db, None, ALICE, _goldset(WASP), [Mode.LEXICAL])
    assert evaluation.results[0].ranks == {"lexical": 1}
    assert evaluation.missing == ()


def test_the_right_path_in_another_source_does_not_count(db: Database, space: EmbeddingSpace) -> None:
    case = Case("roses", "roses want sun", "same.md", "insects")
    (result,) = _evaluate(db, space, case, modes=[Mode.LEXICAL]).results
    assert result.is_measurable
    assert result.first["lexical"] == "garden:same.md"
    assert result.ranks["lexical"] is None


def test_a_collections_name_stands_for_its_source(db: Database, space: EmbeddingSpace) -> None:
    case = Case("roses", "roses want sun", "same.md", "plants")
    (result,) = _evaluate(db, space, case, modes=[Mode.LEXICAL]).results
    assert (result.why_not, result.ranks["lexical"]) == (None, 1)


def test_a_source_of_that_key_is_meant_before_a_collection_of_that_name(
    db: Database, space: EmbeddingSpace
) -> None:
    add_source(db, "animals", add_collection(db, "other"))
    case = Case("wasp", "wasp", "wasp.md", "animals")
    assert _evaluate(db, space, case).results[0].why_not == "not listed"


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
    assert _evaluate(db, space, Case("c", "wasp", expect, source)).results[0].why_not == why_not


def test_vectors_of_a_retired_space_do_not_make_a_case_measurable(
    db: Database, space: EmbeddingSpace
) -> None:
    db.run("UPDATE brain.embedding_space SET state = 'retired'")
    add_space(db, model="another")
    evaluation = evaluate(db, None, ALICE, _goldset(WASP), [Mode.LEXICAL])
    assert evaluation.results[0].why_not == "not embedded"


def test_metrics_are_over_the_measurable_cases_only(db: Database, space: EmbeddingSpace) -> None:
    gone = Case("gone", "where is it", "gone.md", "insects")
    missed = Case("missed", "tulips", "bee.md", "insects")
    evaluation = _evaluate(db, space, WASP, gone, missed, modes=[Mode.LEXICAL])
    assert (len(evaluation.results), len(evaluation.measurable)) == (3, 2)
    metrics = evaluation.metrics("lexical")
    assert metrics is not None
    assert metrics["recall@10"] == 0.5


def test_nothing_measurable_gives_no_number_and_fails(db: Database, space: EmbeddingSpace) -> None:
    evaluation = judge_and_store(db, _evaluate(db, space, Case("gone", "wasp", "gone.md", "insects")))
    assert evaluation.is_failed
    assert set(evaluation_json(evaluation)["modes"]["hybrid"].values()) == {None}
    assert db.one("SELECT count(*) FROM brain.eval_metric") == (0,)
    with pytest.raises(CannotAccept):
        accept(db, evaluation, "alice")


def test_a_collection_alice_may_not_read_is_refused_by_name(db: Database, space: EmbeddingSpace) -> None:
    with pytest.raises(UnknownCollection, match="locked"):
        _evaluate(db, space, WASP, collections=["locked"])


def test_a_limited_search_is_measured_and_compared_apart(db: Database, space: EmbeddingSpace) -> None:
    everything = judge_and_store(db, _evaluate(db, space, WASP))
    accept(db, everything, "alice")
    limited = judge_and_store(db, _evaluate(db, space, WASP, collections=["animals"]))
    assert limited.series == "insects in animals"
    assert limited.verdict is not None
    assert limited.verdict.word == "no-baseline"
    elsewhere = _evaluate(db, space, WASP, collections=["plants"])
    assert elsewhere.results[0].why_not == "not listed"


def test_the_json_is_the_contract(db: Database, space: EmbeddingSpace) -> None:
    gone = Case("gone", "where is it", "gone.md", "insects")
    evaluation = judge_and_store(db, _evaluate(db, space, WASP, gone, modes=[Mode.HYBRID]))
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
    evaluation = judge_and_store(db, _evaluate(db, space, WASP, gone, missed, modes=[Mode.LEXICAL]))
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


# Storing, judging, accepting -------------------------------------------------------------------------


def _write_goldset(tmp_path: Path, *cases: Case) -> Path:
    path = tmp_path / "insects.jsonl"
    lines = [{"id": c.id, "query": c.query, "expect": c.expect, "source": c.source} for c in cases]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_goldset_is_run_stored_accepted_and_compared(
    db: Database, space: EmbeddingSpace, tmp_path: Path
) -> None:
    path = _write_goldset(tmp_path, WASP, BEE)
    embedder = CompassEmbedder(space)
    first = run_goldset(db, embedder, ALICE, path, run_key="run-1")
    assert first.verdict is not None
    assert first.verdict.word == "no-baseline"
    accept(db, first, "alice")
    second = run_goldset(db, embedder, ALICE, path)
    assert second.verdict is not None
    assert second.verdict.word == "passed"
    assert second.comparison is not None
    assert second.comparison.baseline_id == first.eval_run_id
    head = db.one(
        "SELECT goldset, goldset_hash, principal, space, recipe, run_key, modes, baseline_id, accepted_by"
        " FROM brain.eval_run WHERE id = %s",
        [first.eval_run_id],
    )
    modes = ["dense", "lexical", "hybrid"]
    assert head == ("insects", first.goldset.sha256, "alice", "four@1", "r", "run-1", modes, None, "alice")


def test_a_collapse_fails_after_every_case_of_it_is_stored(
    db: Database, space: EmbeddingSpace, tmp_path: Path
) -> None:
    path = _write_goldset(tmp_path, WASP, BEE)
    accept(db, run_goldset(db, CompassEmbedder(space), ALICE, path, [Mode.LEXICAL]), "alice")
    db.run("UPDATE brain.chunk SET terms = '{}', bm25 = '{}/1000000000'::sparsevec")
    broken = run_goldset(db, CompassEmbedder(space), ALICE, path, [Mode.LEXICAL])
    assert broken.is_failed
    assert broken.verdict is not None
    assert "lexical recall@10 fell from 100.0 % to 0.0 % (2 cases lost, 0 won of 2" in broken.verdict.words
    assert broken.eval_run_id is not None
    stored = list_cases(db, broken.eval_run_id)
    assert [(case.case_id, case.mode, case.rank) for case in stored] == [
        ("bee", "lexical", None),
        ("wasp", "lexical", None),
    ]
    assert db.one("SELECT verdict FROM brain.eval_run WHERE id = %s", [broken.eval_run_id]) == ("failed",)


def test_a_document_that_lost_a_vector_fails_by_its_measurable_share(
    db: Database, space: EmbeddingSpace
) -> None:
    accept(db, judge_and_store(db, _evaluate(db, space, WASP, BEE)), "alice")
    db.run(
        "DELETE FROM brain.chunk_embedding WHERE chunk_id IN (SELECT c.id FROM brain.chunk c"
        " JOIN brain.document d ON d.id = c.document_id WHERE d.path = 'bee.md')"
    )
    verdict = judge_and_store(db, _evaluate(db, space, WASP, BEE)).verdict
    assert verdict is not None
    assert verdict.words == "measurable cases fell from 2 to 1 of 2: bee (not embedded)"


def test_a_deliberate_drop_can_be_accepted(db: Database, space: EmbeddingSpace, tmp_path: Path) -> None:
    path = _write_goldset(tmp_path, WASP, BEE)
    accept(db, run_goldset(db, CompassEmbedder(space), ALICE, path, [Mode.LEXICAL]), "alice")
    db.run("UPDATE brain.chunk SET terms = '{}', bm25 = '{}/1000000000'::sparsevec")
    accept(db, run_goldset(db, CompassEmbedder(space), ALICE, path, [Mode.LEXICAL]), "alice")
    again = run_goldset(db, CompassEmbedder(space), ALICE, path, [Mode.LEXICAL])
    assert again.verdict is not None
    assert again.verdict.word == "passed"


def test_i11_a_model_that_is_down_stops_the_dense_mode_and_stores_nothing(
    db: Database, space: EmbeddingSpace, tmp_path: Path
) -> None:
    class Down(CompassEmbedder):
        def embed_query(self, text: str) -> NDArray[np.float32]:
            raise Transient("the model does not answer")

    path = _write_goldset(tmp_path, WASP)
    with pytest.raises(DenseHalfMissing):
        run_goldset(db, Down(space), ALICE, path, [Mode.DENSE])
    assert db.one("SELECT count(*) FROM brain.eval_run") == (0,)
    hybrid = run_goldset(db, Down(space), ALICE, path, [Mode.HYBRID])
    assert hybrid.is_failed
    assert hybrid.verdict is not None
    assert "hybrid ran without a half for 1 questions (dense: the model does not answer)" in (
        hybrid.verdict.words
    )
    with pytest.raises(CannotAccept):
        accept(db, hybrid, "alice")


# The unrelated-questions check -----------------------------------------------------------------------


def _plant(db: Database, space: EmbeddingSpace) -> None:
    """Eight passages; the words of each unrelated question are in four of them."""
    source = add_source(db, "shop", add_collection(db, "shop"))
    for number in range(4):
        lean = 0.1 * number
        order = Passage(f"order number {number} of a customer and its money", (lean, 0, 1.0, 0))
        kernel = Passage(f"kernel number {number} and its network driver", (lean, 0, 0, 1.0))
        add_document(db, source, f"order{number}.md", [order], space=space)
        add_document(db, source, f"kernel{number}.md", [kernel], space=space)


def test_an_honest_search_answers_unrelated_questions_differently(
    db: Database, space: EmbeddingSpace
) -> None:
    _plant(db, space)
    assert _evaluate(db, space, WASP).unrelated == ()


def test_a_constant_vector_is_caught_without_any_baseline(db: Database, space: EmbeddingSpace) -> None:
    _plant(db, space)
    constant = CompassEmbedder(space, directions={})
    evaluation = judge_and_store(db, evaluate(db, constant, ALICE, _goldset(WASP)))
    assert evaluation.unrelated == ("dense",)
    assert evaluation.verdict is not None
    assert evaluation.verdict.words == "dense gives two unrelated questions the same results, byte for byte"
    with pytest.raises(CannotAccept, match="the same results, byte for byte"):
        accept(db, evaluation, "alice")


def test_results_in_file_order_are_caught(
    db: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(db, space)
    from brain_dagster.evals import unrelated
    from brain_dagster.query.ranking import rank_chunks

    def in_file_order(*arguments: Any, **keywords: Any) -> RankedChunks:
        honest = rank_chunks(*arguments, **keywords)
        everything = rank_chunks(*arguments, **{**keywords, "mode": Mode.DENSE})
        chunks = tuple(sorted(everything.chunks, key=lambda chunk: (chunk.source, chunk.path)))
        return RankedChunks(honest.mode, chunks, (), (), is_complete=True)

    monkeypatch.setattr(unrelated, "rank_chunks", in_file_order)
    assert _evaluate(db, space, WASP).unrelated == ("dense", "lexical", "hybrid")


def test_too_few_passages_to_tell_are_no_alarm(db: Database, space: EmbeddingSpace) -> None:
    # Alice's whole store has four vectors: two rankings of them may agree by chance.
    blind = evaluate(db, CompassEmbedder(space, directions={}), ALICE, _goldset(WASP), [Mode.DENSE])
    assert blind.unrelated == ()


def test_an_off_by_one_rank_fails_the_gate(
    db: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(db, space)
    cases = [
        Case(f"{word}{n}", f"{word} number {n}", f"{word}{n}.md", "shop")
        for word in ("order", "kernel")
        for n in range(4)
    ]
    honest = _evaluate(db, space, *cases, modes=[Mode.LEXICAL])
    assert honest.ranks("lexical") == [1] * 8
    accept(db, judge_and_store(db, honest), "alice")
    real = run_module.rank_files

    def shifted(*arguments: Any, **keywords: Any) -> RankedFiles:
        found = real(*arguments, **keywords)
        return RankedFiles(found.mode, (("shop", "decoy.md"), *found.files), found.missing)

    monkeypatch.setattr(run_module, "rank_files", shifted)
    verdict = judge_and_store(db, _evaluate(db, space, *cases, modes=[Mode.LEXICAL])).verdict
    assert verdict is not None
    assert verdict.word == "failed"
    assert "recall@1 fell from 100.0 % to 0.0 %" in verdict.words
