"""What of a goldset can be measured: a target that is not in the index says nothing about the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brain_dagster.evals.goldset import Case
from brain_dagster.model import State
from brain_dagster.store.clean import printable_path
from brain_dagster.store.evals import TargetDocument, WantedFile, find_targets
from brain_dagster.store.pool import Database

FileKey = tuple[str, str]
"""Source key and printable path: what tells one file from another."""


@dataclass(frozen=True, slots=True)
class Target:
    """The file a case expects, as the store has it.

    files    what counts as the right answer; empty if nothing of that name is listed
    why_not  why the case is not measurable, None if it is
    """

    files: frozenset[FileKey]
    why_not: str | None


def resolve_targets(
    db: Database, cases: Sequence[Case], *, collection_ids: Sequence[int], space_id: int | None
) -> list[Target]:
    """Find the document of each case, in the order of the cases.

    A case that names no source may mean the same path in several: it is measurable if exactly one of them
    could come back, and ambiguous if several could.
    """
    wanted = [WantedFile(printable_path(case.expect.encode("utf-8")), case.source) for case in cases]
    found = find_targets(db, wanted, collection_ids=collection_ids, space_id=space_id)
    return [_target(documents) for documents in found]


def _target(documents: Sequence[TargetDocument]) -> Target:
    complete = [document for document in documents if document.is_embedded]
    files = frozenset((document.source, document.path) for document in complete or documents)
    if len(complete) == 1:
        return Target(files, None)
    if complete:
        return Target(files, "ambiguous")
    return Target(files, _why_not(documents[0]) if documents else "not listed")


def _why_not(document: TargetDocument) -> str:
    if document.state == State.READY:
        return "not embedded"
    if document.state == State.PENDING:
        return "not indexed yet"
    return f"{document.state}: {document.reason_code}"
