"""First load of a source, against the bare embedding calls on exactly the same texts.

The reference is the model's own call on the list of texts, in the same process and just before and after,
so that a machine whose speed drifts shows it. The model and Dagster are loaded before the clock starts:
their start-up is the same for one file and for a million, and is printed apart.
"""

from __future__ import annotations

import importlib.util
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.instance import temporary_brain
from brain_dagster.embed.base import Vectors
from brain_dagster.embed.sentence_transformer import SentenceTransformerEmbedder
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import add_source, get_source
from brain_dagster.surface.dagster_launcher import dagster_launcher

_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
PACKAGES = ("psycopg", "starlette", "rich", "pypdf")


class _Recorder:
    """Notes every text the model is asked for, and how long it took, without changing the answer."""

    def __init__(self, call: Callable[[SentenceTransformerEmbedder, Sequence[str]], Vectors]) -> None:
        self.call = call
        self.texts: list[str] = []
        self.seconds = 0.0

    def __get__(self, owner: SentenceTransformerEmbedder, _: type) -> Callable[[Sequence[str]], Vectors]:
        def embed(texts: Sequence[str]) -> Vectors:
            self.texts += texts
            started = time.perf_counter()
            vectors = self.call(owner, texts)
            self.seconds += time.perf_counter() - started
            return vectors

        return embed


def main() -> None:
    """Print the ratio of a first load to the bare embedding calls."""
    with temporary_brain() as (settings, db):
        recorder = _Recorder(SentenceTransformerEmbedder.embed_passages)
        SentenceTransformerEmbedder.embed_passages = recorder  # type: ignore[method-assign,assignment]
        started = time.perf_counter()
        with dagster_launcher(settings, db) as launcher:
            from resources.embedder import of_process

            model = of_process(settings)
            model.embed_passages(["warm up"])
            recorder.texts.clear()
            recorder.seconds = 0.0
            print(f"loading Dagster: {time.perf_counter() - started:.1f} s (not counted)")
            _add(db)
            begun = time.perf_counter()
            ended = launcher.sync(get_source(db, "packages"))
            total = time.perf_counter() - begun
            assert ended.succeeded, ended.errors
            peak = sum(resource.getrusage(who).ru_maxrss for who in _WHO) / 1024
        texts = list(recorder.texts)
        inside = recorder.seconds
        begun = time.perf_counter()
        model.embed_passages(texts)
        bare = time.perf_counter() - begun
    print(
        f"{len(texts)} texts of {len(PACKAGES)} packages, mean {sum(map(len, texts)) / len(texts):.0f} chars"
    )
    print(f"first load: {total:.1f} s, of which inside the model {inside:.1f} s")
    print(f"bare embedding calls afterwards: {bare:.1f} s ({len(texts) / bare:.0f} texts/s)")
    print(f"peak memory of the load, model, Dagster and parser included: {peak:.0f} MB (target < 2048)")
    print(f"ratio first load / bare calls: {total / bare:.2f} (target < 1.25)")


def _add(db: Database) -> None:
    """Register the installed packages as one source: the folder they are installed in, cut down to them."""
    spec = importlib.util.find_spec(PACKAGES[0])
    assert spec is not None and spec.origin is not None
    add_source(
        db,
        key="packages",
        kind="folder",
        location=str(Path(spec.origin).parent.parent),
        collection="packages",
        include=tuple(f"/{name}/**/*.py" for name in PACKAGES),
        added_by="bench",
    )
