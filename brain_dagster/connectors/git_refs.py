"""What a ref stands for, asked of an object store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from brain_dagster.connectors.git_process import run_git
from brain_dagster.errors import SourceUnavailable


@dataclass(frozen=True, slots=True)
class Head:
    """A commit and the tree it holds; equal trees mean equal files, whatever the history (F5)."""

    commit: str
    tree: str


def resolve(git_dir: Path, ref: str) -> Head | None:
    """Return what a branch, tag, commit id or any other revision stands for; None where there is none.

    The names go in by standard input: none can be mistaken for an option.

    Errors  SourceUnavailable when git cannot read the repository at all.
    """
    asked = f"{ref}^{{commit}}\n{ref}^{{tree}}\n".encode("utf-8", "surrogateescape")
    arguments = ["cat-file", "--batch-check=%(objecttype) %(objectname)"]
    result = run_git(arguments, git_dir=git_dir, stdin=asked)
    if result.exit_code:
        raise SourceUnavailable(f"git cannot read the repository: {result.reason}", subject=str(git_dir))
    answers = [line.split() for line in result.stdout.decode("utf-8", "surrogateescape").splitlines()]
    match answers:
        case [["commit", commit], ["tree", tree]]:
            return Head(commit, tree)
        case _:
            return None
