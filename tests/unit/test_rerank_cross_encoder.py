"""The cross-encoder on this machine; the adapter is the real one, its model tiny and random."""

from __future__ import annotations

import math
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brain_dagster.rerank.base import RerankFailed
from brain_dagster.rerank.cross_encoder import CrossEncoderReranker

# Importing torch and the library takes as long as a hundred other tests.
pytestmark = pytest.mark.slow

QUESTION = "who makes honey"
WORDS = [
    *QUESTION.split(),
    "bees",
    "ants",
    "moths",
    "and",
    "collect",
    "nectar",
    "from",
    "flowers",
    "in",
    "summer",
]
PASSAGES = [
    "bees collect nectar",
    "ants",
    "moths and beetles in summer and moths and ants and bees",
    "",
    "flowers",
    "bees collect nectar",
    "nectar from flowers in summer",
]
PATIENCE_S = 60.0


def make_model(folder: Path, *, labels: int = 1) -> Path:
    """Write a BERT cross-encoder with one layer; the seed makes it the same every time."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]) + "\n", "utf-8")
    torch.manual_seed(4)
    config = BertConfig(
        vocab_size=5 + len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=48,
        num_labels=labels,
        initializer_range=1.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(str(vocabulary), model_max_length=48).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "tiny")


def scored_by_hand(folder: Path, passages: Sequence[str], *, max_tokens: int = 48) -> list[float]:
    """The model's own numbers, one pair at a time and without sentence-transformers."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    values = []
    for passage in passages:
        # As lists of one: a lone empty text would count as no second text at all.
        pair = tokenizer([QUESTION], [passage], truncation=True, max_length=max_tokens, return_tensors="pt")
        with torch.no_grad():
            values.append(1 / (1 + math.exp(-model(**pair).logits.item())))
    return values


def test_scores_are_the_sigmoid_of_the_models_numbers_in_the_order_of_the_passages(folder: Path) -> None:
    expected = scored_by_hand(folder, PASSAGES)
    assert max(expected) - min(expected) > 0.5, "a model that scores everything alike would prove nothing"
    for batch in (1, 3, 16):
        scores = CrossEncoderReranker(str(folder), batch=batch).score(
            QUESTION, PASSAGES, timeout_s=PATIENCE_S
        )
        assert scores == pytest.approx(expected, abs=1e-5)


def test_the_same_question_gets_the_same_scores(folder: Path) -> None:
    reranker = CrossEncoderReranker(str(folder), batch=4)
    first = reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == first


def test_a_pair_is_cut_to_what_the_setting_and_the_model_allow(folder: Path) -> None:
    long = ["bees ants " * 200, "moths"]
    for max_tokens, read in ((16, 16), (48, 48), (10_000, 48)):
        reranker = CrossEncoderReranker(str(folder), max_tokens=max_tokens)
        scores = reranker.score(QUESTION, long, timeout_s=PATIENCE_S)
        assert scores == pytest.approx(scored_by_hand(folder, long, max_tokens=read), abs=1e-5)


def test_nothing_is_loaded_for_no_passages() -> None:
    assert CrossEncoderReranker("no/such-model").score(QUESTION, [], timeout_s=PATIENCE_S) == ()


def test_a_model_that_is_not_there_or_damaged_fails_in_words(folder: Path, tmp_path: Path) -> None:
    damaged = make_model(tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"not weights")
    (empty := tmp_path / "empty").mkdir()
    for model in (str(tmp_path / "nowhere"), "no-such/model", str(empty), str(damaged)):
        with pytest.raises(RerankFailed, match=r"^the model cannot be loaded \(\w+\)$"):
            CrossEncoderReranker(model).score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)


def test_a_classifier_is_no_reranker(tmp_path: Path) -> None:
    classifier = make_model(tmp_path / "classifier", labels=3)
    with pytest.raises(RerankFailed, match=r"^the model gives 3 numbers for a passage, not one$"):
        CrossEncoderReranker(str(classifier)).score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)


def test_threads_are_given_back(folder: Path) -> None:
    import torch

    before = torch.get_num_threads()
    reranker = CrossEncoderReranker(str(folder), threads=before + 1)
    seen = []
    predict = reranker._model.predict
    reranker._model.predict = lambda *a, **k: (seen.append(torch.get_num_threads()), predict(*a, **k))[1]
    reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)
    assert (seen[0], torch.get_num_threads()) == (before + 1, before)


# Time and trouble, with a model that is only a function.


def with_model(reranker: CrossEncoderReranker, predict: Any) -> CrossEncoderReranker:
    reranker.__dict__["_model"] = SimpleNamespace(predict=predict)
    return reranker


def test_i11_the_time_limit_is_looked_at_between_two_steps() -> None:
    steps: list[int] = []

    def slow(pairs: list[tuple[str, str]], **_options: object) -> list[float]:
        steps.append(len(pairs))
        time.sleep(0.1)
        return [0.0] * len(pairs)

    reranker = with_model(CrossEncoderReranker("slow", batch=4), slow)
    started = time.monotonic()
    with pytest.raises(RerankFailed, match=r"^timed out after 0\.25 s$"):
        reranker.score(QUESTION, ["passage"] * 400, timeout_s=0.25)
    assert time.monotonic() - started < 1
    assert steps == [4, 4, 4], "100 steps would have taken 10 s"
    assert reranker.score(QUESTION, ["passage"] * 8, timeout_s=5) == (0.5,) * 8


def test_i11_a_question_that_waits_for_another_has_the_same_limit() -> None:
    release = threading.Event()

    def held(pairs: list[tuple[str, str]], **_options: object) -> list[float]:
        release.wait(10)
        return [0.0] * len(pairs)

    reranker = with_model(CrossEncoderReranker("held"), held)
    other = threading.Thread(target=reranker.score, args=(QUESTION, ["passage"]), kwargs={"timeout_s": 10})
    other.start()
    started = time.monotonic()
    with pytest.raises(RerankFailed, match=r"^timed out after 0\.2 s$"):
        reranker.score(QUESTION, ["passage"], timeout_s=0.2)
    assert time.monotonic() - started < 1
    release.set()
    other.join(5)


def test_i12_a_failure_inside_the_model_does_not_quote_what_it_read() -> None:
    def fails(pairs: list[tuple[str, str]], **_options: object) -> list[float]:
        raise ValueError(f"cannot read {pairs}")

    reranker = with_model(CrossEncoderReranker("fails"), fails)
    with pytest.raises(RerankFailed, match=r"^the model failed \(ValueError\)$") as caught:
        reranker.score(QUESTION, [nonce := f"{1234567:x}"], timeout_s=5)
    assert nonce not in "".join(traceback.format_exception(caught.value))


def test_b3_a_number_that_is_not_finite_is_left_for_the_check_to_refuse() -> None:
    reranker = with_model(CrossEncoderReranker("nan"), lambda pairs, **_: [math.nan] * len(pairs))
    assert all(math.isnan(score) for score in reranker.score(QUESTION, ["one", "two"], timeout_s=5))


def test_i11_too_few_numbers_from_the_model_are_a_failure_like_any_other() -> None:
    reranker = with_model(CrossEncoderReranker("short"), lambda pairs, **_: [0.0] * (len(pairs) - 1))
    with pytest.raises(RerankFailed, match=r"^1 scores for 2 passages$"):
        reranker.score(QUESTION, ["one", "two"], timeout_s=5)
