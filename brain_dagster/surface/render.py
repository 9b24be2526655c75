"""Values as people and programs read them: tables and JSON on stdout, words on stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from brain_dagster.model import Excerpt, Twin
from brain_dagster.place import part_words
from brain_dagster.score import Score
from brain_dagster.store.clean import printable_path

# What printable paths may still hold and a screen must not: the Arabic direction mark, characters that
# begin a new line, and those that show nothing at all, in which a name could carry words past its reader.
_NOT_SHOWN = re.compile("[\u00ad\u061c\u180e\u2028\u2029\ufff9-\ufffb\U000e0000-\U000e0fff]")


def print_json(value: object) -> None:
    """Print one JSON document; dataclasses become objects, times ISO 8601, bytes their printable form."""
    click.echo(json.dumps(value, default=_jsonable, ensure_ascii=False, indent=2))


def _jsonable(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bytes):
        return printable_path(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def say(words: str) -> None:
    """Tell people something; never data."""
    click.echo(words, err=True)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print rows: a drawn table on a terminal, else tab-separated lines with a header line."""
    cells = [[shown(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in [list(columns), *cells]:
            click.echo("\t".join(line))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for line in cells:
        table.add_row(*(Text(cell) for cell in line))  # Text: a path such as `[red]` is no markup
    Console().print(table)


def shown(value: object) -> str:
    """Return a cell as people read it: nothing in it moves the cursor, turns the text or is invisible."""
    match value:
        case None:
            words = "-"
        case bool():
            words = "yes" if value else "no"
        case int():
            words = f"{value:,}"
        case float():
            words = f"{value:.3f}"
        case datetime():
            words = value.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        case timedelta():
            words = age(value)
        case list() | tuple():
            words = ", ".join(shown(item) for item in value)
        case _:
            words = _NOT_SHOWN.sub("\ufffd", printable_path(str(value).encode("utf-8", "replace")))
    return words


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as in `1 chunk` and `2,000 chunks`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def age(span: timedelta) -> str:
    """Return a time span in its largest unit, as in `3 h`."""
    seconds = int(span.total_seconds())
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def located(place: Excerpt | Twin) -> str:
    """Return where a passage is, as in `collection/source: path:3-9` or `collection/source: path, page 2`."""
    where = f"{shown(place.collection)}/{shown(place.source)}: {shown(place.path)}"
    return f"{where}{spanned(place.start_line, place.end_line, place.page, place.kind, place.page_label)}"


def spanned(
    start_line: int | None, end_line: int | None, page: int | None, kind: str = "", label: str | None = None
) -> str:
    """Return a span as it follows a path."""
    if page is not None:
        return f", {shown(part_words(kind, page, label))}"
    return f":{start_line}" if start_line == end_line else f":{start_line}-{end_line}"


def scored(score: Score) -> str:
    """Return a score with the kind of number it is, as in `bm25 4.213`; what was not ranked has no number."""
    return score.kind.value if score.value is None else f"{score.kind.value} {score.value:.4g}"
