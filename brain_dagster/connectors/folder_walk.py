"""Walks a folder and lists its files by their stat signatures."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass

from brain_dagster.connectors.folder_files import open_directory, open_root, read_small_file, signature
from brain_dagster.connectors.globs import Globs, IgnoreFile, is_ignored
from brain_dagster.model import ItemKind, ListedItem
from brain_dagster.store.clean import printable_path

# Two writes within one tick of the clock leave the same times, and clocks tick as slowly as 2 s (FAT).
# git calls an entry younger than that "racily clean" and does not believe it either.
RACY_WINDOW_NS = 2_000_000_000
_IGNORE_FILE_LIMIT = 1_000_000

# Device and inode of a directory.
Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory, and the .gitignore files that speak about what is in it, outermost first."""

    path: bytes
    ignore_files: tuple[IgnoreFile, ...]


class Walk:
    """One walk over a folder. Ignored directories count once in `excluded`.

    `.git` is never entered, and neither is `skipped_directory`.
    """

    def __init__(self, globs: Globs, skipped_directory: Identity | None) -> None:
        self._globs = globs
        self._skipped = skipped_directory
        self._started_ns = time.time_ns()
        self.items: list[ListedItem] = []
        self.excluded = 0
        self.problems: list[str] = []

    def run(self, root: str) -> None:
        """List everything below the root; items end up ordered by path.

        Errors  SourceUnavailable when the root cannot be opened.
        """
        with open_root(root) as descriptor:
            pending = [_Directory(b"", ())]
            while pending:
                pending.extend(self._list_directory(descriptor, pending.pop()))
        self.items.sort(key=lambda item: item.path)

    def _list_directory(self, root: int, directory: _Directory) -> list[_Directory]:
        """List one directory and return the directories in it; what goes wrong is named (A3)."""
        below: list[_Directory] = []
        try:
            with open_directory(root, directory.path) as descriptor, os.scandir(descriptor) as entries:
                here = _with_ignore_file(directory, descriptor)
                for entry in entries:
                    self._list_entry(entry, here, below)
        except OSError as error:
            shown = printable_path(directory.path) or "."
            self.problems.append(f"the directory {shown} cannot be listed: {error.strerror}")
        return below

    def _list_entry(self, entry: os.DirEntry[str], parent: _Directory, below: list[_Directory]) -> None:
        name = os.fsencode(entry.name)
        if name == b".git":
            return
        path = parent.path + b"/" + name if parent.path else name
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # removed since the directory was read: it does not exist any more
        is_directory = stat.S_ISDIR(status.st_mode)
        if not self._is_chosen(path, status) or is_ignored(
            path, is_directory=is_directory, files=parent.ignore_files
        ):
            self.excluded += 1
        elif is_directory:
            below.append(_Directory(path, parent.ignore_files))
        else:
            self.items.append(_listed(path, status, self._started_ns))

    def _is_chosen(self, path: bytes, status: os.stat_result) -> bool:
        if stat.S_ISDIR(status.st_mode):
            return (status.st_dev, status.st_ino) != self._skipped and not self._globs.prunes(path)
        return self._globs.accepts(path)


def _with_ignore_file(directory: _Directory, descriptor: int) -> _Directory:
    content = read_small_file(descriptor, ".gitignore", _IGNORE_FILE_LIMIT)
    if content is None:
        return directory
    return _Directory(directory.path, (*directory.ignore_files, IgnoreFile(directory.path, content)))


def _listed(path: bytes, status: os.stat_result, now_ns: int) -> ListedItem:
    token = f"stat:{signature(status)}"
    if _is_racy(status, now_ns):
        token = f"racy:{now_ns}:{signature(status)}"  # holds the moment, so it equals no other listing's
    return ListedItem(path, _kind(status.st_mode), token, None, status.st_size)


def _is_racy(status: os.stat_result, now_ns: int) -> bool:
    """Say whether a write after this listing could leave the same signature.

    The change time cannot be set by hand, so an ancient or future modification time does not make a
    file suspicious for ever; a change time ahead of the clock does, until the clock has passed it.
    """
    is_young = status.st_ctime_ns > now_ns - RACY_WINDOW_NS
    return is_young or abs(status.st_mtime_ns - now_ns) < RACY_WINDOW_NS


def _kind(mode: int) -> ItemKind:
    if stat.S_ISREG(mode):
        return ItemKind.FILE
    return ItemKind.SYMLINK if stat.S_ISLNK(mode) else ItemKind.SPECIAL
