"""Recognises generated text: by what it says of itself, and by lines that nobody types (E1)."""

from __future__ import annotations

import re

from brain_dagster.ingest.rules import Skip

# Prose may speak of generated files without being one.
_PROSE = frozenset({"", "text", "markdown", "rst", "asciidoc", "html", "tex", "org"})
# Data may hold prose on long lines: a chat export is one.
_DATA = frozenset({"json", "jsonl", "yaml", "toml", "ini", "properties", "xml", "csv", "tsv"})
# Their readers take the words out of what encodes them and leave pictures and attachments there.
_WRAPPED = frozenset({"notebook", "mail", "mbox", "slack"})
_HEAD_CHARACTERS = 2_000
_HEAD_LINES = 10
_MARK = re.compile(r"@generated\b")
_SENTENCE = re.compile(
    r"generated\b[^\n]*(?:\n[^\n]*)?\bdo not edit\b|\bdo not edit\b[^\n]*(?:\n[^\n]*)?generated\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|%|\"\"\"|''')")

# A file is minified when it is big and nearly all of it lies in long lines. Size alone or one long line
# alone says nothing: both occur in files that people write (E1).
_LONG_LINE_CHARACTERS = 1_000
_LONG_SHARE = 0.8
_MINIFIED_CHARACTERS = 20_000
# A paragraph on one line is prose, in any script: what marks a bundle or an encoded blob is that its
# lines are ASCII with hardly a space.
_SPACED_SHARE = 0.1


def judge_text(text: str, language: str) -> Skip | None:
    """Judge a decoded file by its head and by the shape of its lines."""
    if not text.strip():
        return Skip("empty", "there is nothing in it but white space")
    if language in _WRAPPED:
        return None
    if language not in _PROSE and _says_generated(text):
        return Skip("generated", "its first lines say that it is generated and not to be edited")
    if len(text) >= _MINIFIED_CHARACTERS:
        share = _long_line_share(text, may_be_prose=language in _PROSE | _DATA)
        if share >= _LONG_SHARE:
            return Skip(
                "generated",
                f"{share:.0%} of its {len(text):,} characters are in lines of over "
                f"{_LONG_LINE_CHARACTERS:,}: minified or encoded",
            )
    return None


def _says_generated(text: str) -> bool:
    """Look at the comments among the first lines; what a string literal says counts for nothing."""
    lines = text[:_HEAD_CHARACTERS].splitlines()[:_HEAD_LINES]
    comments = "\n".join(line for line in lines if _COMMENT.match(line))
    return _MARK.search(comments) is not None or _SENTENCE.search(comments) is not None


def _long_line_share(text: str, *, may_be_prose: bool) -> float:
    long_lines = (line for line in text.splitlines() if len(line) > _LONG_LINE_CHARACTERS)
    if may_be_prose:
        long_lines = (line for line in long_lines if not _reads_as_prose(line))
    return sum(map(len, long_lines)) / len(text)


def _reads_as_prose(line: str) -> bool:
    spaces = line.count(" ") + line.count("\t")
    ascii_characters = len(line.encode("ascii", "ignore"))
    return spaces + len(line) - ascii_characters > _SPACED_SHARE * len(line)
