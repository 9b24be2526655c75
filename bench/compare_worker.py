"""The other half of bench.compare: llama-index and langchain-postgres, asked block by block.

Runs in an environment that has those libraries and nothing of Brain. Reads one JSON job a line from stdin and
answers each with one JSON line; what the libraries print goes to stderr. Both are set up as their own guides
say for hybrid search, with an HNSW index and a GIN index, and with as many candidates a half as Brain takes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import psycopg
from langchain_core.embeddings import Embeddings
from langchain_postgres import Column, PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import (
    HybridSearchConfig,
    reciprocal_rank_fusion,
    weighted_sum_ranking,
)
from langchain_postgres.v2.indexes import HNSWIndex, HNSWQueryOptions
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.core.vector_stores import VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode
from llama_index.vector_stores.postgres import PGVectorStore as LlamaStore

PACKAGES = ("llama-index-core", "llama-index-vector-stores-postgres", "langchain-postgres", "SQLAlchemy")
_TABLE = "chunks"
_HNSW = (16, 64)  # m and ef_construction, of both libraries' guides and pgvector's own default
_NARROWEST = 40  # ef_search of both guides
_BATCH = 1_000

Ask = Callable[[str, list[float]], list[str]]
"""A question and its vector to chunk ids, best first."""


def main() -> None:
    """Answer jobs until stdin ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    systems: dict[str, Ask] = {}
    for line in sys.stdin:
        job = json.loads(line)
        is_first = job["do"] == "open"
        reply = _open(job, systems) if is_first else _ask(systems[job["system"]], job["questions"])
        print(json.dumps(reply), file=answers, flush=True)


def _open(job: dict[str, Any], systems: dict[str, Ask]) -> dict[str, Any]:
    """Load what is not loaded yet, and make every system at every depth."""
    folder = Path(job["folder"])
    if job["load"]:
        rows = [json.loads(line) for line in (folder / "chunks.jsonl").open(encoding="utf-8")]
        vectors = np.load(folder / "vectors.npy")
        _load_llama_index(job, rows, vectors)
        _load_langchain(job, rows, vectors)
    for candidates, results in job["depths"]:
        systems |= {
            f"{name}, {candidates}": ask
            for name, ask in {
                **_llama_index(job, candidates, results),
                **_langchain(job, candidates, results),
            }.items()
        }
    return {"versions": {name: version(name) for name in PACKAGES}, "systems": list(systems)}


def _ask(ask: Ask, questions: Sequence[tuple[str, list[float]]]) -> dict[str, Any]:
    """Ask one after the other; milliseconds from the ready vector to the ids."""
    found, spent = [], []
    for text, vector in questions:
        started = perf_counter()
        found.append(ask(text, vector))
        spent.append((perf_counter() - started) * 1000)
    return {"found": found, "ms": spent}


def _url(job: dict[str, Any], database: str, driver: str) -> str:
    """Return SQLAlchemy's URL of a database on the same server, which listens on a Unix socket."""
    return f"postgresql+{driver}://{job['user']}@/{database}?host={job['host']}&port={job['port']}"


