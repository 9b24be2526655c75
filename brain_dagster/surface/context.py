"""What every command needs first: the settings, the database, and on whose behalf it acts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from brain_dagster.errors import BadUsage, SchemaOutOfDate
from brain_dagster.model import GROUP_MARK, Principal

if TYPE_CHECKING:
    from brain_dagster.settings import Settings
    from brain_dagster.store.pool import Database


def brain_settings() -> Settings:
    """Return the settings of this process.

    Errors  BadUsage, which names the variable that cannot be read.
    """
    from pydantic import ValidationError

    from brain_dagster.settings import settings

    try:
        return settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise BadUsage(f"BRAIN_{name}: {first['msg']}") from error


def acting_user(as_user: str | None) -> str:
    """Return on whose behalf this command acts: --as, else BRAIN_USER, else the login name.

    Decided here and nowhere below: the store and the query module have no default user.
    """
    user = as_user if as_user is not None else brain_settings().user
    if not user.strip():
        raise BadUsage("the user must not be empty; give --as USER or set BRAIN_USER")
    if user.startswith(GROUP_MARK):
        raise BadUsage(f"a user's name must not begin with {GROUP_MARK!r}, which marks groups", subject=user)
    return user


def acting_principal(as_user: str | None, groups: Sequence[str]) -> Principal:
    """Return on whose behalf content is read: the acting user and the groups that --group names.

    BRAIN_GROUPS are the groups of BRAIN_USER: they count only where neither --as nor --group is given, so
    that asking as somebody else never brings one's own rights along.
    """
    named: Sequence[str] = groups
    if not named and as_user is None:
        named = brain_settings().group_names
    bare = [group.strip().removeprefix(GROUP_MARK) for group in named]
    if not all(bare):
        raise BadUsage("the name of a group must not be empty")
    return Principal(acting_user(as_user), tuple(bare))


@contextmanager
def opened_database(*, size: int = 8) -> Iterator[Database]:
    """Give a command Brain's database at the version of this program, and close it afterwards.

    The embedded database belongs to this BRAIN_HOME alone, so it is created and migrated on the way. A
    server that others share is changed by `brain init` only.

    Errors  SchemaOutOfDate and those of `open_database`.
    """
    from brain_dagster.store.migrate import migrate, schema_is_current
    from brain_dagster.store.server import open_database

    settings = brain_settings()
    database = open_database(settings, size=size)
    try:
        try:
            schema_is_current(database)
        except SchemaOutOfDate:
            if settings.database_url is not None:
                raise
            migrate(database.url)
        yield database
    finally:
        database.close()
