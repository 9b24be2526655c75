"""What every command needs first: the settings, the database, and on whose behalf it acts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from brain_dagster.errors import BadUsage, SchemaOutOfDate

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
    return user


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