def _analyse(job: dict[str, Any], database: str) -> None:
    parts = {"host": job["host"], "port": job["port"], "user": job["user"], "dbname": database}
    with psycopg.connect(**parts, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


def _llama_store(job: dict[str, Any], width: int, candidates: int) -> LlamaStore:
    return LlamaStore(
        connection_string=_url(job, job["llama_index"], "psycopg2"),
        async_connection_string=_url(job, job["llama_index"], "asyncpg"),
        table_name=_TABLE,
        hybrid_search=True,
        text_search_config="english",
        embed_dim=width,
        cache_ok=True,
        initialization_fail_on_error=True,
        hnsw_kwargs={
            "hnsw_m": _HNSW[0],
            "hnsw_ef_construction": _HNSW[1],
            "hnsw_ef_search": max(_NARROWEST, candidates),
            "hnsw_dist_method": "vector_cosine_ops",
        },
    )


def _load_llama_index(job: dict[str, Any], rows: Sequence[dict[str, Any]], vectors: Any) -> None:
    store = _llama_store(job, vectors.shape[1], 1)
    for start in range(0, len(rows), _BATCH):
        some = slice(start, start + _BATCH)
        store.add(
            [
                TextNode(id_=row["id"], text=row["text"], metadata=row["file"], embedding=vector.tolist())
                for row, vector in zip(rows[some], vectors[some], strict=True)
            ]
        )
    _analyse(job, job["llama_index"])


class _ReadyVectors(BaseEmbedding):
    """Gives llama-index's retrievers the vector that came with the question."""

    vectors: dict[str, list[float]] = {}  # noqa: RUF012 - a field of a pydantic model, copied per instance

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.vectors[query]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.vectors[query]

    def _get_text_embedding(self, text: str) -> list[float]:
        raise NotImplementedError


def _llama_index(job: dict[str, Any], candidates: int, results: int) -> dict[str, Ask]:
    """The store's hybrid mode, and the fusion of its two modes that its guide recommends instead."""
    store = _llama_store(job, job["width"], candidates)

    def hybrid(text: str, vector: list[float]) -> list[str]:
        query = VectorStoreQuery(
            query_embedding=vector,
            query_str=text,
            similarity_top_k=candidates,
            sparse_top_k=candidates,
            mode=VectorStoreQueryMode.HYBRID,
        )
        return (store.query(query).ids or [])[:results]

    embedding = _ReadyVectors(model_name="ready")
    index = VectorStoreIndex.from_vector_store(store, embed_model=embedding)
    halves = [
        index.as_retriever(vector_store_query_mode=mode, similarity_top_k=candidates, sparse_top_k=candidates)
        for mode in ("default", "sparse")
    ]

    def fusion(mode: str) -> Ask:
        retriever = QueryFusionRetriever(
            halves,
            llm=MockLLM(),
            mode=mode,
            similarity_top_k=results,
            num_queries=1,
            use_async=False,
        )

        def ask(text: str, vector: list[float]) -> list[str]:
            embedding.vectors[text] = vector
            return [found.node.node_id for found in retriever.retrieve(QueryBundle(text))]

        return ask

    return {
        "llama-index, hybrid mode": hybrid,
        "llama-index, relative score": fusion("relative_score"),
        "llama-index, reciprocal rank": fusion("reciprocal_rerank"),
    }


class _NoEmbedding(Embeddings):
    """langchain-postgres wants an embedding service, and never calls it where vectors are given."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError


def _load_langchain(job: dict[str, Any], rows: Sequence[dict[str, Any]], vectors: Any) -> None:
    engine = PGEngine.from_connection_string(_url(job, job["langchain"], "asyncpg"))
    config = HybridSearchConfig(tsv_column="content_tsv")
    engine.init_vectorstore_table(
        _TABLE,
        vectors.shape[1],
        id_column=Column("langchain_id", "TEXT", nullable=False),
        hybrid_search_config=config,
    )
    store = PGVectorStore.create_sync(engine, _NoEmbedding(), _TABLE, hybrid_search_config=config)
    store.add_embeddings(
        [row["text"] for row in rows],
        vectors.tolist(),
        metadatas=[row["file"] for row in rows],
        ids=[row["id"] for row in rows],
    )
    store.apply_hybrid_search_index()
    store.apply_vector_index(HNSWIndex(m=_HNSW[0], ef_construction=_HNSW[1]))
    _analyse(job, job["langchain"])


def _langchain(job: dict[str, Any], candidates: int, results: int) -> dict[str, Ask]:
    """Hybrid search with both fusions the library has; the weighted sum is its default."""
    engine = PGEngine.from_connection_string(_url(job, job["langchain"], "asyncpg"))

    def ask(store: PGVectorStore, text: str, vector: list[float]) -> list[str]:
        found = store.similarity_search_by_vector(vector, k=results, fts_query=text)
        return [str(document.id) for document in found]

    def with_fusion(fusion: Callable[..., Any]) -> Ask:
        store = PGVectorStore.create_sync(
            engine,
            _NoEmbedding(),
            _TABLE,
            index_query_options=HNSWQueryOptions(ef_search=max(_NARROWEST, candidates)),
            hybrid_search_config=HybridSearchConfig(
                tsv_column="content_tsv",
                fusion_function=fusion,
                primary_top_k=candidates,
                secondary_top_k=candidates,
            ),
        )
        return partial(ask, store)

    return {
        "langchain, weighted sum": with_fusion(weighted_sum_ranking),
        "langchain, reciprocal rank": with_fusion(reciprocal_rank_fusion),
    }


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)  # langchain-postgres leaves a thread with an event loop running
