"""The registry of sources: which there are, whose they are, and what happens when one goes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from brain_dagster.errors import AlreadyRunning, NotTheOwner, Refused, UnknownSource
from brain_dagster.model import Principal, Source
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql
from brain_dagster.store.scope import granted_name, readers_of

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BadSourceKey(Refused):
    """A source's key holds 1 to 100 of `a-z 0-9 . _ -`, starts with a letter or digit and has no `..`."""


class BadCollectionName(Refused):
    """A collection's name holds 1 to 100 of `A-Z a-z 0-9 . _ -` and starts with a letter or digit."""


class SourceExists(Refused):
    """A source with this key has other settings; `--replace` changes them, another key adds a source."""


class SecretInLocation(Refused):
    """The location holds a password that all who see the source could read; use git's credential store."""


class SourceBusy(AlreadyRunning):
    """A sync of this source is running; wait for it, or stop it, before removing the source."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """What somebody asks a source to be; equal settings are the same request."""

    kind: str
    location: str
    ref: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """What went with a source."""

    key: str
    documents: int
    chunks: int


def list_sources(db: Database) -> tuple[Source, ...]:
    """Return every source, by key."""
    return tuple(_source(row) for row in db.all(sql("sources.list_sources")))


def get_source(db: Database, key: str) -> Source:
    """Return one source.

    Errors  UnknownSource.
    """
    with db.transaction() as connection:
        return _get(connection, key)


def _get(connection: Connection, key: str) -> Source:
    row = connection.execute(sql("sources.get_source"), {"key": key}).fetchone()
    if row is None:
        raise UnknownSource(subject=key)
    return _source(row)


def _source(row: tuple[Any, ...]) -> Source:
    (id_, key, collection_id, collection, kind, location, ref, include, exclude, *rest) = row
    return Source(
        id_, key, collection_id, collection, kind, location, ref, tuple(include), tuple(exclude), *rest
    )


def add_source(
    db: Database,
    *,
    key: str,
    kind: str,
    location: str,
    collection: str,
    added_by: str,
    ref: str | None = None,
    description: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    readers: Sequence[str] = (),
    replace: bool = False,
) -> Source:
    """Register a source, and its collection if that is new; the same request twice is one.

    Who adds the first source owns the collection and may read it; only the owner may add more. `readers`
    and a non-empty `description` are applied to the collection in any case. `replace` changes the settings
    of a source that exists; the next sync then lists it anew.

    Errors  BadSourceKey, BadCollectionName, BadName, NotAUser, SecretInLocation, NotTheOwner, SourceExists.
    """
    readers_of(Principal(granted_name(added_by)))
    check_key(key)
    _check_collection_name(collection)
    _check_location(location)
    settings = SourceSettings(kind, location, ref, tuple(include), tuple(exclude))
    with db.transaction() as connection:
        collection_id = _own_collection(connection, collection, added_by, description)
        for reader in readers:
            _add_reader(connection, collection_id, reader, added_by)
        _register(connection, key, settings, collection_id, added_by, replace=replace)
        return _get(connection, key)


def _own_collection(connection: Connection, name: str, user: str, description: str) -> int:
    """Return the id of a collection of `user`, made now if need be."""
    created = connection.execute(
        sql("sources.create_collection"), {"name": name, "owner": user, "description": description}
    ).fetchone()
    if created is not None:
        _add_reader(connection, created[0], user, user)
        return int(created[0])
    found = connection.execute(sql("sources.lock_collection"), {"name": name}).fetchone()
    if found is None or found[1] != user:
        raise NotTheOwner(subject=name)
    if description:
        connection.execute(
            sql("sources.describe_collection"), {"collection_id": found[0], "description": description}
        )
    return int(found[0])


def _add_reader(connection: Connection, collection_id: int, reader: str, granted_by: str) -> None:
    connection.execute(
        sql("sources.add_reader"),
        {"collection_id": collection_id, "reader": granted_name(reader), "granted_by": granted_by},
    )


def _register(
    connection: Connection, key: str, wanted: SourceSettings, collection_id: int, user: str, *, replace: bool
) -> None:
    parameters = {
        "kind": wanted.kind,
        "location": wanted.location,
        "ref": wanted.ref,
        "include": list(wanted.include),
        "exclude": list(wanted.exclude),
    }
    added = {"key": key, "collection_id": collection_id, "added_by": user}
    if connection.execute(sql("sources.insert_source"), parameters | added).fetchone() is not None:
        return
    existing = _get(connection, key)
    if existing.collection_id != collection_id:
        # Chunks carry the collection they may be read through: a source does not move, it is indexed anew.
        raise SourceExists(
            "this key is taken by a source of another collection; choose another key, or let its owner "
            "remove it first",
            subject=key,
        )
    if settings_of(existing) == wanted:
        return
    if not replace:
        raise SourceExists(subject=key)
    connection.execute(sql("sources.replace_settings"), parameters | {"id": existing.id})


def settings_of(source: Source) -> SourceSettings:
    """Return the settings a source was given."""
    return SourceSettings(source.kind, source.location, source.ref, source.include, source.exclude)


def remove_source(db: Database, *, key: str, user: str) -> Removed:
    """Delete a source and all that was made from it, in one transaction; its collection stays.

    Errors  UnknownSource, NotTheOwner, SourceBusy.
    """
    with db.transaction() as connection:
        source = _get(connection, key)
        found = connection.execute(sql("sources.lock_collection"), {"name": source.collection}).fetchone()
        if found is None or found[1] != user:
            raise NotTheOwner(subject=source.collection)
        locked = connection.execute(sql("sources.lock_for_removal"), {"id": source.id}).fetchone()
        if locked != (True,):
            raise SourceBusy(subject=key)
        counts = connection.execute(sql("sources.count_contents"), {"id": source.id}).fetchone()
        assert counts is not None
        connection.execute(sql("sources.delete_source"), {"id": source.id})
    return Removed(key, *counts)


def check_key(key: str) -> None:
    """Refuse a key that could not be a partition, and propose one that could.

    Errors  BadSourceKey.
    """
    if _KEY.fullmatch(key) and ".." not in key:
        return
    proposal = propose_key(key)
    raise BadSourceKey(f"{BadSourceKey().message} Try `{proposal}`.", subject=key)


def propose_key(text: str) -> str:
    """Return the valid key nearest to `text`, such as a name, a path or a URL."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    without_scheme = re.sub(r"^[a-z]+://", "", ascii_text).removesuffix(".git")
    dashed = re.sub(r"[^a-z0-9._-]+", "-", without_scheme)
    single = re.sub(r"\.{2,}", ".", dashed).strip("._-")
    return single[:100].rstrip("._-") or "source"


def _check_collection_name(name: str) -> None:
    if not _COLLECTION.fullmatch(name):
        raise BadCollectionName(subject=name)


def _check_location(location: str) -> None:
    if not location:
        raise Refused("a source needs a location: a path or a URL")
    try:
        secret = urlsplit(location).password
    except ValueError:
        return  # no URL: a path with brackets, say
    if secret:
        raise SecretInLocation()
