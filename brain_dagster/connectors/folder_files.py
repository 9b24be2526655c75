"""Opens files and directories below a root without ever following a link (E5)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from brain_dagster.connectors.base import NotAFile, TooLarge, VanishedItem
from brain_dagster.errors import SourceUnavailable
from brain_dagster.model import ItemKind, ListedItem

_PIECE = 1 << 20
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe that took a file's place would wait for a writer for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def open_root(root: str) -> Iterator[int]:
    """Open the root; the one place where a link is followed, because the owner of the source chose it.

    Errors  SourceUnavailable.
    """
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise SourceUnavailable(f"the folder cannot be opened: {error.strerror}", subject=root) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_directory(root: int, path: bytes) -> Iterator[int]:
    """Open a directory below the root, one name at a time, so that no part of the path is a link.

    Errors  OSError when a part is missing, may not be entered, or became a link.
    """
    descriptor = os.dup(root)
    try:
        for name in path.split(b"/") if path else ():
            below = os.open(name, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def signature(status: os.stat_result) -> str:
    """Return what moves when a file's bytes may have moved: size, both times, inode.

    The device is left out: its number changes with every mount of some network file systems.
    """
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_ino}"


def read_small_file(directory: int, name: str, limit: int) -> bytes | None:
    """Return a plain file of at most `limit` bytes; None when it is absent, a link, or anything else.

    Errors  OSError when it is there but cannot be read.
    """
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        return None
    with os.fdopen(os.open(name, _FILE, dir_fd=directory), "rb") as file:
        return file.read(limit)


def read_file(root: int, item: ListedItem, limit: int) -> bytes:
    """Return the bytes of one listed file.

    Errors  NotAFile, TooLarge, VanishedItem.
    """
    if item.kind is not ItemKind.FILE:
        raise NotAFile(subject=item.kind)
    directory, _, name = item.path.rpartition(b"/")
    try:
        with open_directory(root, directory) as parent:
            checked = os.stat(name, dir_fd=parent, follow_symlinks=False)
            descriptor = os.open(name, _FILE, dir_fd=parent)
            with os.fdopen(descriptor, "rb", buffering=0):
                _check_identity(os.fstat(descriptor), checked, item)
                return _read_open_file(descriptor, limit)
    except OSError as error:
        raise VanishedItem(f"it cannot be read: {error.strerror}; the next sync tries again") from error


def _check_identity(opened: os.stat_result, checked: os.stat_result, item: ListedItem) -> None:
    """Require the opened file to be the one checked a moment ago and the one listed before that.

    It may be newer than the listing: the token of that listing then no longer matches, and the next
    sync reads it again.
    """
    is_checked = (opened.st_dev, opened.st_ino) == (checked.st_dev, checked.st_ino)
    is_listed = str(opened.st_ino) == item.token.rpartition("-")[2]
    if not (is_checked and is_listed and stat.S_ISREG(opened.st_mode)):
        raise VanishedItem("another file took its place after it was listed; the next sync reads that one")


def _read_open_file(descriptor: int, limit: int) -> bytes:
    """Read to the end, never past `limit`; a file that moves meanwhile is refused, not stored torn."""
    before = os.fstat(descriptor)
    if before.st_size > limit:
        raise TooLarge()
    content = bytearray()
    while piece := os.read(descriptor, min(_PIECE, limit + 1 - len(content))):
        content += piece
        if len(content) > limit:
            raise TooLarge()
    if signature(os.fstat(descriptor)) != signature(before):
        raise VanishedItem()
    return bytes(content)
