"""Sources: list what exists, say what changed, hand over bytes. One file per kind of source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from brain_dagster.connectors import folder, git
from brain_dagster.connectors.base import Connector, UnknownKind
from brain_dagster.connectors.globs import Globs
from brain_dagster.model import Source
from brain_dagster.settings import Settings

__all__ = ["Connector", "open_connector", "validate_globs", "validate_location"]


class _Kind(NamedTuple):
    open: Callable[[Source, Settings], Connector]
    validate: Callable[[str, str | None], str]


_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "folder": _Kind(folder.FolderConnector, folder.validate_location),
        "git": _Kind(git.open_git, git.validate_location),
    }
)


def open_connector(source: Source, settings: Settings) -> Connector:
    """Return the connector of a registered source; nothing is contacted until it is used.

    Errors  UnknownKind; BadGlob when its patterns cannot be compiled.
    """
    return _kind(source.kind).open(source, settings)


def validate_location(kind: str, location: str, ref: str | None) -> str:
    """Return the location in the form to store: local paths become absolute, addresses stay.

    Only what this machine knows is checked; a remote address is not contacted.

    Errors  UnknownKind or BadLocation, with a message that says what to do.
    """
    return _kind(kind).validate(location, ref)


def validate_globs(include: tuple[str, ...], exclude: tuple[str, ...]) -> None:
    """Check the patterns of a source before it is stored.

    Errors  BadGlob names the pattern that cannot be used.
    """
    Globs(include, exclude)


def _kind(name: str) -> _Kind:
    try:
        return _KINDS[name]
    except KeyError:
        known = ", ".join(sorted(_KINDS))
        raise UnknownKind(
            f"there is no connector of this kind; the kinds are: {known}", subject=name
        ) from None
