"""From ranked chunks to the rank of a file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from brain_dagster.evals.metrics import Rank
from brain_dagster.evals.targets import FileKey

FILES = 50  # a file further down counts as not found; it is part of the contract of the report


def distinct_files(chunks: Iterable[FileKey], most: int = FILES) -> list[FileKey]:
    """Return the first `most` files in the order of their best chunks; `chunks` are best first."""
    return list(islice(dict.fromkeys(chunks), most))


def rank_of(files: Iterable[FileKey], right: frozenset[FileKey]) -> Rank:
    """Return the place of the first right file, counted from 1, or None."""
    return next((place for place, file in enumerate(files, start=1) if file in right), None)
