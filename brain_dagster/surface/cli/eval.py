"""`brain eval`: measure retrieval on a goldset and compare with the accepted baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from brain_dagster.model import Mode
from brain_dagster.surface.cli.options import as_option, group_option, json_option
from brain_dagster.surface.context import acting_principal, brain_settings, opened_database
from brain_dagster.surface.render import print_json, print_table, say

if TYPE_CHECKING:
    from brain_dagster.evals.result import Evaluation
    from brain_dagster.store.pool import Database

_MODES = [mode.value for mode in Mode]


@click.command("eval")
@click.argument("goldset", type=click.Path(path_type=Path), metavar="GOLDSET.jsonl")
@click.option("--mode", "modes", multiple=True, type=click.Choice(_MODES), help="Repeatable; else all.")
@click.option("--collection", "collections", multiple=True, metavar="NAME", help="Only these; repeatable.")
@click.option("--accept", is_flag=True, help="Make this run the baseline that later ones are compared with.")
@as_option
@group_option
@json_option
def eval_command(
    goldset: Path,
    *,
    modes: tuple[str, ...],
    collections: tuple[str, ...],
    accept: bool,
    as_user: str | None,
    groups: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask every question of GOLDSET.jsonl, and tell at which place the right files came back.

    Modes are dense, lexical, hybrid, and hybrid+rerank with a reranker, unless --mode names others. Every
    case is stored. Exit code 1: retrieval dropped against the accepted baseline and --accept was not
    given, or nothing could be measured; 2: the goldset is not valid.
    """
    from brain_dagster.evals import run
    from brain_dagster.query.configured import configured_reranking
    from brain_dagster.surface.bars import shown_progress
    from brain_dagster.surface.late import late_embedder

    principal = acting_principal(as_user, groups)
    with opened_database() as database:
        with shown_progress():
            evaluation = run.run_goldset(
                database,
                late_embedder(database),
                principal,
                goldset,
                [Mode(mode) for mode in modes] or None,
                collections=collections or None,
                reranking=configured_reranking(brain_settings()),
            )
        _print(evaluation, as_json=as_json)
        if accept and _accepted(database, evaluation, principal.user):
            return 0
    return 1 if accept or evaluation.is_failed else 0


def _accepted(database: Database, evaluation: Evaluation, user: str) -> bool:
    """Make the evaluation the baseline, or say why it cannot be; the report is printed by now either way."""
    from brain_dagster.evals.record import accept
    from brain_dagster.store.evals import CannotAccept

    try:
        accept(database, evaluation, user)
    except CannotAccept as error:
        say(str(error))
        return False
    say(f"evaluation {evaluation.eval_run_id} is the baseline of {evaluation.series} now")
    return True


def _print(evaluation: Evaluation, *, as_json: bool) -> None:
    """Print the report: numbers on stdout, the verdict and its reasons on stderr."""
    from brain_dagster.evals.report import evaluation_json, notes, sections

    if as_json:
        print_json(evaluation_json(evaluation))
    else:
        for number, section in enumerate(sections(evaluation)):
            if number:
                click.echo()  # tables of other columns follow
            print_table(section.headings, section.rows, title=section.title)
            if section.left_out:
                say(f"and {section.left_out} more; --json names them all")
    for note in notes(evaluation):
        say(f"  {note}")
    if evaluation.verdict is not None:
        say(f"{evaluation.series}: {evaluation.verdict.word}")
