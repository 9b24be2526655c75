"""Patterns that choose what belongs to a source, with the rules of .gitignore.

    *.py          every file of that name, at any depth
    **/*.py       the same
    src/*.py      directly in src/, because a slash inside a pattern ties it to the root
    docs/         everything below any directory called docs
    docs/**       everything below docs/ at the root
    !docs/a.md    takes back what an earlier pattern of the same list chose

Matching is case-sensitive (F4) and works on raw paths: bytes that are not UTF-8 stand for themselves.
A path belongs to the source when `include` is empty or chooses it, and `exclude` does not.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence

from pathspec import GitIgnoreSpec

from brain_dagster.connectors.base import BadGlob

# A pattern becomes a backtracking regular expression. With many stars one hostile line of a .gitignore
# could keep a listing busy for hours, so a part may hold three runs of stars and a pattern four `**`:
# the worst then costs some 30 ms a path. None of the templates that forges offer comes close.
_MAX_STARS_IN_A_PART = 3
_MAX_DOUBLE_STARS = 4
_MAX_PATTERN_CHARACTERS = 1_000


class Globs:
    """The include and exclude patterns of one source, compiled.

    Errors  BadGlob when a pattern is empty or cannot be used.
    """

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = _compile(include) if include else None
        self._exclude = _compile(exclude) if exclude else None
        # As in git, `!` cannot take a file back once its directory is skipped; skipping a directory
        # is only the same as judging its files one by one when no pattern takes anything back.
        self._may_prune = not any(pattern.startswith("!") for pattern in exclude)
        self.digest = hashlib.sha256(repr((tuple(include), tuple(exclude))).encode()).hexdigest()

    def accepts(self, path: bytes) -> bool:
        """Say whether a file of this path belongs to the source."""
        text = matchable(path)
        if self._exclude is not None and self._exclude.match_file(text):
            return False
        return self._include is None or self._include.match_file(text)

    def prunes(self, directory: bytes) -> bool:
        """Say whether nothing below this directory can belong to the source, so it need not be opened."""
        if self._exclude is None or not self._may_prune:
            return False
        return self._exclude.match_file(matchable(directory) + "/")


class IgnoreFile:
    """One .gitignore: its patterns, and the directory they are relative to."""

    def __init__(self, directory: bytes, content: bytes) -> None:
        self._prefix = directory + b"/" if directory else b""
        self._spec = GitIgnoreSpec.from_lines(_usable_lines(content))

    def verdict(self, path: bytes, *, is_directory: bool) -> bool | None:
        """Return True for ignored, False for taken back by `!`, None where no pattern speaks."""
        relative = matchable(path.removeprefix(self._prefix))
        return self._spec.check_file(relative + "/" if is_directory else relative).include


def is_ignored(path: bytes, *, is_directory: bool, files: Sequence[IgnoreFile]) -> bool:
    """Judge a path by every .gitignore above it, outermost first in `files`; the innermost word counts."""
    for ignore_file in reversed(files):
        verdict = ignore_file.verdict(path, is_directory=is_directory)
        if verdict is not None:
            return verdict
    return False


def matchable(path: bytes) -> str:
    """Return the path as patterns see it.

    A newline in a name is an ordinary character to git, but `.` and `$` of a regular expression treat
    it apart; no pattern can contain one, so any character that no pattern names does in its place.
    """
    return os.fsdecode(path).replace("\n", "\ufffe")


def _compile(patterns: Sequence[str]) -> GitIgnoreSpec:
    for pattern in patterns:
        if not pattern.strip() or pattern.startswith("#"):
            raise BadGlob("an include or exclude pattern must name something", subject=repr(pattern))
        if not _is_tame(pattern):
            raise BadGlob("the pattern has too many stars; use several simpler ones", subject=repr(pattern))
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise BadGlob(f"the pattern cannot be used: {error}", subject=", ".join(patterns)) from error


def _usable_lines(content: bytes) -> Iterable[str]:
    """Yield the lines git would obey; one that git ignores as malformed is ignored here as well."""
    for line in os.fsdecode(content.removeprefix(b"\xef\xbb\xbf")).split("\n"):
        pattern = line.removesuffix("\r")
        if _is_tame(pattern) and _compiles(pattern):
            yield pattern


def _is_tame(pattern: str) -> bool:
    parts = pattern.split("/")
    return (
        len(pattern) <= _MAX_PATTERN_CHARACTERS
        and all(len(re.findall(r"\*+", part)) <= _MAX_STARS_IN_A_PART for part in parts)
        and parts.count("**") <= _MAX_DOUBLE_STARS
    )


def _compiles(pattern: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True
