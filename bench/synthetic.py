"""A synthetic store of any size: words as rare as words are, vectors in clusters, the real lexical columns.

Words follow Zipf's law over a vocabulary of 40,000, and each document favours some of its own. Vectors lie
near one of many centres, off it in a few directions only, as embeddings do: uniform noise in hundreds of
dimensions has no neighbours to speak of, and would make any index look bad.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain_dagster.lexical.bm25 import lexical_columns, whole_document_vector
from brain_dagster.model import EmbeddingSpace, SpaceIdentity
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.vector_index import refresh

READER = "bench"
CHUNKS_PER_DOCUMENT = 10
WORDS_PER_CHUNK = 90
VOCABULARY = 40_000
_OWN_WORDS = 0.2  # share of a chunk's words that its document favours
_SPREAD = 0.8  # length of the way off the centre, whose own length is 1
_DIRECTIONS = 24  # in how many directions that way may go
_BATCH = 100  # documents per COPY
_SHARES = (0.5, 0.22, 0.11, 0.06, 0.04, 0.025, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.002)

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Corpus:
    """What was made.

    collections  the identities, in the order of the sizes
    """

    seed: int
    width: int
    sizes: tuple[int, ...]
    collections: tuple[int, ...]
    space: EmbeddingSpace

    def question_vectors(self, count: int) -> Vectors:
        """Points from the same clusters that are not in the store. Shape (count, width)."""
        return points(self.seed, self.width, sum(self.sizes), np.random.default_rng(self.seed + 1), count)


def uneven_sizes(chunks: int) -> tuple[int, ...]:
    """Split `chunks` over 14 collections: half of them in one, ten chunks in the smallest."""
    sizes = [max(10, int(chunks * share)) for share in _SHARES]
    return (sizes[0] + chunks - sum(sizes) - 10, *sizes[1:], 10)


def fill(db: Database, sizes: Sequence[int], *, width: int, seed: int = 7, with_words: bool = True) -> Corpus:
    """Write collections of these sizes, readable by READER, with term statistics and vector index.

    with_words  False gives all chunks the same single word, where only vectors are measured
    """
    collections = tuple(_add_collection(db, number) for number in range(len(sizes)))
    space = _add_space(db, width)
    jobs = _jobs(sizes, collections)
    write = partial(_write, _Recipe(db.url, seed, space, sum(sizes), with_words))
    index = db.one("SELECT indexdef FROM pg_indexes WHERE indexname = 'chunk_by_term'")
    assert index is not None
    db.run("DROP INDEX brain.chunk_by_term")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for _ in pool.imap_unordered(write, jobs):
            pass
    with closing(db.direct()) as connection:
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute(index[0])
        connection.execute(_COUNT_TERMS)
        connection.execute("VACUUM (ANALYZE) brain.chunk, brain.chunk_embedding, brain.document")
        connection.execute("VACUUM (ANALYZE) brain.source_term")
    refresh(db, space)
    return Corpus(seed, width, tuple(sizes), collections, space)


_COUNT_TERMS = """
INSERT INTO brain.source_term (source_id, term, chunks, documents)
SELECT held.source_id, held.term, sum(held.chunks), count(*)
FROM (
    SELECT c.source_id, c.document_id, u.term, count(*) AS chunks
    FROM brain.chunk c CROSS JOIN LATERAL unnest(c.terms) AS u (term)
    GROUP BY c.source_id, c.document_id, u.term
) held
GROUP BY held.source_id, held.term
"""


@dataclass(frozen=True)
class _Recipe:
    """What all jobs have in common; `total` is how many chunks they write together."""

    url: str
    seed: int
    space: EmbeddingSpace
    total: int
    with_words: bool


@dataclass(frozen=True)
class _Job:
    """Some documents of one source; numbers count over the whole corpus, from 1."""

    source: int
    collection: int
    first_document: int
    first_chunk: int
    chunks: int


def _jobs(sizes: Sequence[int], collections: Sequence[int]) -> list[_Job]:
    jobs = []
    document = chunk = 1
    for collection, size in zip(collections, sizes, strict=True):
        for done in range(0, size, _BATCH * CHUNKS_PER_DOCUMENT):
            some = min(size - done, _BATCH * CHUNKS_PER_DOCUMENT)
            jobs.append(_Job(collection, collection, document, chunk, some))
            document += -(-some // CHUNKS_PER_DOCUMENT)
            chunk += some
    return jobs


def _add_collection(db: Database, number: int) -> int:
    row = db.one(
        "WITH made AS (INSERT INTO brain.collection (name, owner, inline_token_limit)"
        " VALUES (%s, %s, 0) RETURNING id),"
        " granted AS (INSERT INTO brain.collection_reader (collection_id, reader, granted_by)"
        " SELECT id, %s, %s FROM made)"
        " INSERT INTO brain.source (key, collection_id, kind, location, added_by)"
        " SELECT %s, id, 'folder', '/nowhere', %s FROM made RETURNING id, collection_id",
        (f"c{number:02}", READER, READER, READER, f"s{number:02}", READER),
    )
    assert row is not None and row[0] == row[1], "sources and collections are numbered alike"
    return int(row[1])


def _add_space(db: Database, width: int) -> EmbeddingSpace:
    row = db.one(
        "INSERT INTO brain.embedding_space (model, revision, width, is_normalised, max_tokens, state)"
        " VALUES ('synthetic', '1', %s, true, 256, 'active') RETURNING id",
        (width,),
    )
    assert row is not None
    return EmbeddingSpace(int(row[0]), SpaceIdentity("synthetic", "1", width, "", "", True, 256))


def _write(recipe: _Recipe, job: _Job) -> None:
    """Write one batch from its own process; the batch decides its random numbers, not the process."""
    random = np.random.default_rng((recipe.seed, job.first_chunk))
    count = -(-job.chunks // CHUNKS_PER_DOCUMENT)
    documents, chunks = [], []
    for number in range(count):
        held = min(CHUNKS_PER_DOCUMENT, job.chunks - number * CHUNKS_PER_DOCUMENT)
        texts = texts_of(random, held) if recipe.with_words else ["same"] * held
        document = job.first_document + number
        path = f"{word(document)}/{word(7 * document)}.md"
        documents.append((document, path, held, whole_document_vector(texts=texts, symbols=(), path=path)))
        for ordinal, text in enumerate(texts):
            words = lexical_columns(text=text, symbol="", path=path, headings=(), enclosing=())
            chunks.append((document, ordinal, text, words.terms, words.bm25))
    vectors = points(recipe.seed, recipe.space.width, recipe.total, random, job.chunks)
    database = Database(recipe.url, size=1)
    try:
        with database.transaction() as connection:
            _copy_documents(connection, job, documents)
            _copy_chunks(connection, job, chunks)
            _copy_vectors(connection, job, recipe.space.id, vectors)
    finally:
        database.close()


def _copy_documents(connection: Connection, job: _Job, rows: Sequence[tuple[Any, ...]]) -> None:
    with connection.cursor().copy(
        "COPY brain.document (id, source_id, collection_id, path_bytes, path, content_hash, change_token,"
        " state, char_count, chunk_count, recipe, generation, revision, bm25) FROM STDIN"
    ) as copy:
        for number, path, held, words in rows:
            key = f"{path}#{number}".encode()
            copy.write_row(
                (
                    number,
                    job.source,
                    job.collection,
                    key,
                    path,
                    "h",
                    "t",
                    "ready",
                    1,
                    held,
                    "r",
                    1,
                    "1",
                    words,
                )
            )


def _copy_chunks(connection: Connection, job: _Job, rows: Sequence[tuple[Any, ...]]) -> None:
    with connection.cursor().copy(
        "COPY brain.chunk (id, document_id, source_id, collection_id, generation, ordinal, kind, start_line,"
        " end_line, text, context, context_kind, context_model, context_prompt_hash, context_state, tokens,"
        " embed_key, terms, bm25) FROM STDIN"
    ) as copy:
        for number, (document, ordinal, text, terms, bm25) in enumerate(rows, job.first_chunk):
            line = ordinal + 1
            row = (number, document, job.source, job.collection, 1, ordinal, "lines", line, line, text)
            copy.write_row((*row, "", "structure", "", b"", "ok", WORDS_PER_CHUNK, b"", terms, bm25))


def _copy_vectors(connection: Connection, job: _Job, space: int, vectors: Vectors) -> None:
    with connection.cursor().copy(
        "COPY brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding)"
        " FROM STDIN WITH (FORMAT BINARY)"
    ) as copy:
        copy.set_types(["int8", "int4", "int4", "int4", "vector"])
        for number, vector in enumerate(vectors, job.first_chunk):
            copy.write_row((number, space, len(vector), job.collection, vector))


@cache
def _vocabulary() -> tuple[str, ...]:
    """Words of two to four syllables, commonest first."""
    random = np.random.default_rng(1)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(random.choice(syllables, size=random.integers(2, 5)))] = None
    return tuple(words)


def word(rank: int) -> str:
    """Return the word of this rank, 0 the commonest; ranks go round."""
    return _vocabulary()[rank % VOCABULARY]


@cache
def _frequencies() -> NDArray[np.float64]:
    weights = 1 / np.arange(1, VOCABULARY + 1) ** 1.05
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def texts_of(random: np.random.Generator, count: int) -> list[str]:
    """Return the texts of one document's chunks."""
    own = random.integers(0, VOCABULARY, size=20)
    drawn = random.choice(VOCABULARY, size=(count, WORDS_PER_CHUNK), p=_frequencies())
    favoured = random.random(drawn.shape) < _OWN_WORDS
    ranks = np.where(favoured, random.choice(own, size=drawn.shape), drawn)
    return [" ".join(word(int(rank)) for rank in row) for row in ranks]


@cache
def _clusters(seed: int, width: int, total: int) -> tuple[Vectors, Vectors]:
    """Centres of length 1, shape (clusters, width), and eight sets of directions, (8, directions, width)."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(20, total // 200), width)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    directions = random.standard_normal((8, min(_DIRECTIONS, width // 2), width)).astype(np.float32)
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    return centres, directions


def points(seed: int, width: int, total: int, random: np.random.Generator, count: int) -> Vectors:
    """Draw vectors of length 1 from the clusters of a corpus of `total` chunks. Shape (count, width)."""
    centres, directions = _clusters(seed, width, total)
    cluster = random.integers(0, len(centres), size=count)
    way = random.standard_normal((count, directions.shape[1])).astype(np.float32)
    way *= _SPREAD / np.sqrt(directions.shape[1])
    drawn = centres[cluster] + np.einsum("nd,ndw->nw", way, directions[cluster % len(directions)])
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)
