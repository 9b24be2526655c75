"""A reranker on this machine: a cross-encoder that reads question and passage together."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from brain_dagster.rerank.base import RerankFailed, sigmoid, timed_out


class CrossEncoderReranker:
    """Scores with a model that sentence-transformers' CrossEncoder can load.

    model       a folder with the model's files, or a name whose files are on this machine already: nothing
                is downloaded while a question waits
    max_tokens  question and passage are cut to this many tokens together, the longer one first
    batch       pairs per step; the time limit is looked at between two steps
    threads     of this model's arithmetic; None: as many as torch uses already
    """

    def __init__(
        self, model: str, *, max_tokens: int = 512, batch: int = 16, threads: int | None = None
    ) -> None:
        self.name = model
        self._max_tokens = max_tokens
        self._batch = batch
        self._threads = threads
        self._loading = threading.Lock()
        # One at a time: a tokenizer that is told to truncate while another thread uses it fails.
        self._scoring = threading.Lock()

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        """Score every passage from 0 to 1; one number per passage, in their order.

        timeout_s  for scoring and for waiting until others have scored. Loading the model does not count:
                   the first question of a process waits for it, as it waits for the embedding model.
        Raises     RerankFailed - no model, no time left before the next step, or the model failed.
        """
        if not passages:
            return ()
        model = self._loaded()
        deadline = time.monotonic() + timeout_s
        if not self._scoring.acquire(timeout=max(0.0, timeout_s)):
            raise timed_out(timeout_s)
        try:
            with self._own_threads():
                logits = self._logits(model, question, passages, deadline)
        finally:
            self._scoring.release()
        if logits is None:
            raise timed_out(timeout_s)
        return tuple(sigmoid(logit) if math.isfinite(logit) else logit for logit in logits)

    def _logits(
        self, model: Any, question: str, passages: Sequence[str], deadline: float
    ) -> list[float] | None:
        """Score step by step, longest passages first, so that little is padded; None when time is up."""
        order = sorted(range(len(passages)), key=lambda position: (-len(passages[position]), position))
        logits = [math.nan] * len(passages)
        for start in range(0, len(order), self._batch):
            if time.monotonic() >= deadline:
                return None
            step = order[start : start + self._batch]
            found = _predict(model, [(question, passages[position]) for position in step])
            for position, logit in zip(step, found, strict=True):
                logits[position] = logit
        return logits

    def _loaded(self) -> Any:
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            model: Any = CrossEncoder(self.name, device="cpu", local_files_only=True)
        except Exception as error:
            # Libraries raise whatever they like for a damaged or missing model; the edge is here.
            raise RerankFailed(f"the model cannot be loaded ({type(error).__name__})") from error
        if model.num_labels != 1:
            raise RerankFailed(f"the model gives {model.num_labels} numbers for a passage, not one")
        model.max_seq_length = min(self._max_tokens, model.max_seq_length or self._max_tokens)
        return model

    @contextmanager
    def _own_threads(self) -> Iterator[None]:
        """Compute with this model's number of threads, and give the other models theirs back."""
        import torch

        before = torch.get_num_threads()
        if self._threads is not None:
            torch.set_num_threads(self._threads)
        try:
            yield
        finally:
            if self._threads is not None:
                torch.set_num_threads(before)


def _predict(model: Any, pairs: list[tuple[str, str]]) -> list[float]:
    """Return the model's number for each pair as it comes out of the last layer.

    Identity, because what a model applies by itself differs: many that were trained on MS MARCO apply none.
    """
    from torch.nn import Identity

    try:
        found = model.predict(pairs, batch_size=len(pairs), activation_fn=Identity(), show_progress_bar=False)
        logits = [float(logit) for logit in found]
    except (RuntimeError, ValueError, IndexError, TypeError, MemoryError) as error:
        # Not chained: a tokenizer's error can quote its input (I12).
        raise RerankFailed(f"the model failed ({type(error).__name__})") from None
    if len(logits) != len(pairs):
        raise RerankFailed(f"{len(logits)} scores for {len(pairs)} passages")
    return logits
