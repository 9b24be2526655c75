"""Loads the named queries of sql/queries.

A file holds the queries of one topic. Each starts with `-- name: verb_noun` and says its purpose, its
parameters and its promise in the comment lines below; `sql("topic.verb_noun")` returns the text.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import LiteralString, cast

from brain_dagster.errors import Defect
from brain_dagster.settings import REPOSITORY_ROOT

SQL_FOLDER = REPOSITORY_ROOT / "sql"
_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


def sql(name: str) -> LiteralString:
    """Return the query `topic.name` from sql/queries/topic.sql."""
    topic, _, query = name.partition(".")
    try:
        # The cast is where repository files become trusted SQL; nothing else in the project may do this.
        return cast(LiteralString, _topic(topic)[query])  # type: ignore[redundant-cast]
    except KeyError:
        raise Defect(f"there is no query {query!r} in sql/queries/{topic}.sql") from None


@cache
def _topic(topic: str) -> dict[str, str]:
    text = (SQL_FOLDER / "queries" / f"{topic}.sql").read_text(encoding="utf-8")
    return parse_queries(text, topic)


def parse_queries(text: str, topic: str) -> dict[str, str]:
    """Split a query file into its named queries; a name used twice is a Defect."""
    parts = _NAME.split(text)
    found: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in found:
            raise Defect(f"query {name!r} appears twice in sql/queries/{topic}.sql")
        found[name] = body.strip()
    return found


def topics() -> tuple[Path, ...]:
    """Return every query file, sorted; used by the tests that check each one's headers."""
    return tuple(sorted((SQL_FOLDER / "queries").glob("*.sql")))
