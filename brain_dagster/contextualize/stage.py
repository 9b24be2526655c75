"""The contexts stage: a sentence that places each staged chunk, and the columns derived with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.contextualize.base import ChunkPlace, ContextSentence, Contextualizer
from brain_dagster.contextualize.structure import embedding_header
from brain_dagster.faults import fault
from brain_dagster.lexical.bm25 import lexical_columns, whole_document_vector
from brain_dagster.model import Source
from brain_dagster.progress import reporter
from brain_dagster.store import contexts
from brain_dagster.store.contexts import ContextRow, WaitingChunk
from brain_dagster.store.pool import Database

_BATCH = 500
_DOCUMENTS = 50
# [CLS] and [SEP], and the newline between header and text, which is no token of its own.
_SPECIAL_TOKENS = 2


@dataclass(frozen=True, slots=True)
class ContextsReport:
    """How many chunks were given a context, and how."""

    written: int
    failed: int
    model_calls: int


def stage_contexts(
    db: Database, source: Source, contextualizer: Contextualizer, counter: TokenCounter, max_tokens: int
) -> ContextsReport:
    """Write a context for every staged chunk that has none; each batch is durable as it completes.

    max_tokens  what the embedding model reads; the header in front of a chunk is cut to fit (B6)
    A sentence that could not be written never blocks: its state says so and its chunk stays searchable.
    """
    total = contexts.count_waiting(db, source)
    report = reporter()
    written = failed = 0
    if total:
        report.begin(source.key, "contexts", total)
    for batch in contexts.waiting_chunks(db, source, _BATCH):
        rows = list(_describe(batch, contextualizer, counter, max_tokens))
        contexts.store_contexts(db, source, rows)
        fault("contexts.batch_stored")
        written += len(rows)
        failed += sum(row.state == "failed" for row in rows)
        report.advance(source.key, "contexts", len(rows))
    _weigh_documents(db, source)
    if total:
        report.end(source.key, "contexts", f"{written} chunks placed")
    return ContextsReport(written, failed, model_calls=0)


def _weigh_documents(db: Database, source: Source) -> None:
    """Give every staged document that has none its vector of words; each batch is durable."""
    for batch in contexts.unweighed_documents(db, source, _DOCUMENTS):
        vectors = [
            (
                document.path_key,
                whole_document_vector(texts=document.texts, symbols=document.symbols, path=document.path),
            )
            for document in batch
        ]
        contexts.store_document_vectors(db, source, vectors)
        fault("contexts.documents_weighed")


def _describe(
    batch: Sequence[WaitingChunk], contextualizer: Contextualizer, counter: TokenCounter, max_tokens: int
) -> Iterator[ContextRow]:
    places = [_place(chunk) for chunk in batch]
    sentences = contextualizer.describe(places, [chunk.text for chunk in batch])
    for chunk, place, sentence in zip(batch, places, sentences, strict=True):
        header = _fit(embedding_header(place), chunk.tokens, counter, max_tokens)
        lexical = lexical_columns(
            text=chunk.text,
            symbol=chunk.symbol,
            path=chunk.path,
            headings=chunk.headings,
            enclosing=chunk.enclosing,
        )
        yield ContextRow(
            path_key=chunk.path_key,
            ordinal=chunk.ordinal,
            context_key=_context_key(contextualizer, sentence),
            kind=sentence.kind,
            model=sentence.model,
            prompt_hash=sentence.prompt_hash,
            state=sentence.state,
            sentence=sentence.sentence,
            embed_header=header,
            embed_key=sha256(f"{header}\n{chunk.text}".encode()).digest(),
            terms=lexical.terms,
            bm25=lexical.bm25,
        )


def _fit(header: str, text_tokens: int, counter: TokenCounter, max_tokens: int) -> str:
    """Shorten the header, word by word from its end, until header and text are read whole (B6)."""
    room = max_tokens - _SPECIAL_TOKENS - text_tokens
    words = header.split(" ")
    while words and counter.count(" ".join(words)) > room:
        words.pop()
    return " ".join(words)


def _place(chunk: WaitingChunk) -> ChunkPlace:
    return ChunkPlace(
        path=chunk.path,
        title=chunk.title,
        language=chunk.language,
        outline=chunk.outline,
        imports=chunk.imports,
        symbol=chunk.symbol,
        enclosing=chunk.enclosing,
        headings=chunk.headings,
        page=chunk.page,
        page_label=chunk.page_label,
        kind=chunk.kind,
        ordinal=chunk.ordinal,
        chunk_count=chunk.chunk_count,
        reached_by=chunk.reached_by,
        subject=chunk.metadata.get("description") or chunk.metadata.get("tags", ""),
    )


def _context_key(contextualizer: Contextualizer, sentence: ContextSentence) -> bytes:
    """The cache key: what wrote the sentence and exactly what it was made from."""
    return sha256(contextualizer.identity.encode() + b"\0" + sentence.prompt_hash).digest()
