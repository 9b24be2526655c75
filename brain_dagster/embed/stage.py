"""The embeddings stage: every staged text gets a checked vector in the cache, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brain_dagster.embed.base import SpaceEmbedder
from brain_dagster.embed.checks import check_shape, what_is_wrong
from brain_dagster.faults import fault
from brain_dagster.model import Source
from brain_dagster.progress import reporter
from brain_dagster.store import vectors as cache
from brain_dagster.store.pool import Database
from brain_dagster.store.vectors import MissingText

# What a killed run may lose; at 20 to 100 texts a second on two cores that is a few seconds of work.
_BATCH_TEXTS = 256


@dataclass(frozen=True, slots=True)
class EmbeddingsReport:
    """What the stage did: texts embedded, chunks the cache covered, texts without a usable vector."""

    embedded: int
    cached: int
    failed: int
    model_calls: int


def stage_embeddings(db: Database, source: Source, embedder: SpaceEmbedder) -> EmbeddingsReport:
    """Embed what the cache lacks for the staged chunks of a source; loads no model if it lacks nothing.

    A batch is durable as it completes, so a killed run loses at most one. A text whose vector is not
    finite or is zero is tried once more alone, then recorded as failed (B3).
    Raises  InvalidEmbedding - the model returned another number or width of vectors (B2, B4); nothing of
            that batch is stored.
    """
    cache.forget_failures(db, source, embedder.space)
    missing = cache.count_missing(db, source, embedder.space)
    report = reporter()
    embedded = failed = calls = 0
    if missing.texts:
        report.begin(source.key, "embeddings", missing.texts)
        for batch in cache.missing_texts(db, source, embedder.space, _BATCH_TEXTS):
            bad = _embed_batch(db, embedder, batch)
            fault("embeddings.batch_stored")
            embedded += len(batch) - bad.failed
            failed += bad.failed
            calls += 1 + bad.retried
            report.advance(source.key, "embeddings", len(batch))
        report.end(source.key, "embeddings", f"{embedded} texts embedded, {missing.cached_chunks} from cache")
    return EmbeddingsReport(embedded, missing.cached_chunks, failed, calls)


@dataclass(frozen=True, slots=True)
class _Bad:
    retried: int
    failed: int


def _embed_batch(db: Database, embedder: SpaceEmbedder, batch: list[MissingText]) -> _Bad:
    width = embedder.space.width
    matrix = check_shape(embedder.embed_passages([one.text for one in batch]), len(batch), width)
    wrong = [row for row in range(len(batch)) if what_is_wrong(matrix[row])]
    failed = 0
    for row in wrong:
        again = check_shape(embedder.embed_passages([batch[row].text]), 1, width)
        reason = what_is_wrong(again[0])
        matrix[row] = again[0]
        if reason:
            cache.store_failure(db, embedder.space, batch[row].key, reason)
            failed += 1
    good = [row for row in range(len(batch)) if what_is_wrong(matrix[row]) is None]
    cache.store_vectors(db, embedder.space, [batch[row].key for row in good], matrix[np.array(good, int)])
    return _Bad(len(wrong), failed)
