"""Builds real git repositories for tests, with any tree git can hold, without touching a checkout.

Trees are written by `git fast-import`, so a path may hold bytes and lengths that no file system takes.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from brain_dagster.model import Source
from brain_dagster.settings import Settings

Tree = Mapping[bytes, "bytes | Link | Submodule"]


@dataclass(frozen=True)
class Link:
    """A symbolic link in a tree."""

    target: bytes


@dataclass(frozen=True)
class Submodule:
    """A commit of another repository in a tree."""

    commit: str


class Repository:
    """A repository on disk, made with `git init`, that tests commit whole trees to."""

    def __init__(self, path: Path, *, is_bare: bool = False, object_format: str = "sha1") -> None:
        self.path = path
        bare = ("--bare",) if is_bare else ()
        _git("init", "-q", "-b", "main", f"--object-format={object_format}", *bare, str(path))

    @property
    def url(self) -> str:
        """The repository as an address."""
        return f"file://{self.path}"

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git in the repository and return its output."""
        return _git("-C", str(self.path), *arguments, stdin=stdin)

    def commit(self, tree: Tree, *, branch: str = "main", is_orphan: bool = False, message: str = "m") -> str:
        """Replace everything on a branch by `tree` in one commit and return its id."""
        ref = f"refs/heads/{branch}"
        lines = [b"reset " + ref.encode()] if is_orphan else []
        lines += [b"commit " + ref.encode()]
        lines += [b"committer A <a@example.org> 1700000000 +0000", _data(message.encode())]
        parent = subprocess.run(
            ["git", "-C", str(self.path), "rev-parse", "--verify", "-q", ref], stdout=subprocess.PIPE, check=False
        )
        if parent.returncode == 0 and not is_orphan:
            lines.append(b"from " + parent.stdout.strip())
        lines.append(b"deleteall")
        for path, entry in tree.items():
            lines.append(_entry(path, entry))
        self.git("fast-import", "--quiet", "--force", stdin=b"\n".join(lines) + b"\n")
        return self.git("rev-parse", ref).decode().strip()


def source_of(kind: str, location: str | Path, **changes: object) -> Source:
    """A registered source, as the store would return it."""
    facts: dict[str, object] = {
        "id": 1, "key": "s", "collection_id": 1, "collection": "c", "ref": None, "include": (), "exclude": (),
        "generation": 0, "revision": None, "listing_token": None, "recipe": None,
    }
    return Source(kind=kind, location=str(location), **(facts | changes))  # type: ignore[arg-type]


def settings_at(home: Path, **changes: object) -> Settings:
    """Settings of an instance that lives in a test's own directory."""
    return Settings(home=home, **changes)  # type: ignore[arg-type]


def _git(*arguments: str, stdin: bytes = b"") -> bytes:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(["git", *arguments], input=stdin, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout


def _entry(path: bytes, entry: bytes | Link | Submodule) -> bytes:
    name = b'"' + b"".join(b"\\%03o" % byte if byte in b'"\\\n' else bytes((byte,)) for byte in path) + b'"'
    if isinstance(entry, Submodule):
        return b"M 160000 " + entry.commit.encode() + b" " + name
    if isinstance(entry, Link):
        return b"M 120000 inline " + name + b"\n" + _data(entry.target)
    return b"M 100644 inline " + name + b"\n" + _data(entry)


def _data(content: bytes) -> bytes:
    return b"data %d\n%s" % (len(content), content)
