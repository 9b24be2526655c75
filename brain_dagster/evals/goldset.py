"""A goldset: questions in people's words, each with the one file that must come back.

One JSON object a line: `{"id", "query", "expect", "source"?, "tags"?, "split"?}`. `expect` is relative to
the root of its source. Other keys (a commit, a tier, spans) are provenance and are ignored here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain_dagster.errors import BadUsage
from brain_dagster.query.question import (
    LONGEST_QUESTION_BYTES,
    EmptyQuestion,
    QuestionTooLong,
    read_question,
)
from brain_dagster.store.clean import clean_text

PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Case:
    """One question and the file that answers it.

    expect  path of the file, relative to the root of its source
    source  key of the source, or name of its collection; None: any source may hold the file
    split   which part of the goldset the case belongs to, e.g. `tune` or `test`
    """

    id: str
    query: str
    expect: str
    source: str | None = None
    tags: tuple[str, ...] = ()
    split: str | None = None


@dataclass(frozen=True, slots=True)
class Goldset:
    """The cases of one file, in its order; `name` is its stem, `sha256` the digest of its bytes in hex."""

    name: str
    sha256: str
    cases: tuple[Case, ...]


class InvalidGoldset(BadUsage):
    """The goldset cannot be used; each line must be a JSON object with id, query and expect."""


def load_goldset(path: Path) -> Goldset:
    """Read a goldset and check every line of it.

    Errors  InvalidGoldset - cannot be read, has no case, or lines are wrong: each is named with its number
            and what is wrong with it, the first 20 at once and the rest counted.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidGoldset(f"cannot be read: {error.strerror}", subject=str(path)) from error
    cases: list[Case] = []
    problems: list[str] = []
    lines_by_id: dict[str, int] = {}
    for number, line in _lines(content):
        case, wrong = _parse_line(line)
        if case is not None and case.id in lines_by_id:
            wrong = (f"id {_short(case.id)} was used on line {lines_by_id[case.id]} already",)
        elif case is not None:
            lines_by_id[case.id] = number
            cases.append(case)
        problems += [f"line {number}: {problem}" for problem in wrong]
    if not cases and not problems:
        problems.append("it has no case")
    if problems:
        raise InvalidGoldset(_listed(problems), subject=str(path))
    return Goldset(path.stem, hashlib.sha256(content).hexdigest(), tuple(cases))


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, counted from 1; only a newline ends a line of JSONL."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _listed(problems: list[str]) -> str:
    shown = problems[:PROBLEMS_SHOWN]
    if len(problems) > PROBLEMS_SHOWN:
        shown.append(f"and {len(problems) - PROBLEMS_SHOWN} more")
    return "; ".join(shown) if len(shown) == 1 else "\n  ".join(["not a goldset:", *shown])


def _parse_line(line: bytes) -> tuple[Case | None, tuple[str, ...]]:
    """Return the case of a line, or None and everything that is wrong with it."""
    try:
        fields = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return None, (f"not UTF-8 at byte {error.start + 1}",)
    except json.JSONDecodeError as error:
        return None, (f"not JSON: {error.msg} at column {error.colno}",)
    except (RecursionError, ValueError):
        return None, ("not JSON that can be read: nested too deeply, or a number of too many digits",)
    if not isinstance(fields, dict):
        return None, (f"a JSON object is needed, this is {_type_name(fields)}",)
    wrong = tuple(_problems(fields))
    return (None, wrong) if wrong else (_case(fields), ())


def _problems(fields: dict[str, Any]) -> Iterator[str]:
    for key in ("id", "query", "expect"):
        if key not in fields:
            yield f"{key} is missing"
        elif key != "query" or not isinstance(fields[key], str):
            yield from _text_problems(key, fields[key])
    for key in ("source", "split"):
        if fields.get(key) is not None:
            yield from _text_problems(key, fields[key])
    tags = fields.get("tags")
    if tags is not None and not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
        yield "tags must be a list of texts"
    query = fields.get("query")
    if isinstance(query, str) and (wrong := _question_problem(query)):
        yield wrong
    expect = fields.get("expect")
    if isinstance(expect, str) and (wrong := _path_problem(expect)):
        yield wrong


def _text_problems(key: str, value: object) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{key} must be a text, this is {_type_name(value)}"
    elif not value.strip():
        yield f"{key} is empty"


def _question_problem(query: str) -> str | None:
    """Say why the search would refuse the question, so that no run ends half-way through a goldset."""
    try:
        read_question(query)
    except EmptyQuestion:
        return "query is empty"
    except QuestionTooLong:
        return f"query is longer than {LONGEST_QUESTION_BYTES:,} bytes"
    return None


def _path_problem(path: str) -> str | None:
    """Say why a path cannot name a file below the root of a source."""
    if clean_text(path) != path:
        return f"expect {_short(path)} holds characters that no path has"
    if path.startswith("/"):
        return f"expect {_short(path)} is absolute; it must be relative to the root of its source"
    if ".." in path.split("/"):
        return f"expect {_short(path)} leaves its source with `..`"
    return None


def _case(fields: dict[str, Any]) -> Case:
    """Build the case; text that PostgreSQL cannot store is replaced here, once (faults D1, D2)."""
    source, split = fields.get("source"), fields.get("split")
    return Case(
        id=clean_text(fields["id"]),
        query=clean_text(fields["query"]),
        expect=fields["expect"],
        source=None if source is None else clean_text(source),
        tags=tuple(clean_text(tag) for tag in fields.get("tags") or ()),
        split=None if split is None else clean_text(split),
    )


def _type_name(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _short(text: str) -> str:
    """Quote a value of the file so that it cannot deceive a terminal and stays on one line."""
    quoted = json.dumps(text)
    return quoted if len(quoted) <= 80 else f'{quoted[:77]}..."'
