"""Evaluations judged by the gate against the baseline of a real store, and what no baseline is needed for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from brain_dagster.errors import Transient
from brain_dagster.evals import run as run_module
from brain_dagster.evals.goldset import Case
from brain_dagster.evals.record import accept, judge_and_store
from brain_dagster.evals.report import evaluation_json, sections
from brain_dagster.evals.run import evaluate, run_goldset
from brain_dagster.model import EmbeddingSpace, Mode
from brain_dagster.query.ranking import DenseHalfMissing
from brain_dagster.query.rankings import RankedChunks, RankedFiles
from brain_dagster.store.evals import CannotAccept, list_cases
from brain_dagster.store.pool import Database
from tests.support.insects import (
    ALICE,
    BEE,
    WASP,
    CompassEmbedder,
    add_insects,
    evaluate_cases,
    goldset_of,
)
from tests.support.seed import Passage, add_collection, add_document, add_source


@pytest.fixture
def space(db: Database) -> EmbeddingSpace:
    return add_insects(db)


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
    assert sections(broken)[-1].rows == (("lexical", "left the first ten", "wasp, bee"),)
    compared = evaluation_json(broken)["comparison"]["modes"]["lexical"]
    assert compared["lost"] == ["wasp", "bee"]
    assert compared["measures"]["recall@10"]["losses"] == 2
    stored = list_cases(db, broken.eval_run_id)
    assert [(case.case_id, case.mode, case.rank) for case in stored] == [
        ("bee", "lexical", None),
        ("wasp", "lexical", None),
    ]
    assert db.one("SELECT verdict FROM brain.eval_run WHERE id = %s", [broken.eval_run_id]) == ("failed",)


def test_a_document_that_lost_a_vector_fails_by_its_measurable_share(
    db: Database, space: EmbeddingSpace
) -> None:
    accept(db, judge_and_store(db, evaluate_cases(db, space, WASP, BEE)), "alice")
    db.run(
        "DELETE FROM brain.chunk_embedding WHERE chunk_id IN (SELECT c.id FROM brain.chunk c"
        " JOIN brain.document d ON d.id = c.document_id WHERE d.path = 'bee.md')"
    )
    verdict = judge_and_store(db, evaluate_cases(db, space, WASP, BEE)).verdict
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


def test_a_question_of_punctuation_has_no_lexical_half_and_that_is_no_failure(
    db: Database, space: EmbeddingSpace
) -> None:
    evaluation = evaluate_cases(db, space, Case("odd", "?!", "wasp.md", "insects"), modes=[Mode.HYBRID])
    assert evaluation.results[0].ranks == {"hybrid": 1}
    assert evaluation.missing == ()


def test_i11_a_lexical_half_that_is_down_fails_the_gate(
    db: Database, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise psycopg.errors.ProgramLimitExceeded

    monkeypatch.setattr("brain_dagster.store.lexical.rank_lexically", refuse)
    evaluation = judge_and_store(db, evaluate_cases(db, space, WASP, modes=[Mode.HYBRID]))
    assert evaluation.is_failed
    (half,) = evaluation.missing
    assert half.why.startswith("lexical: ")


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
    assert evaluate_cases(db, space, WASP).unrelated == ()


def test_a_constant_vector_is_caught_without_any_baseline(db: Database, space: EmbeddingSpace) -> None:
    _plant(db, space)
    constant = CompassEmbedder(space, directions={})
    evaluation = judge_and_store(db, evaluate(db, constant, ALICE, goldset_of(WASP)))
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
    from brain_dagster.query.rankings import rank_chunks

    def in_file_order(*arguments: Any, **keywords: Any) -> RankedChunks:
        honest = rank_chunks(*arguments, **keywords)
        everything = rank_chunks(*arguments, **{**keywords, "mode": Mode.DENSE})
        chunks = tuple(sorted(everything.chunks, key=lambda chunk: (chunk.source, chunk.path)))
        return RankedChunks(honest.mode, chunks, (), (), is_complete=True)

    monkeypatch.setattr(unrelated, "rank_chunks", in_file_order)
    assert evaluate_cases(db, space, WASP).unrelated == ("dense", "lexical", "hybrid")


def test_too_few_passages_to_tell_are_no_alarm(db: Database, space: EmbeddingSpace) -> None:
    # Alice's whole store has four vectors: two rankings of them may agree by chance.
    blind = evaluate(db, CompassEmbedder(space, directions={}), ALICE, goldset_of(WASP), [Mode.DENSE])
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
    honest = evaluate_cases(db, space, *cases, modes=[Mode.LEXICAL])
    assert honest.ranks("lexical") == [1] * 8
    accept(db, judge_and_store(db, honest), "alice")
    real = run_module.rank_files

    def shifted(*arguments: Any, **keywords: Any) -> RankedFiles:
        found = real(*arguments, **keywords)
        return RankedFiles(found.mode, (("shop", "decoy.md"), *found.files), found.missing)

    monkeypatch.setattr(run_module, "rank_files", shifted)
    verdict = judge_and_store(db, evaluate_cases(db, space, *cases, modes=[Mode.LEXICAL])).verdict
    assert verdict is not None
    assert verdict.word == "failed"
    assert "recall@1 fell from 100.0 % to 0.0 %" in verdict.words
