"""Every error Brain raises on purpose: three families, told apart by what the caller should do.

`Refused`    the input will never be accepted as it is; retrying is pointless.
`Transient`  may work later; carries `retry_after_s`.
`Defect`     our bug or a broken invariant; the run stops.

The docstring of a class is its default message: what happened, to what, and what to do. Driver and
parser exceptions are translated once, at the edge of the room that calls them, with `raise ... from`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """The one JSON shape in which every surface renders an error."""

    code: str
    message: str
    subject: str
    retry_after_s: float | None


class BrainError(Exception):
    """Something went wrong in Brain."""

    def __init__(self, message: str = "", *, subject: str = "") -> None:
        self.message = message or " ".join(inspect.cleandoc(type(self).__doc__ or "").split())
        self.subject = subject
        super().__init__(f"{subject}: {self.message}" if subject else self.message)

    @property
    def code(self) -> str:
        """The class name in snake_case, a stable identifier for callers."""
        name = type(self).__name__
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")

    def shape(self) -> ErrorShape:
        """Return the error as every surface renders it."""
        return ErrorShape(self.code, self.message, self.subject, getattr(self, "retry_after_s", None))


class Refused(BrainError):
    """The input will not be accepted as it is; change it before trying again."""


class Transient(BrainError):
    """A system did not answer as it should; the same request may work later."""

    def __init__(self, message: str = "", *, subject: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, subject=subject)
        self.retry_after_s = retry_after_s


class Defect(BrainError):
    """Brain broke one of its own rules; please report this with the run's log."""


class BadUsage(Refused):
    """The command cannot be understood; see --help for its arguments."""


class UnknownSource(Refused):
    """There is no source with this key; `brain source list` shows the keys that exist."""


class UnknownCollection(Refused):
    """There is no collection with this name that you may search; `brain manifest` lists those you may."""


class NotTheOwner(Refused):
    """Only the owner of this collection may do that; ask them, or choose another collection name."""


class DatabaseUnavailable(Transient):
    """The database does not answer; check BRAIN_DATABASE_URL, or run `brain init` for the embedded one."""


class DatabaseUnsuitable(Refused):
    """The database server cannot hold Brain's tables; it needs PostgreSQL 15+ and pgvector 0.8.4+."""


class SchemaOutOfDate(Refused):
    """The database is not at the version this program needs; run `brain init` to migrate it."""


class AlreadyRunning(Transient):
    """Another run is syncing this source; its result will cover this request, so there is nothing to do."""


class Superseded(Transient):
    """A newer run of this source started after this one; this run publishes nothing more."""


class SourceUnavailable(Transient):
    """The source cannot be listed right now; nothing was deleted, the next sync tries again."""


class InvalidEmbedding(Defect):
    """The embedding model returned a vector that is missing, not finite, zero or of the wrong width."""
