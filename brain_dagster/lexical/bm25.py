"""The document half of BM25F as a sparse vector, so that pgvector computes the score as an inner product.

A chunk stores, per lexeme, `f (k1 + 1) / (f + k1 (1 - b + b L / L_ref))`; the question carries the
inverse document frequencies. Statistics may change without rewriting a single chunk.

`f` is BM25F's pseudo-frequency: the counts of the fields, each times its weight, added *before* the
saturation, so that a word in the path and in the text does not count as two saturated words. `L` is the
same weighted sum over all lexemes.

`L_ref` is a constant of the recipe and not the average of the corpus. An average would make a chunk's
vector depend on what else was in the store when it was written, and an incrementally synced store would
differ from a rebuilt one. In the formula `L_ref` only says from which length on a chunk counts as long;
chunks are cut to one token budget, so their mean moves little from corpus to corpus.

Source: Robertson, Zaragoza, Taylor, CIKM 2004 (weights before saturation); Robertson, Zaragoza,
Foundations and Trends in Information Retrieval 3(4), 2009.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from pgvector import SparseVector

from brain_dagster.lexical.tokens import LONGEST_CACHED, unit_lexemes, units

LEXICAL_RECIPE = "lexical/2"

# pgvector's largest sparsevec. A term is the 0-based index into it, and fits PostgreSQL's integer.
DIMENSIONS = 1_000_000_000
# pgvector's limit of non-zero entries in one sparsevec.
MOST_TERMS = 16_000


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers of the recipe; changing one of them is a new LEXICAL_RECIPE.

    reference_length  weighted lexemes of a chunk of usual size

    Chosen on one half of the cases of five question sets (code of eight packages, short and long bug
    reports, a handbook, meetings) and confirmed on the other half: mean MRR@10 of the held-out half 0.635
    without the fields, 0.689 with their weights at k1 1.2, 0.696 with k1 2.5. A larger k1 than the usual
    1.2 is what weighted fields ask for: a word of the path enters with frequency 4. Reference lengths
    of 80 to 150 differ by 0.005 at most (the means of the five sets are 110 to 152), 200 loses 0.01.
    Headings and enclosing declarations counted four times instead of once: the handbook's MRR@10 from 0.911
    to 0.918, the others the same within 0.004.
    """

    text: float = 1.0
    symbol: float = 2.0
    path: float = 4.0
    context: float = 4.0
    k1: float = 2.5
    b: float = 0.75
    reference_length: float = 120.0


@dataclass(frozen=True, slots=True)
class DocumentWeights:
    """As `Weights`, for a whole document: what its chunks say together.

    A question's words are often spread over the passages of the file that answers it. Adding a document's
    own BM25 to that of each of its chunks moved MRR@10 of the lexical half from 0.722 to 0.752 and of the
    hybrid from 0.746 to 0.773, the mean of five question sets (2026-11-30; both halves of the cases gained).
    Constants as in `Weights`: between references of 400 and the mean of each corpus (1,100 to 10,400
    weighted lexemes) the mean moves by 0.006.
    """

    text: float = 1.0
    symbol: float = 1.0
    path: float = 4.0
    k1: float = 2.5
    b: float = 0.75
    reference_length: float = 2_000.0


@dataclass(frozen=True, slots=True)
class Fields:
    """What of a chunk is searched by its words; `context` is the trail of what encloses it."""

    text: str
    symbol: str = ""
    path: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class LexicalColumns:
    """The lexical columns of one chunk.

    terms      distinct terms, ascending; the indices of `bm25`
    bm25       DIMENSIONS wide, its indices 0-based as `terms` are (pgvector's text form counts from 1)
    is_capped  the chunk had more than MOST_TERMS distinct terms, and its rarest in itself were left out
    """

    terms: list[int]
    bm25: SparseVector
    is_capped: bool = False


WEIGHTS = Weights()
DOCUMENT_WEIGHTS = DocumentWeights()


def lexical_columns(
    *, text: str, symbol: str, path: str, headings: Sequence[str], enclosing: Sequence[str]
) -> LexicalColumns:
    """Return what the store keeps of a chunk's words; the same arguments always give the same columns."""
    context = "\n".join([*headings, *enclosing])
    return document_vector(Fields(text=text, symbol=symbol, path=path, context=context))


def document_vector(fields: Fields, weights: Weights = WEIGHTS) -> LexicalColumns:
    """Weigh the words of one chunk. A chunk without a word has no terms and an empty vector."""
    frequencies: Counter[int] = Counter()
    _count(frequencies, fields.text, weights.text)
    _count(frequencies, fields.symbol, weights.symbol)
    _count(frequencies, fields.path, weights.path)
    _count(frequencies, fields.context, weights.context)
    values = _saturate(frequencies, weights)
    return LexicalColumns(sorted(values), SparseVector(values, DIMENSIONS), len(values) < len(frequencies))


def whole_document_vector(
    *, texts: Iterable[str], symbols: Iterable[str], path: str, weights: DocumentWeights = DOCUMENT_WEIGHTS
) -> SparseVector:
    """Weigh the words of a whole document, given its chunks' texts and symbols.

    The order of the chunks does not matter, nor how the document was cut.
    """
    frequencies: Counter[int] = Counter()
    for text in texts:
        _count(frequencies, text, weights.text)
    for symbol in symbols:
        _count(frequencies, symbol, weights.symbol)
    _count(frequencies, path, weights.path)
    return SparseVector(_saturate(frequencies, weights), DIMENSIONS)


def _count(frequencies: Counter[int], field: str, weight: float) -> None:
    for term, count in Counter(terms_of(field)).items():
        frequencies[term] += weight * count  # type: ignore[assignment]


def _saturate(frequencies: Counter[int], weights: Weights | DocumentWeights) -> dict[int, float]:
    length = sum(frequencies.values())
    norm = weights.k1 * (1 - weights.b + weights.b * length / weights.reference_length)
    return {term: f * (weights.k1 + 1) / (f + norm) for term, f in _most_frequent(frequencies)}


def _most_frequent(frequencies: Counter[int]) -> Iterable[tuple[int, float]]:
    """All terms, or the MOST_TERMS most frequent; ties go to the smaller term, so that it is a rule."""
    if len(frequencies) <= MOST_TERMS:
        return frequencies.items()
    return sorted(frequencies.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_TERMS]


def terms_of(text: str) -> list[int]:
    """Return the term of every lexeme of `text`, in reading order, with repetitions."""
    found: list[int] = []
    for unit in units(text):
        found.extend(_cached_terms(unit) if len(unit) <= LONGEST_CACHED else _unit_terms(unit))
    return found


def _unit_terms(unit: str) -> tuple[int, ...]:
    return tuple(map(term, unit_lexemes(unit)))


_cached_terms = lru_cache(maxsize=65_536)(_unit_terms)


def term(lexeme: str) -> int:
    """Hash a lexeme to its term, 0 <= term < DIMENSIONS: stable across machines and versions.

    Collisions: with 200,000 distinct lexemes, one in 5,000 shares its term with another.
    """
    digest = blake2b(lexeme.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % DIMENSIONS
