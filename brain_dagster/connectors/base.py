"""What every kind of source can do: say what exists, say cheaply whether it moved, hand over bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from brain_dagster.errors import BrainError, Refused, Transient
from brain_dagster.model import ListedItem, Listing


class UnknownKind(Refused):
    """There is no connector of this kind; use `git` for a repository or `folder` for a directory."""


class BadLocation(Refused):
    """This location cannot be a source of this kind; check the path or the address and try again."""


class BadGlob(Refused):
    """This include or exclude pattern cannot be used; patterns are written as in a .gitignore file."""


class TooLarge(Refused):
    """The file is larger than BRAIN_MAX_FILE_BYTES; raise that limit to have it indexed."""


class NotAFile(Refused):
    """Only regular files are read; a link, a submodule or a device is never followed."""


class VanishedItem(Transient):
    """The file was removed or changed while it was being read; the next sync reads it again."""


class Connector(Protocol):
    """One source, opened. Not safe to share between threads; close it when done.

    Memory  a listing is held whole (about 300 bytes an item); contents are handed over one at a time.
    """

    def peek(self) -> str | None:
        """Return the token `list` would carry now, without reading contents; None if that is not cheap.

        Errors  SourceUnavailable when the source cannot be reached.
        """

    def list(self) -> Listing:
        """Return everything the source holds at this moment, ordered by path bytes.

        Errors  SourceUnavailable when nothing can be listed at all. A part that cannot be listed makes
                the listing incomplete and names the problem; it is never silently short (A3).
        """

    def read(self, item: ListedItem, limit: int) -> bytes:
        """Return the bytes of one item, counted as they arrive.

        Errors  TooLarge beyond `limit` bytes; VanishedItem when it is gone or changes meanwhile;
                NotAFile for anything but a file.
        """

    def read_many(
        self, items: Sequence[ListedItem], limit: int
    ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
        """Yield every item with its bytes, or with the error that `read` would raise, in the order given."""

    def close(self) -> None:
        """Give back processes and descriptors; safe to call twice."""
