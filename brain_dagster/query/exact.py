"""The exact list: places that stand letter by letter as the question quotes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from brain_dagster.lexical.bm25 import terms_of
from brain_dagster.model import Candidate
from brain_dagster.query.mentions import Mentions, is_no_word
from brain_dagster.store import exact as store
from brain_dagster.store.pool import Connection

MOST_PLACES = 20
# Chunks whose text is read to find out whether all words of a phrase stand in its order.
_MOST_READ = 200
_NO_WORD = re.compile(r"[\W_]+")


def find_exactly(connection: Connection, collections: Sequence[int], mentions: Mentions) -> list[Candidate]:
    """Return what the question quotes, at most MOST_PLACES chunks, no chunk twice.

    Order   paths, declarations, then texts that hold a name or a phrase; see sql/queries/exact.sql. A name
            in a sentence counts only where it is declared once in scope: which of several is meant, the
            ranking knows better. A plain word counts only where it is declared.
    """
    found: dict[int, Candidate] = {}
    for candidate in _places(connection, collections, mentions):
        found.setdefault(candidate.chunk_id, candidate)
        if len(found) == MOST_PLACES:
            break
    return list(found.values())


def _places(connection: Connection, collections: Sequence[int], mentions: Mentions) -> Iterator[Candidate]:
    for path in mentions.paths:
        yield from store.find_at_path(connection, collections, path=path, rows=MOST_PLACES)
    for name in mentions.names:
        declared = _declared(connection, collections, name)
        if mentions.is_whole or _is_one(declared):
            yield from (place.candidate for place in declared)
        if mentions.is_whole and not declared and is_no_word(name):
            yield from _holding(connection, collections, name)
    for phrase in mentions.phrases:
        yield from _holding(connection, collections, phrase)


def _declared(connection: Connection, collections: Sequence[int], name: str) -> list[store.Declared]:
    """Find the declarations of a name; of a dotted one, those of its longest tail that is declared."""
    parts = name.split(".")
    terms = sorted(set(terms_of(parts[-1])))
    if not terms:
        return []
    for start in range(len(parts)):
        # A symbol is a path such as `Client.fetch`, or several with commas where neighbours were packed.
        pattern = rf"(^|[., ]){re.escape('.'.join(parts[start:]))}($|,)"
        declared = store.find_declared(
            connection, collections, terms=terms, pattern=pattern, rows=MOST_PLACES
        )
        if declared:
            return declared
    return []


def _is_one(declared: Sequence[store.Declared]) -> bool:
    """Whether all chunks are of one declaration: a long one is cut into several."""
    return len({(place.candidate.document_id, place.symbol) for place in declared}) == 1


def _holding(connection: Connection, collections: Sequence[int], phrase: str) -> Iterator[Candidate]:
    """Find texts that hold a phrase, whatever stands between its words but letters and digits."""
    terms = sorted(set(terms_of(phrase)))
    wanted = _words(phrase)
    if not terms or not wanted.strip():
        return
    for place in store.find_holding(connection, collections, terms=terms, rows=_MOST_READ):
        if wanted in _words(place.text):
            yield place.candidate


def _words(text: str) -> str:
    return f" {_NO_WORD.sub(' ', text).strip().casefold()} "
