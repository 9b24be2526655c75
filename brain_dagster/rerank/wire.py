"""The two shapes in which servers speak of reranking, written and read.

cohere  `{"model", "query", "documents", "top_n"}` gives `{"results": [{"index", "relevance_score"}]}`:
        Cohere, Jina, vLLM and what imitates them.
tei     `{"query", "texts"}` gives `[{"index", "score"}]`: Text Embeddings Inference.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum

from brain_dagster.rerank.base import RerankFailed


class Shape(StrEnum):
    """How a request is written; an answer shows its own shape."""

    COHERE = "cohere"
    TEI = "tei"

    @property
    def other(self) -> Shape:
        """The one to try when a server does not understand this one."""
        return Shape.TEI if self is Shape.COHERE else Shape.COHERE


def write_request(
    shape: Shape, model: str | None, question: str, passages: Sequence[str], *, is_raw: bool
) -> bytes:
    """Return the body of a request for a score of every passage."""
    if shape is Shape.TEI:
        # Without truncate, one passage over the model's length fails all of them.
        body = {"query": question, "texts": list(passages), "raw_scores": is_raw, "truncate": True}
    else:
        body = {"query": question, "documents": list(passages), "top_n": len(passages)}
        body |= {"model": model} if model else {}
    return json.dumps(body).encode("ascii")


def read_answer(body: bytes) -> list[tuple[object, object]]:
    """Return (index, score) of every entry as the server sent them; nothing is checked but the shape.

    Raises  RerankFailed - no JSON, or JSON of another shape. The answer is not quoted: servers repeat the
            passages, and put them into their error messages (I12).
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        # Not chained: a JSON error carries the whole answer with it.
        raise RerankFailed("an answer that is not JSON") from None
    if isinstance(answer, dict) and "results" not in answer and "error" in answer:
        raise RerankFailed("an error in place of scores")
    entries = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise RerankFailed("an answer without a list of scores")
    return [(entry.get("index"), entry.get("relevance_score", entry.get("score"))) for entry in entries]
