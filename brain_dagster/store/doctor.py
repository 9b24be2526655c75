"""What must hold whatever happened: the invariants of sql/queries/invariants.sql, and the versions below."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from brain_dagster.store.migrate import known_migrations, schema_version
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import SQL_FOLDER, parse_queries, sql
from brain_dagster.store.server import read_versions
from brain_dagster.store.status import snapshot


@dataclass(frozen=True, slots=True)
class Violation:
    """One row that breaks a rule."""

    invariant: str
    subject: str
    words: str


@dataclass(frozen=True, slots=True)
class Versions:
    """What this Brain runs on; schema_needed differs from schema where `brain init` is due."""

    brain: str
    python: str
    dagster: str
    postgresql: str
    pgvector: str
    schema: int
    schema_needed: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `brain doctor` found.

    search_role  usable | missing | not-granted | too-wide: whether searches run under the role that cannot
                 write and reads the named collections only (D6, I3)
    too_wide     what that role may do beyond that, in words; empty unless it is too-wide
    """

    violations: tuple[Violation, ...]
    versions: Versions
    search_role: str
    too_wide: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether every invariant holds."""
        return not self.violations


def invariant_names() -> tuple[str, ...]:
    """Return the names of all invariants, in the order of the file."""
    text = (SQL_FOLDER / "queries" / "invariants.sql").read_text(encoding="utf-8")
    return tuple(parse_queries(text, "invariants"))


def check_invariants(db: Database) -> tuple[Violation, ...]:
    """Run every invariant on one snapshot; return all violations, empty when all is well."""
    with snapshot(db) as connection:
        return tuple(violation for name in invariant_names() for violation in _check(connection, name))


def _check(connection: Connection, name: str) -> list[Violation]:
    query = sql(f"invariants.{name}")
    rows = connection.execute(query).fetchall()
    return [Violation(name, subject or "?", words) for subject, words in rows]


def diagnose(db: Database) -> Diagnosis:
    """Check the invariants and collect the versions."""
    too_wide = tuple(words for (words,) in db.all(sql("migrate.find_wide_rights")))
    role = _search_role(db)
    return Diagnosis(
        check_invariants(db),
        read_all_versions(db),
        "too-wide" if role == "usable" and too_wide else role,
        too_wide if role == "usable" else (),
    )


def read_all_versions(db: Database) -> Versions:
    """Return the versions of this program and of what it stands on."""
    server = read_versions(db.url)
    return Versions(
        brain=_package("brain-dagster"),
        python=platform.python_version(),
        dagster=_package("dagster"),
        postgresql=f"{server.postgresql // 10_000}.{server.postgresql % 10_000}",
        pgvector=server.vector_installed or "missing",
        schema=schema_version(db.url) or 0,
        schema_needed=known_migrations()[-1].version,
    )


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _search_role(db: Database) -> str:
    exists, may_take_it = db.one(sql("migrate.find_search_role")) or (False, False)
    if not exists:
        return "missing"
    return "usable" if may_take_it else "not-granted"
