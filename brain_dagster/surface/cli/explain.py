"""How an answer came about, as people and programs read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from brain_dagster.query.trace import Dropped, Trace
from brain_dagster.score import ScoreKind
from brain_dagster.surface.render import print_table, shown

# What a number of each kind says, and what it does not.
SCORE_WORDS = {
    ScoreKind.COSINE: "cosine similarity of question and chunk, 1 at most; compares within one model only",
    ScoreKind.BM25: "BM25, the weight of the question's words in the chunk; has no upper end",
    ScoreKind.RRF: "a sum of reciprocal ranks; it orders, and does not measure relevance",
    ScoreKind.RERANK: "the reranker's relevance, about 0 to 1",
    ScoreKind.EXACT: "it stands there letter by letter as the question quotes it; there is no more or less",
    ScoreKind.INLINE: "nothing: the collection is small and was handed over whole, in reading order",
}
# Why a candidate is not an excerpt of its own.
DROPPED_WORDS = {
    "depth": "deeper than what was ranked",
    "cap": "beyond what the reranker was given",
    "floor": "below the reranker's floor of relevance",
    "merge": "joined into the excerpt of a neighbour",
    "twin": "same text as an excerpt, which names the place",
    "file": "its file had its share of excerpts",
    "limit": "below the excerpts asked for",
    "gone": "no longer there when the excerpts were read",
}
_CHUNKS_SHOWN = 12


def trace_json(trace: Trace) -> dict[str, Any]:
    """Return the key `trace` of `brain search --json --explain`; keys are only ever added."""
    return {
        "scope": [{"collection": each.collection, "reason": each.reason} for each in trace.scope],
        "lists": [
            {
                "half": each.half,
                "collection": each.collection,
                "strategy": each.strategy,
                "candidates": each.candidates,
                "ms": each.ms,
                "note": each.note,
            }
            for each in trace.lists
        ],
        "dropped": [{"by": each.by, "chunks": list(each.chunk_ids)} for each in trace.dropped],
        "ranked_by": None if trace.ranked_by is None else trace.ranked_by.value,
        "missing": list(trace.missing),
        "ms": dict(trace.ms),
    }


def print_trace(trace: Trace) -> None:
    """Print the explanation that was asked for: it is data, so it goes to stdout, as tables."""
    click.echo(f"ranked by {ranked_by_words(trace.ranked_by)}")
    _print("searched", ("collection", "because"), [(each.collection, each.reason) for each in trace.scope])
    _print(
        "looked at",
        ("half", "collection", "how", "candidates", "ms", "note"),
        [(e.half, e.collection, e.strategy, e.candidates, f"{e.ms:.1f}", e.note) for e in trace.lists],
    )
    _print(
        "not in the answer as an excerpt of its own",
        ("by", "chunks", "because", "which"),
        [_dropped_row(each) for each in trace.dropped if each.chunk_ids],
    )
    _print("missing", ("what could not take part",), [(each,) for each in trace.missing])
    _print("took", ("part", "ms"), [(part, f"{ms:.1f}") for part, ms in trace.ms.items()])


def ranked_by_words(kind: ScoreKind | None) -> str:
    """Return what ordered an answer, and what its numbers mean."""
    return SCORE_WORDS[ScoreKind.INLINE] if kind is None else f"{kind.value}: {SCORE_WORDS[kind]}"


def _dropped_row(dropped: Dropped) -> tuple[str, int, str, str]:
    ids = [str(chunk_id) for chunk_id in dropped.chunk_ids]
    which = " ".join(ids[:_CHUNKS_SHOWN])
    if len(ids) > _CHUNKS_SHOWN:
        which += f" and {len(ids) - _CHUNKS_SHOWN:,} more"
    return dropped.by, len(ids), DROPPED_WORDS.get(dropped.by, dropped.by), which


def _print(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    if not rows:
        return
    click.echo(f"\n{shown(title)}")
    print_table(columns, rows)


def outcome_words(by: str, excerpt: int | None) -> str:
    """Return what became of one chunk in the answer; `by` as in a trace, or `shown`, or `unlisted`."""
    if by == "shown":
        return f"shown as excerpt {excerpt}"
    if by == "unlisted":
        return "not in the answer: no list holds it"
    if excerpt is None:
        return f"not in the answer: {DROPPED_WORDS.get(by, by)}"
    return f"{'part of' if by == 'merge' else 'named as a twin by'} excerpt {excerpt}"
