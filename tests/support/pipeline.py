"""Runs the stages of a sync one after the other, as the Dagster job does, without Dagster."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from brain_dagster.chunk.tokens import default_counter
from brain_dagster.codemap.refresh import refresh_code_map
from brain_dagster.connectors import open_connector
from brain_dagster.contextualize.stage import stage_contexts
from brain_dagster.contextualize.structure import StructureContextualizer
from brain_dagster.embed import SpaceEmbedder, bind_embedder
from brain_dagster.embed.base import Vectors
from brain_dagster.embed.stage import EmbeddingsReport, stage_embeddings
from brain_dagster.faults import fault
from brain_dagster.ingest.diff import DiffReport, diff_source
from brain_dagster.ingest.stage import stage_chunks
from brain_dagster.model import Source, SpaceIdentity
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import Settings
from brain_dagster.store import sources as registry
from brain_dagster.store.claims import claim, release_all
from brain_dagster.store.pool import Database
from brain_dagster.store.publish import PublishReport, publish

WIDTH = 16


class WordHashEmbedder:
    """A small, deterministic stand-in for the model: texts that share words have near vectors.

    It counts what it is asked, so that a test can say "this cost no model call".
    """

    def __init__(self) -> None:
        self.texts: list[str] = []

    @property
    def identity(self) -> SpaceIdentity:
        return SpaceIdentity("word-hash", "1", WIDTH, "", "", is_normalised=True, max_tokens=256)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.stack([_vector(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return _vector(text)


def _vector(text: str) -> Vectors:
    sums = np.full(WIDTH, 1e-3, dtype=np.float32)
    for word in text.lower().split():
        digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=2).digest()
        sums[digest[0] % WIDTH] += 1 if digest[1] % 2 else -1
    return sums / np.linalg.norm(sums)


class Sync:
    """One run of one source, stage by stage."""

    def __init__(
        self, db: Database, key: str, settings: Settings, embedder: SpaceEmbedder, run_key: str
    ) -> None:
        self.db = db
        self.settings = settings
        self.embedder = embedder
        self.run_key = run_key
        self.source = registry.get_source(db, key)
        self.embedded = EmbeddingsReport(0, 0, 0, 0)

    def diff(self) -> DiffReport:
        connector = open_connector(self.source, self.settings)
        try:
            found = diff_source(
                self.db,
                self.source,
                connector,
                recipe=current_recipe(self.settings),
                run_key=self.run_key,
            )
        finally:
            connector.close()
        self.run = found.run
        return found

    def chunks(self) -> None:
        connector = open_connector(self.source, self.settings)
        try:
            stage_chunks(self.db, self.source, self.run, connector, self.settings)
        finally:
            connector.close()

    def contexts(self) -> None:
        stage_contexts(self.db, self.source, StructureContextualizer(), default_counter(), 256)

    def embeddings(self) -> None:
        self.embedded = stage_embeddings(self.db, self.source, self.embedder)

    def search_index(self) -> PublishReport:
        held = claim(self.db, self.source, self.run_key)
        return publish(self.db, self.source, self.run, self.embedder.space, held)

    def code_map(self) -> None:
        refresh_code_map(self.db, self.source.id, self.run.generation)


def sync(
    db: Database, key: str, settings: Settings, embedder: WordHashEmbedder | None = None, run_key: str = "run"
) -> PublishReport:
    """Sync a source from its listing to its code map, under its claim."""
    one = Sync(db, key, settings, bind_embedder(embedder or WordHashEmbedder(), db), run_key)
    claim(db, one.source, run_key)
    fault("sync.claimed")
    try:
        one.diff()
        one.chunks()
        fault("sync.chunks_done")
        one.contexts()
        fault("sync.contexts_done")
        one.embeddings()
        fault("sync.embeddings_done")
        report = one.search_index()
        fault("sync.published")
        one.code_map()
        return report
    finally:
        release_all(run_key)


def add_folder(db: Database, key: str, folder: Path, collection: str | None = None) -> Source:
    """Register a folder source owned and readable by `ann`."""
    return _add(db, key, "folder", str(folder), collection)


def add_git(db: Database, key: str, repository: Path, collection: str | None = None) -> Source:
    """Register a git source owned and readable by `ann`."""
    return _add(db, key, "git", str(repository), collection)


def _add(db: Database, key: str, kind: str, location: str, collection: str | None) -> Source:
    return registry.add_source(
        db,
        key=key,
        kind=kind,
        location=location,
        collection=collection or key,
        added_by="ann",
    )
