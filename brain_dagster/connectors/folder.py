"""A folder of files as a source: listed by stat signatures, identified by sha-256, no link followed.

A file is read only when its signature moved; whether its bytes did is then for its hash to say. Nothing
in a folder says that it holds still: a file younger than the clock can tell apart never counts as
unchanged, and one that moves while it is read is left to the next sync.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from brain_dagster.connectors.base import BadLocation
from brain_dagster.connectors.folder_files import open_root, read_file
from brain_dagster.connectors.folder_walk import Identity, Walk
from brain_dagster.connectors.globs import Globs
from brain_dagster.errors import BrainError
from brain_dagster.model import ListedItem, Listing, Source
from brain_dagster.settings import Settings


class FolderConnector:
    """Lists and reads one directory tree; see `Connector` for the contract."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self._root = source.location
        self._globs = Globs(source.include, source.exclude)
        # Brain's own database below a folder source would change with every sync it causes.
        self._home = _identity_of(settings.home_path)

    def peek(self) -> str | None:
        """Return the listing's token: costs a listing, which reads nothing but .gitignore files."""
        return self.list().token

    def list(self) -> Listing:
        """Return every file below the root; a directory that cannot be opened makes it incomplete (A3)."""
        walk = Walk(self._globs, self._home)
        walk.run(self._root)
        digest = self._digest(walk)
        return Listing(
            revision=f"tree:{digest[:12]}",
            token=f"{'incomplete' if walk.problems else 'folder'}:{digest}",
            is_complete=not walk.problems,
            items=tuple(walk.items),
            excluded=walk.excluded,
            problems=tuple(walk.problems),
        )

    def read(self, item: ListedItem, limit: int) -> bytes:
        """Return the bytes of one file."""
        with open_root(self._root) as root:
            return read_file(root, item, limit)

    def read_many(
        self, items: Sequence[ListedItem], limit: int
    ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
        """Yield contents in the order given."""
        with open_root(self._root) as root:
            for item in items:
                try:
                    yield item, read_file(root, item, limit)
                except BrainError as error:
                    yield item, error

    def close(self) -> None:
        """Do nothing; descriptors are closed as soon as they are used."""

    def _digest(self, walk: Walk) -> str:
        digest = hashlib.sha256(f"folder {self._globs.digest}\n".encode())
        for item in walk.items:
            digest.update(item.path + b"\0" + item.token.encode("ascii") + b"\0")
        return digest.hexdigest()


def validate_location(location: str, ref: str | None) -> str:
    """Return the folder's absolute path.

    Errors  BadLocation.
    """
    if ref is not None:
        raise BadLocation("a folder has no branches, so --ref means nothing; use --kind git", subject=ref)
    if "://" in location:
        raise BadLocation("this is an address, not a folder; use --kind git", subject=location)
    path = Path(location).expanduser().absolute()
    if not path.is_dir():
        raise BadLocation("there is no such directory", subject=str(path))
    if not os.access(path, os.R_OK | os.X_OK):
        raise BadLocation("this directory may not be read by the user who runs Brain", subject=str(path))
    return str(path)


def _identity_of(path: Path) -> Identity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
