"""Context sentences composed from a document's structure: no model, no call, always there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256

from brain_dagster.contextualize.base import ChunkPlace, ContextSentence
from brain_dagster.contextualize.header import DEFAULT_HEADER, HeaderRecipe, embedding_header, embedding_text
from brain_dagster.contextualize.wording import (
    clean_names,
    clip,
    header_line,
    join_fitting,
    join_fitting_from_end,
    language_name,
    one_line,
)
from brain_dagster.place import part_words

__all__ = [
    "CONTEXT_RECIPE",
    "DEFAULT_HEADER",
    "HeaderRecipe",
    "StructureContextualizer",
    "embedding_header",
    "embedding_text",
]

# Changes whenever a sentence or a header would come out differently for the same place.
CONTEXT_RECIPE = "structure/2"

MAX_SENTENCE_CHARS = 300
_MAX_PATH_CHARS = 120
_MAX_TITLE_CHARS = 60
_MAX_SUBJECT_CHARS = 120
_MAX_REACH_CHARS = 80
_IMPORTS_SHOWN = 4


class StructureContextualizer:
    """Writes one sentence per chunk from path, declarations, headings, page and imports."""

    identity = CONTEXT_RECIPE

    def describe(self, places: Sequence[ChunkPlace], texts: Sequence[str]) -> list[ContextSentence]:
        """Return one sentence per place, in order; the texts themselves are not looked at."""
        return [self._sentence(place) for place, _ in zip(places, texts, strict=True)]

    def _sentence(self, place: ChunkPlace) -> ContextSentence:
        made_from = json.dumps([self.identity, asdict(place)], sort_keys=True)
        return ContextSentence(
            sentence=structure_sentence(place),
            kind="structure",
            model=self.identity,
            prompt_hash=sha256(made_from.encode("ascii")).digest(),
            state="ok",
        )


def structure_sentence(place: ChunkPlace) -> str:
    """Say in one line where a chunk stands: `In psycopg/rows.py, Python: make in class Row; imports typing.`

    Unit  at most 300 characters, about 60 tokens; path, title, subject and imports are shortened in turn.
    """
    where = _where(place)
    subject = clip(_subject(place), _MAX_SUBJECT_CHARS)
    sentence = f"{where}: {subject}" if subject else where
    reach = join_fitting(clean_names(place.reached_by), ", ", _MAX_REACH_CHARS)
    sentence += f"; reached by {reach}" if reach else ""
    about = clip(one_line(place.subject), _MAX_TITLE_CHARS)
    sentence += f"; about {about}" if about else ""
    imports = clean_names(place.imports)[:_IMPORTS_SHOWN]
    lead = "; imports "
    room = MAX_SENTENCE_CHARS - 1 - len(sentence) - len(lead)
    if imports and room > 0:
        named = join_fitting(imports, ", ", room)
        sentence += lead + named if named else ""
    return clip(sentence, MAX_SENTENCE_CHARS - 1).rstrip(".") + "."


def _where(place: ChunkPlace) -> str:
    path = one_line(place.path)
    if len(path) > _MAX_PATH_CHARS:
        # The end of a path says more than its beginning.
        path = "…" + path[-(_MAX_PATH_CHARS - 1) :]
    words = [f"In {path}", language_name(place.language)]
    title = one_line(place.title)
    said_anyway = {one_line(heading) for heading in place.headings[:1]} | {path.rpartition("/")[2]}
    if title and title not in said_anyway:
        words.append(f"“{clip(title, _MAX_TITLE_CHARS)}”")
    return ", ".join(filter(None, words))


def _subject(place: ChunkPlace) -> str:
    words = [_page(place), _declaration(place)]
    trail = join_fitting_from_end(clean_names(place.headings), " > ", _MAX_SUBJECT_CHARS - 6)
    words.append(f"under {trail}" if trail else "")
    found = ", ".join(filter(None, words))
    if found:
        return found
    part = f"part {place.ordinal + 1} of {place.chunk_count}" if place.chunk_count > 1 else ""
    plain = {"imports": "its imports", "module": "module-level code"}.get(place.kind, "")
    return ", ".join(filter(None, [plain, part]))


def _page(place: ChunkPlace) -> str:
    return "" if place.page is None else one_line(part_words(place.kind, place.page, place.page_label))


def _declaration(place: ChunkPlace) -> str:
    """Say `make in class Row(Base)`: own name first, then the declarations around it, innermost first."""
    around = clean_names(map(header_line, reversed(place.enclosing)))
    name = one_line(place.symbol)
    if not around:
        return name
    if _is_piece_of(name, around[0], len(place.enclosing)):
        return " in ".join(around)
    short = ", ".join(clean_names(each.strip().rpartition(".")[2] for each in name.split(",")))
    return " in ".join(filter(None, [short, *around]))


def _is_piece_of(symbol: str, innermost: str, depth: int) -> bool:
    """Whether the innermost header is the symbol's own: the chunk continues a long declaration."""
    parts = symbol.split(".")
    is_named = re.search(rf"(?<!\w){re.escape(parts[-1])}(?!\w)", innermost) is not None
    return bool(symbol) and len(parts) <= depth and is_named
