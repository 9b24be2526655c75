"""`brain why`: where one chunk stood in each list of a search, and what became of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from brain_dagster.errors import BadUsage
from brain_dagster.model import Mode
from brain_dagster.score import Score
from brain_dagster.store.why import Target
from brain_dagster.surface.cli.explain import outcome_words, ranked_by_words
from brain_dagster.surface.cli.options import as_option, group_option, json_option, question_options
from brain_dagster.surface.context import acting_principal, brain_settings, opened_database
from brain_dagster.surface.render import counted, print_json, print_table, say, scored, shown, spanned

if TYPE_CHECKING:
    from brain_dagster.query.standing import Standing
    from brain_dagster.query.why import Ranked, Why
    from brain_dagster.query.words import WordShare

WORDS_SHOWN = 20
_PLACE = re.compile(r"(?P<path>.+?)(?:#page=(?P<page>\d+)|:(?P<line>\d+))?", re.DOTALL)


@click.command()
@click.argument("chunk")
@click.option("--query", "text", required=True, metavar="TEXT", help="The question it is asked about.")
@question_options
@as_option
@group_option
@json_option
def why(
    chunk: str,
    *,
    text: str,
    collections: tuple[str, ...],
    place: str | None,
    mode: str,
    limit: int,
    as_user: str | None,
    groups: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say where CHUNK stands for a question: in the list of each half, in the ranking, in the answer.

    CHUNK is a number as in `chunks` of `brain search --json`, or a place: SOURCE:PATH:LINE,
    SOURCE:PATH#page=N, or SOURCE:PATH for whatever of the file stands best.
    """
    from brain_dagster import query
    from brain_dagster.query.configured import configured_reranking
    from brain_dagster.surface.late import late_embedder

    target = read_target(chunk)
    principal = acting_principal(as_user, groups)
    with opened_database(size=4) as database:
        found = query.why(
            database,
            late_embedder(database),
            principal,
            text,
            target,
            collections=collections or None,
            place=place,
            mode=Mode(mode),
            limit=limit,
            reranking=configured_reranking(brain_settings()),
        )
    if as_json:
        print_json(why_json(found))
    else:
        print_why(found)
    for half in found.missing:
        say(f"missing: {half}")


def read_target(written: str) -> Target:
    """Read what a person points at.

    Raises  BadUsage - neither a number nor SOURCE:PATH.
    """
    if re.fullmatch(r"[0-9]+", written):
        return Target(chunk_id=int(written))
    source, _, rest = written.partition(":")
    found = _PLACE.fullmatch(rest)
    if not source or found is None:
        raise BadUsage(
            "a chunk is a number, or SOURCE:PATH, SOURCE:PATH:LINE or SOURCE:PATH#page=N", subject=written
        )
    line, page = (None if n is None else int(n) for n in (found["line"], found["page"]))
    return Target(source=source, path=found["path"], line=line, page=page, whole_path=rest)


def why_json(found: Why) -> dict[str, Any]:
    """Return what `brain why --json` prints; keys are only ever added."""
    chunk = found.chunk
    return {
        "query": found.query,
        "mode": found.mode,
        "missing": list(found.missing),
        "chunk": {
            "id": chunk.chunk_id,
            "collection": chunk.collection,
            "source": chunk.source,
            "path": chunk.path,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "page": chunk.page,
            "symbol": chunk.symbol,
        },
        "meant": found.meant,
        "outcome": {"by": found.outcome.by, "excerpt": found.outcome.excerpt},
        "ranked": None if found.ranked is None else _ranked_json(found.ranked),
        "halves": [_standing_json(standing) for standing in found.standings],
        "words": [_word_json(word) for word in found.words],
    }


def _ranked_json(ranked: Ranked) -> dict[str, Any]:
    parts = [{"half": part.half, "place": part.place, "value": part.value} for part in ranked.parts]
    return {"place": ranked.place, "of": ranked.of, **_score_json(ranked.score), "parts": parts}


def _standing_json(standing: Standing) -> dict[str, Any]:
    return {
        "half": standing.half,
        "place": standing.place,
        "of": standing.listed,
        "exact_place": standing.exact_place,
        **_score_json(standing.score),
        "reason": standing.reason,
    }


def _word_json(word: WordShare) -> dict[str, Any]:
    return {
        "word": word.word,
        "chunks": word.chunks,
        "idf": word.idf,
        "in_gate": word.is_in_gate,
        "held": word.is_held,
        "score": word.score,
        "document_score": word.document_score,
    }


def _score_json(score: Score | None) -> dict[str, Any]:
    return {
        "score": None if score is None else score.value,
        "score_kind": None if score is None else score.kind.value,
    }


def print_why(found: Why) -> None:
    """Print where the chunk stands: what became of it first, then the lists, then the words."""
    chunk = found.chunk
    where = f"{shown(chunk.collection)}/{shown(chunk.source)}: {shown(chunk.path)}"
    place = spanned(chunk.start_line, chunk.end_line, chunk.page, chunk.kind, chunk.page_label)
    click.echo(f"chunk {chunk.chunk_id}  {where}{place}")
    if found.meant > 1:
        click.echo(f"the best of {counted(found.meant, 'chunk')} that are meant")
    click.echo(outcome_words(found.outcome.by, found.outcome.excerpt))
    if not found.standings:
        click.echo(f"ranked by {ranked_by_words(None)}")
        return
    if found.ranked is not None:
        click.echo(_ranked_words(found.ranked))
    click.echo()
    print_table(
        ("list", "place", "of", "score", "why it is not in it"),
        [_standing_row(standing) for standing in found.standings],
    )
    if found.words:
        _print_words(found.words)


def _ranked_words(ranked: Ranked) -> str:
    words = f"place {ranked.place:,} of {counted(ranked.of, 'candidate')}, {scored(ranked.score)}"
    if not ranked.parts:
        return words
    parts = (f"{part.value:.4g} for place {part.place:,} of {part.half}" for part in ranked.parts)
    return f"{words}: {' + '.join(parts)}"


def _standing_row(standing: Standing) -> tuple[str, str, int, str, str]:
    place = "-" if standing.place is None else f"{standing.place:,}"
    reason = standing.reason
    if standing.exact_place is not None:
        reason = f"{reason}; it would have place {standing.exact_place:,}"
    score = "-" if standing.score is None else scored(standing.score)
    return standing.half, place, standing.listed, score, reason


def _print_words(words: tuple[WordShare, ...]) -> None:
    """Print the words that count most first; words that add nothing come last, in the question's order."""
    ordered = sorted(words, key=lambda word: -(word.score + word.document_score))
    click.echo()
    print_table(
        ("word", "in chunks", "rarity", "looked for", "held", "adds", "adds by its file"),
        [
            (w.word, w.chunks, w.idf, w.is_in_gate, w.is_held, w.score, w.document_score)
            for w in ordered[:WORDS_SHOWN]
        ],
    )
    if len(ordered) > WORDS_SHOWN:
        click.echo(f"and {len(ordered) - WORDS_SHOWN:,} more words")
