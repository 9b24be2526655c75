"""Text files in the store whose chunks know their bytes, as a chunker cuts them."""

from __future__ import annotations

from collections.abc import Sequence

from brain_dagster.store.pool import Database
from tests.support.seed import Passage, add_document


def add_file(db: Database, source: int, path: str, texts: Sequence[Passage | str]) -> list[int]:
    """Add a text file whose chunks tile it, as a chunker cuts them; returns the chunks' ids in order."""
    document = add_document(db, source, path, texts)
    db.run(
        "UPDATE brain.chunk c SET start_byte = s.end_byte - octet_length(c.text), end_byte = s.end_byte"
        " FROM (SELECT id, sum(octet_length(text)) OVER (ORDER BY ordinal) AS end_byte"
        "       FROM brain.chunk WHERE document_id = %s) s WHERE s.id = c.id",
        (document,),
    )
    return chunk_ids(db, document)


def chunk_ids(db: Database, document: int) -> list[int]:
    return [
        i for (i,) in db.all("SELECT id FROM brain.chunk WHERE document_id = %s ORDER BY ordinal", [document])
    ]
