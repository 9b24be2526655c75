"""`brain search`: ask a question; get the passages that answer it, each with its exact place."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from brain_dagster.model import Excerpt, Mode
from brain_dagster.query.trace import SearchResult
from brain_dagster.surface.cli.explain import print_trace, trace_json
from brain_dagster.surface.cli.options import as_option, group_option, json_option, question_options
from brain_dagster.surface.context import acting_principal, brain_settings, opened_database
from brain_dagster.surface.render import located, print_json, say, scored, shown

LINES_SHOWN = 6
_COLUMNS_SHOWN = 160


@click.command()
@click.argument("text")
@question_options
@click.option("--explain", is_flag=True, help="Then say how the answer came about.")
@as_option
@group_option
@json_option
def search(
    text: str,
    *,
    collections: tuple[str, ...],
    place: str | None,
    mode: str,
    limit: int,
    explain: bool,
    as_user: str | None,
    groups: tuple[str, ...],
    as_json: bool,
) -> None:
    """Ask the question TEXT in words, or look for an identifier, a path, a sentence.

    Answers with passages from what you may read. One small collection alone is handed over whole.
    """
    from brain_dagster import query
    from brain_dagster.query.configured import configured_reranking
    from brain_dagster.surface.late import late_embedder

    principal = acting_principal(as_user, groups)
    with opened_database(size=4) as database:
        result = query.search(
            database,
            late_embedder(database),
            principal,
            text,
            collections=collections or None,
            place=place,
            mode=Mode(mode),
            limit=limit,
            reranking=configured_reranking(brain_settings()),
        )
    if as_json:
        print_json(search_json(result, explain=explain))
    else:
        print_result(result)
        if explain:
            print_trace(result.trace)
    for half in result.missing:
        say(f"missing: {half}")


def search_json(result: SearchResult, *, explain: bool = False) -> dict[str, Any]:
    """Return the contract of `brain search --json`; other programs read it, so keys are only ever added."""
    answer: dict[str, Any] = {
        "query": result.query,
        "mode": result.mode,
        "missing": list(result.missing),
        "excerpts": [_excerpt_json(excerpt) for excerpt in result.excerpts],
    }
    return {**answer, "trace": trace_json(result.trace)} if explain else answer


def _excerpt_json(excerpt: Excerpt) -> dict[str, Any]:
    return {
        "collection": excerpt.collection,
        "source": excerpt.source,
        "path": excerpt.path,
        "start_line": excerpt.start_line,
        "end_line": excerpt.end_line,
        "page": excerpt.page,
        "symbol": excerpt.symbol,
        "score": excerpt.score.value,
        "score_kind": excerpt.score.kind.value,
        "revision": excerpt.revision,
        "indexed_at": excerpt.indexed_at.isoformat(),
        "text": excerpt.text,
        "chunks": list(excerpt.chunk_ids),
        "twins": [asdict(twin) for twin in excerpt.twins],
        "page_label": excerpt.page_label,
        "kind": excerpt.kind,
    }


def print_result(result: SearchResult) -> None:
    for number, excerpt in enumerate(result.excerpts, start=1):
        click.echo(f"{number:>3}  {heading(excerpt)}")
        for line in first_lines(excerpt.text):
            click.echo(f"     | {line}")
        for twin in excerpt.twins:
            click.echo(f"     also in {located(twin)}")
        click.echo()
    if not result.excerpts:
        say("nothing was found; `brain manifest` shows what you may search")


def heading(excerpt: Excerpt) -> str:
    """Return where an excerpt is from and what its score means, on one line."""
    words = [located(excerpt)]
    if excerpt.symbol:
        words.append(shown(excerpt.symbol))
    words.append(scored(excerpt.score))
    return "  ".join(words)


def first_lines(text: str) -> list[str]:
    """Return the first lines with words in them, without the characters that move a terminal's cursor."""
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines()]
    filled = [line for line in lines if line]
    kept = [shown(line) for line in filled[:LINES_SHOWN]]
    kept = [f"{line[: _COLUMNS_SHOWN - 1]}…" if len(line) > _COLUMNS_SHOWN else line for line in kept]
    return [*kept, f"… {len(filled) - LINES_SHOWN} more lines"] if len(filled) > LINES_SHOWN else kept
