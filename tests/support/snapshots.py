"""The content of a store in a form that two stores can be compared by."""

from __future__ import annotations

from typing import Any

from brain_dagster.store.pool import Database

# Everything a reader could notice, and nothing that only says when or in which run it was written.
_CONTENT = {
    "documents": """
        SELECT s.key, d.path_bytes, d.content_hash, d.state, d.reason_code, d.language, d.encoding, d.title,
               d.size_bytes, d.char_count, d.chunk_count, d.page_count, d.recipe,
               d.bm25::text
        FROM brain.document d JOIN brain.source s ON s.id = d.source_id ORDER BY 1, 2""",
    "chunks": """
        SELECT s.key, d.path_bytes, c.ordinal, c.kind, c.symbol, c.start_byte, c.end_byte, c.start_line,
               c.end_line, c.page, c.text, c.context, c.tokens, c.embed_key, c.terms, c.bm25::text
        FROM brain.chunk c JOIN brain.document d ON d.id = c.document_id
        JOIN brain.source s ON s.id = c.source_id ORDER BY 1, 2, 3""",
    "vectors": """
        SELECT s.key, d.path_bytes, c.ordinal, e.embedding::text
        FROM brain.chunk_embedding e JOIN brain.chunk c ON c.id = e.chunk_id
        JOIN brain.document d ON d.id = c.document_id
        JOIN brain.source s ON s.id = c.source_id ORDER BY 1, 2, 3""",
    "terms": """
        SELECT s.key, t.term, t.chunks, t.documents
        FROM brain.source_term t JOIN brain.source s ON s.id = t.source_id ORDER BY 1, 2""",
    "code_map": """
        SELECT s.key, d.path_bytes, m.kind, m.name, m.detail, m.line FROM brain.code_map m
        JOIN brain.document d ON d.id = m.document_id JOIN brain.source s ON s.id = m.source_id
        ORDER BY 1, 2, 3, 4, 5, 6""",
    "staged": "SELECT count(*) FROM brain.staged_item",
}


def content_of(db: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return everything a reader could notice of a store, in a fixed order."""
    return {name: db.all(query) for name, query in _CONTENT.items()}


def texts_of(db: Database, key: str) -> dict[bytes, str]:
    """Return the searchable text of every ready document of a source, put together from its chunks."""
    rows = db.all(
        "SELECT d.path_bytes, string_agg(c.text, '' ORDER BY c.ordinal)"
        " FROM brain.document d JOIN brain.chunk c ON c.document_id = d.id"
        " JOIN brain.source s ON s.id = d.source_id WHERE s.key = %s AND d.state = 'ready' GROUP BY 1",
        (key,),
    )
    return dict(rows)
