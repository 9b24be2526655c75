"""`brain doctor`: every invariant, every version."""

from __future__ import annotations

from dataclasses import asdict

import click

from brain_dagster.store.doctor import Diagnosis, diagnose, invariant_names
from brain_dagster.surface.cli.options import json_option
from brain_dagster.surface.context import opened_database
from brain_dagster.surface.render import print_json, print_table, say

_ROLE_WORDS = {
    "missing": "the role brain_search is missing, so searches run with all rights of this login; let an "
    "administrator run `CREATE ROLE brain_search NOLOGIN` and grant it to this login, then run `brain init`",
    "not-granted": "this login may not take on the role brain_search, so searches run with all its rights; "
    "let an administrator grant the role to it",
    "too-wide": "the role brain_search may do more than search; `brain init` takes back the rights on tables "
    "that it was given by name, an administrator has to see to the rest",
}


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check every invariant of the store and say what it runs on; exits 1 if a rule is broken."""
    with opened_database() as database:
        found = diagnose(database)
    if as_json:
        print_json(
            {
                "healthy": found.is_healthy,
                "checked": invariant_names(),
                "violations": found.violations,
                "versions": found.versions,
                "search_role": found.search_role,
                "too_wide": found.too_wide,
            }
        )
    else:
        _print(found)
    if found.search_role in _ROLE_WORDS:
        say(_ROLE_WORDS[found.search_role])
    for words in found.too_wide:
        say(f"  brain_search {words}")
    say(_verdict(found))
    return 0 if found.is_healthy else 1


def _print(found: Diagnosis) -> None:
    if found.violations:
        rows = [(v.invariant, v.subject, v.words) for v in found.violations]
        print_table(("invariant", "subject", "what is wrong"), rows, title="Violations")
    versions = [(name.replace("_", " "), str(value)) for name, value in asdict(found.versions).items()]
    print_table(("what", "version"), [*versions, ("search role", found.search_role)], title="Versions")


def _verdict(found: Diagnosis) -> str:
    if found.is_healthy:
        return f"all {len(invariant_names())} invariants hold"
    broken = {violation.invariant for violation in found.violations}
    return f"{len(broken)} of {len(invariant_names())} invariants are broken"
