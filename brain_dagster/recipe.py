"""The recipe of a document: the versions of everything that decides what its bytes become.

A document whose stored recipe differs from the current one is stale and is read again; the caches make
that cost only what really changed.
"""

from __future__ import annotations

from brain_dagster.contextualize.structure import CONTEXT_RECIPE
from brain_dagster.lexical.bm25 import LEXICAL_RECIPE
from brain_dagster.settings import Settings
from brain_dagster.vision.configured import vision_identity

# Raise when the same bytes would be accepted, decoded or read differently.
FUNNEL_RECIPE = "funnel/2"
# Raise when the same text would be cut into other chunks.
CHUNK_RECIPE = "chunk/2"


def current_recipe(settings: Settings) -> str:
    """Return the recipe of this program under these settings, e.g. `funnel/1:20000000 chunk/1:200 ...`."""
    return " ".join(
        (
            f"{FUNNEL_RECIPE}:{settings.max_file_bytes}",
            f"{CHUNK_RECIPE}:{settings.chunk_tokens}",
            CONTEXT_RECIPE,
            LEXICAL_RECIPE,
            f"vision:{vision_identity(settings)}",
        )
    )
