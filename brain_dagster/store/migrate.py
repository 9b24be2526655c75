"""Brings a database to the schema of this program: sql/schema.sql when fresh, sql/migrations when old."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psycopg

from brain_dagster.errors import DatabaseUnsuitable, Refused, SchemaOutOfDate
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import SQL_FOLDER, sql
from brain_dagster.store.server import check_versions, plain_connection, read_versions

SCHEMA_FILE = SQL_FOLDER / "schema.sql"


class SchemaTooNew(Refused):
    """The database was migrated by a newer Brain than this one; update this program."""


class SchemaForeign(Refused):
    """The database has a schema `brain` that is not Brain's; choose another database."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its number, its name and its file."""

    version: int
    name: str
    path: Path


def known_migrations() -> tuple[Migration, ...]:
    """Return the migrations this program has, in order; numbers count from 1 without gaps."""
    found = []
    for path in sorted((SQL_FOLDER / "migrations").glob("[0-9]*.sql")):
        number, _, name = path.stem.partition("_")
        found.append(Migration(int(number), name, path))
    return tuple(found)


def migrate(database_url: str) -> list[str]:
    """Create or update Brain's schema, and Dagster's; return the names of what was applied.

    Idempotent, and safe in any number of processes at once. Each migration is one transaction, so a killed
    run leaves the database at a whole version.

    Errors  DatabaseUnsuitable, SchemaTooNew, SchemaForeign, DatabaseUnavailable.
    """
    versions = read_versions(database_url)
    check_versions(versions)
    applied: list[str] = []
    with plain_connection(database_url) as connection:
        try:
            if versions.needs_vector_update:
                connection.execute(sql("migrate.update_vector"))
            while (step := _next_step(connection)) is not None:
                applied.append(step)
            _settle(connection)
        except psycopg.errors.InsufficientPrivilege as error:
            raise DatabaseUnsuitable(
                f"this login may not create what Brain needs ({error.diag.message_primary}); let an "
                "administrator run `CREATE EXTENSION vector` in this database and grant CREATE on it"
            ) from error
    return applied


def _next_step(connection: Connection) -> str | None:
    """Apply the first thing that is missing, in one transaction under the lock; None if nothing is."""
    with connection.transaction():
        connection.execute(sql("migrate.lock_schema"))
        version = _version(connection)
        if version is None:
            connection.execute(SCHEMA_FILE.read_bytes())
            _record(connection, known_migrations())
            return SCHEMA_FILE.stem
        if version == 0:
            # Only schema.sql makes the table, so somebody loaded that file by hand: all is there.
            _record(connection, known_migrations())
            return "schema loaded by hand"
        missing = [step for step in known_migrations() if step.version > version]
        if not missing:
            return None
        connection.execute(missing[0].path.read_bytes())
        _record(connection, missing[:1])
        return missing[0].path.stem


def _settle(connection: Connection) -> None:
    """Do what every `brain init` does again: rights on what there is by now, Dagster's schema."""
    with connection.transaction():
        # Two GRANTs on one table at once end in "tuple concurrently updated".
        connection.execute(sql("migrate.lock_schema"))
        connection.execute(sql("migrate.admit_search_role"))
        connection.execute(sql("migrate.create_dagster_schema"))


def _record(connection: Connection, steps: tuple[Migration, ...] | list[Migration]) -> None:
    for step in steps:
        connection.execute(sql("migrate.record_applied"), {"version": step.version, "name": step.name})


def _version(connection: Connection) -> int | None:
    """Return the last migration in this database; None if it is fresh, 0 if none was recorded.

    Errors  SchemaTooNew, SchemaForeign.
    """
    found = connection.execute(sql("migrate.find_schema")).fetchone()
    assert found is not None
    has_table, has_relations = found
    if not has_table:
        if has_relations:
            raise SchemaForeign()
        return None
    versions = [row[0] for row in connection.execute(sql("migrate.read_applied")).fetchall()]
    newest = known_migrations()[-1].version
    if versions and versions[-1] > newest:
        raise SchemaTooNew(f"{SchemaTooNew().message} (database {versions[-1]}, program {newest})")
    return versions[-1] if versions else 0


def schema_version(database_url: str) -> int | None:
    """Return the last migration in the database; None if Brain was never there."""
    with plain_connection(database_url) as connection:
        return _version(connection)


def schema_is_current(db: Database) -> None:
    """Return if the database is at the version of this program.

    Errors  SchemaOutOfDate, SchemaTooNew, SchemaForeign.
    """
    found = schema_version(db.url)
    newest = known_migrations()[-1].version
    if found is None or found < newest:
        raise SchemaOutOfDate(f"{SchemaOutOfDate().message} (database {found or 'empty'}, program {newest})")
    if read_versions(db.url).needs_vector_update:
        raise SchemaOutOfDate("pgvector in this database is too old; run `brain init` to update it")
