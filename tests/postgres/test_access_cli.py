"""`brain collection` and the groups of the command line: who may do what, as the terminal sees it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from brain_dagster.errors import BadUsage
from brain_dagster.model import Principal
from brain_dagster.settings import settings
from brain_dagster.store.doctor import diagnose
from brain_dagster.store.pool import Database
from brain_dagster.surface.context import acting_principal
from tests.support.seed import add_collection, add_document, add_source

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def brain(brain: Run, db: Database) -> Run:
    """The command line; alice owns `handbook`, which nobody else reads."""
    add_document(db, add_source(db, "wiki", add_collection(db, "handbook")), "a.md", ["zebrafish"])
    return brain


def sources_of(run: Run, *who: str) -> dict[str, list[str]]:
    """What each surface shows to somebody, by name of the surface."""
    _, found, _ = run("search", "zebrafish", "--mode", "lexical", "--json", *who)
    _, listed, _ = run("manifest", "--json", *who)
    code, mapped, _ = run("map", "wiki", "--json", *who)
    _, seen, _ = run("collection", "list", "--json", *who)
    return {
        "search": [excerpt["source"] for excerpt in json.loads(found)["excerpts"]],
        "manifest": [entry["collection"] for entry in json.loads(listed)["collections"]],
        "map": [] if code else [json.loads(mapped)["source"]],
        "collection": [entry["name"] for entry in json.loads(seen)],
    }


ALL = {"search": ["wiki"], "manifest": ["handbook"], "map": ["wiki"], "collection": ["handbook"]}
NOTHING: dict[str, list[str]] = {"search": [], "manifest": [], "map": [], "collection": []}


def test_i3_group_opens_every_surface_to_its_members_and_to_no_user_of_its_name(brain: Run) -> None:
    code, out, _ = brain("collection", "grant", "handbook", "eng", "--group", "--json")
    assert (code, json.loads(out)) == (0, {"collection": "handbook", "changed": True})
    assert sources_of(brain, "--as", "bob", "--group", "eng") == ALL
    assert sources_of(brain, "--as", "bob", "--group", "sales", "--group", "eng") == ALL
    assert sources_of(brain, "--as", "bob") == NOTHING
    assert sources_of(brain, "--as", "eng") == NOTHING
    brain("collection", "revoke", "handbook", "group:eng")
    assert sources_of(brain, "--as", "bob", "--group", "eng") == NOTHING


@pytest.mark.parametrize("arguments", [("group:eng",), ("eng", "--group"), ("group:eng", "--group")])
def test_every_way_to_name_a_group_names_the_same(brain: Run, arguments: tuple[str, ...]) -> None:
    brain("collection", "grant", "handbook", *arguments)
    _, out, _ = brain("collection", "show", "handbook", "--json")
    assert json.loads(out)["readers"] == ["alice", "group:eng"]


@pytest.mark.parametrize("command", ["search", "manifest", "collection"])
def test_i3_nobody_acts_as_a_group(brain: Run, command: str) -> None:
    arguments = {"search": ("search", "x"), "manifest": ("manifest",), "collection": ("collection", "list")}
    code, out, err = brain(*arguments[command], "--as", "group:eng")
    assert (code, out) == (2, "")
    assert "must not begin with" in err


def test_groups_of_the_environment_are_those_of_its_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_USER", "ann")
    monkeypatch.setenv("BRAIN_GROUPS", " eng, group:ops,,")
    settings.cache_clear()
    try:
        assert acting_principal(None, ()) == Principal("ann", ("eng", "ops"))
        assert acting_principal(None, ("sales",)) == Principal("ann", ("sales",))
        assert acting_principal("bob", ()) == Principal("bob")
        assert acting_principal("ann", ("sales", "hr")) == Principal("ann", ("sales", "hr"))
        with pytest.raises(BadUsage):
            acting_principal(None, ("group:",))
    finally:
        settings.cache_clear()


def test_owner_sets_mode_and_inline_limit_and_a_reader_does_not(brain: Run) -> None:
    assert brain("collection", "mode", "handbook", "lexical")[0] == 0
    assert brain("collection", "inline", "handbook", "1200")[0] == 0
    _, out, _ = brain("collection", "inline", "handbook", "1200", "--json")
    assert json.loads(out) == {"collection": "handbook", "changed": False}
    _, out, _ = brain("collection", "show", "handbook", "--json")
    shown = json.loads(out)
    assert (shown["default_mode"], shown["inline_token_limit"]) == ("lexical", 1200)
    brain("collection", "grant", "handbook", "bob")
    for change in (("mode", "handbook", "dense"), ("inline", "handbook", "0")):
        assert "owner" in brain("collection", *change, "--as", "bob")[2]
        assert "no collection" in brain("collection", *change, "--as", "eve")[2]
    assert brain("collection", "mode", "handbook", "auto")[0] == 2


def test_d6_doctor_says_what_the_search_role_may_do_too_much(db: Database) -> None:
    assert (diagnose(db).search_role, diagnose(db).too_wide) == ("usable", ())
    db.run("GRANT INSERT ON brain.chunk TO brain_search")
    db.run("GRANT SELECT ON brain.eval_case TO brain_search")
    db.run("ALTER TABLE brain.document DISABLE ROW LEVEL SECURITY")
    found = diagnose(db)
    assert found.search_role == "too-wide"
    assert found.too_wide == (
        "may write brain.chunk",
        "reads every row of brain.document",
        "reads every row of brain.eval_case",
    )
