"""Reads the small notations of the table of languages: paths, patterns, and the names found at their ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

MAX_NAME = 200
_TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<[^<>]*>")
_OPERATOR = re.compile(r"\boperator(?!\w)")
_QUOTES = "\"'`"

Step = tuple[str, frozenset[str]]


@cache
def parsed_path(path: str) -> tuple[tuple[Step, ...], ...]:
    """Return the alternatives of a path, each a row of steps: (`field`, `>`, `<` or `@`, names)."""
    return tuple(tuple(map(_parsed_step, option.split("/"))) for option in path.split("|"))


def _parsed_step(step: str) -> Step:
    if step[0] in "@><":
        return step[0], frozenset(filter(None, step[1:].split(",")))
    return "field", frozenset((step,))


@cache
def parsed_pieces(rule: str) -> Mapping[str, str]:
    """Return what each kind of child adds to a name of several pieces; `` for its own text."""
    pieces = (piece.partition("=") for piece in rule.removeprefix("*").split(","))
    return {kind: text for kind, _, text in pieces}


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the table, ready to use."""
    return re.compile(pattern)


@cache
def _compiled_bytes(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


def rewritten(content: bytes, rewrites: Mapping[str, str]) -> bytes:
    """Put in place of what the patterns find what the grammar shall read; no offset moves."""
    for pattern, instead in rewrites.items():
        template = instead.encode()

        def filled(found: re.Match[bytes], template: bytes = template) -> bytes:
            size = len(found[0])
            return found.expand(template)[:size].ljust(size)

        content = _compiled_bytes(pattern).sub(filled, content)
    return content


def name_text(text: str) -> str:
    """Return the name that stands in a stretch of code, without type arguments, quotes and macros."""
    if text[:1] and text[0] in _QUOTES:
        return " ".join(text.strip(_QUOTES).split())  # a name in quotes may hold blanks
    if _OPERATOR.search(text):
        head = text.partition("(")[0].rstrip()  # the type of a cast comes with its parameters
        text = f"{head}()" if head.endswith("operator") else head
    elif "<" in text:
        for _ in range(3):  # C<Pair<int>>::get is named C.get
            text = _TEMPLATE_ARGUMENTS.sub("", text)
    words = text.split()
    if text.startswith("("):
        return "".join(words)  # an operator in its own parentheses
    # A macro the grammar does not know ends up in the name: `ALWAYS_INLINE blend`.
    first = next((i for i, word in enumerate(words) if _OPERATOR.search(word)), len(words) - 1)
    return "".join(words[first:]).replace("::", ".").replace("\\", ".").strip("\"'`$:.")
