"""Rows written straight into the store, so that a test of search needs no pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brain_dagster.errors import Transient
from brain_dagster.lexical.bm25 import lexical_columns, whole_document_vector
from brain_dagster.model import EmbeddingSpace, SpaceIdentity
from brain_dagster.store.pool import Connection, Database

WIDTH = 4


@dataclass(frozen=True)
class Passage:
    """One chunk: its text, and where it points in a space of four dimensions, if anywhere."""

    text: str
    vector: tuple[float, float, float, float] | None = None
    symbol: str = ""
    tokens: int = 10
    page: int | None = None


def add_collection(
    db: Database,
    name: str,
    *,
    readers: Sequence[str] = ("alice",),
    places: Sequence[str] = (),
    description: str = "",
    inline_token_limit: int = 0,
    default_mode: str = "hybrid",
) -> int:
    """Insert a collection with its access rows; too large to be handed over whole unless told."""
    with db.transaction() as connection:
        row = connection.execute(
            "INSERT INTO brain.collection (name, owner, description, inline_token_limit, default_mode)"
            " VALUES (%s, 'alice', %s, %s, %s) RETURNING id",
            (name, description, inline_token_limit, default_mode),
        ).fetchone()
        assert row is not None
        for reader in readers:
            connection.execute(
                "INSERT INTO brain.collection_reader (collection_id, reader, granted_by)"
                " VALUES (%s, %s, 'alice')",
                (row[0], reader),
            )
        for place in places:
            connection.execute(
                "INSERT INTO brain.collection_place (collection_id, place, granted_by)"
                " VALUES (%s, %s, 'alice')",
                (row[0], place),
            )
    return int(row[0])


def add_source(db: Database, key: str, collection_id: int) -> int:
    """Insert a folder source."""
    row = db.one(
        "INSERT INTO brain.source (key, collection_id, kind, location, added_by)"
        " VALUES (%s, %s, 'folder', '/nowhere', 'alice') RETURNING id",
        (key, collection_id),
    )
    assert row is not None
    return int(row[0])


def add_space(
    db: Database, *, width: int = WIDTH, state: str = "active", model: str = "four"
) -> EmbeddingSpace:
    """Insert an embedding space."""
    identity = SpaceIdentity(
        model=model,
        revision="1",
        width=width,
        query_prefix="",
        passage_prefix="",
        is_normalised=True,
        max_tokens=256,
    )
    row = db.one(
        "INSERT INTO brain.embedding_space (model, revision, width, is_normalised, max_tokens, state)"
        " VALUES (%s, '1', %s, true, 256, %s) RETURNING id",
        (model, width, state),
    )
    assert row is not None
    return EmbeddingSpace(int(row[0]), identity)


def add_document(
    db: Database,
    source_id: int,
    path: str,
    passages: Sequence[Passage | str],
    *,
    space: EmbeddingSpace | None = None,
    revision: str = "r1",
) -> int:
    """Insert a ready document with its chunks, vectors and term statistics; one line per passage."""
    chunks = [passage if isinstance(passage, Passage) else Passage(passage) for passage in passages]
    with db.transaction() as connection:
        document = _insert_document(connection, source_id, path, len(passages), revision)
        for ordinal, chunk in enumerate(chunks):
            _insert_chunk(connection, document, ordinal, path, chunk, space=space)
        _weigh_document(connection, document, path, chunks)
    return document


def add_unready_document(db: Database, source_id: int, path: str, state: str) -> None:
    """Insert a document that is pending, failed or skipped."""
    reason = None if state == "pending" else "a reason"
    db.run(
        "INSERT INTO brain.document (source_id, collection_id, path_bytes, path, content_hash, change_token,"
        " state, reason_code, reason, recipe, generation, revision)"
        " SELECT s.id, s.collection_id, %s, %s, 'h', 't', %s, %s, %s, 'r', 1, 'r1'"
        " FROM brain.source s WHERE s.id = %s",
        (path.encode(), path, state, reason, reason, source_id),
    )


def _insert_document(connection: Connection, source_id: int, path: str, chunks: int, revision: str) -> int:
    row = connection.execute(
        "INSERT INTO brain.document (source_id, collection_id, path_bytes, path, content_hash, change_token,"
        " state, char_count, chunk_count, recipe, generation, revision)"
        " SELECT s.id, s.collection_id, %s, %s, 'h', 't', 'ready', 1, %s, 'r', 1, %s"
        " FROM brain.source s WHERE s.id = %s RETURNING id",
        (path.encode(), path, chunks, revision, source_id),
    ).fetchone()
    assert row is not None
    return int(row[0])


def _insert_chunk(
    connection: Connection,
    document: int,
    ordinal: int,
    path: str,
    passage: Passage,
    *,
    space: EmbeddingSpace | None,
) -> None:
    words = lexical_columns(text=passage.text, symbol=passage.symbol, path=path, headings=(), enclosing=())
    line = None if passage.page else ordinal + 1
    row = connection.execute(
        "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind, symbol,"
        " start_line, end_line, page, text, context, context_kind, context_model, context_prompt_hash,"
        " context_state, tokens, embed_key, terms, bm25)"
        " SELECT d.id, d.source_id, d.collection_id, 1, %s, %s, %s, %s, %s, %s, %s, '', 'structure', '',"
        " '', 'ok', %s, '', %s, %s FROM brain.document d WHERE d.id = %s"
        " RETURNING id, source_id, collection_id",
        (
            ordinal,
            "page" if passage.page else "lines",
            passage.symbol,
            line,
            line,
            passage.page,
            passage.text,
            passage.tokens,
            words.terms,
            words.bm25,
            document,
        ),
    ).fetchone()
    assert row is not None
    chunk, source, collection = row
    connection.execute(
        "INSERT INTO brain.source_term (source_id, term, chunks)"
        " SELECT %s, t, 1 FROM unnest(%s::integer[]) t"
        " ON CONFLICT (term, source_id) DO UPDATE SET chunks = brain.source_term.chunks + 1",
        (source, words.terms),
    )
    if space is not None and passage.vector is not None:
        connection.execute(
            "INSERT INTO brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding)"
            " VALUES (%s, %s, %s, %s, %s)",
            (chunk, space.id, space.width, collection, np.array(passage.vector, dtype=np.float32)),
        )


def _weigh_document(connection: Connection, document: int, path: str, chunks: Sequence[Passage]) -> None:
    words = whole_document_vector(
        texts=[chunk.text for chunk in chunks], symbols=[chunk.symbol for chunk in chunks], path=path
    )
    connection.execute("UPDATE brain.document SET bm25 = %s WHERE id = %s", (words, document))
    connection.execute(
        "UPDATE brain.source_term t SET documents = t.documents + 1"
        " FROM (SELECT DISTINCT c.source_id, u.term FROM brain.chunk c, unnest(c.terms) AS u (term)"
        "       WHERE c.document_id = %s) held"
        " WHERE held.source_id = t.source_id AND held.term = t.term",
        (document,),
    )


@dataclass
class PointingEmbedder:
    """Points every question in one direction, and counts how often it was asked."""

    space: EmbeddingSpace
    vector: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    asked: int = 0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the same vector whatever the text."""
        self.asked += 1
        return np.array(self.vector, dtype=np.float32)


@dataclass
class BrokenEmbedder:
    """A model that is down."""

    space: EmbeddingSpace

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Fail as a remote model would."""
        raise Transient("the model does not answer")
