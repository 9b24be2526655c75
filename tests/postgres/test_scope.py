"""Who may search what, where: the same answer for search and manifest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, LiteralString

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from brain_dagster.errors import UnknownCollection, UnknownSource
from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.query import manifest, rank_chunks, search, why
from brain_dagster.query.why import UnknownChunk
from brain_dagster.store.codemap import code_map_of
from brain_dagster.store.pool import Connection, Database
from brain_dagster.store.queries import sql
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import NotAUser, readable_collections
from brain_dagster.store.why import Target
from tests.support.seed import add_collection, add_document, add_source, add_space, add_unready_document

COLLECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "open": {"readers": ("alice", "bob", "group:staff"), "places": ("#general", "#board")},
    "board": {"readers": ("alice",), "places": ("#board",)},
    "silent": {"readers": ("alice", "group:staff", "crew"), "places": ()},
    "nobody": {"readers": (), "places": ("#general",)},
}
ALICE, BOB, STAFF, STRANGER = (
    Principal("alice"),
    Principal("bob"),
    Principal("carol", ("staff",)),
    Principal("mallory"),
)
MATRIX = [
    (ALICE, None, {"open", "board", "silent"}),
    (ALICE, "#general", {"open"}),
    (ALICE, "#board", {"open", "board"}),
    (ALICE, "#unknown", set()),
    (ALICE, "", set()),
    (BOB, None, {"open"}),
    (BOB, "#board", {"open"}),
    (STAFF, None, {"open", "silent"}),
    (STAFF, "#general", {"open"}),
    (STRANGER, None, set()),
    (STRANGER, "#general", set()),
    # A user who is called like a group is not one of it, and a group that is called like a user not them.
    (Principal("staff"), None, set()),
    (Principal("mallory", ("alice",)), None, set()),
    (Principal("mallory", ("group:staff",)), None, set()),
    (Principal("crew"), None, {"silent"}),
    (Principal("mallory", ("crew",)), None, set()),
    (Principal("bob", ("staff", "staff", "")), None, {"open", "silent"}),
    (Principal("mallory", ("%", "sta\x00ff", "staff")), "#general", {"open"}),
    (Principal("ALICE"), None, set()),
    (Principal(""), None, set()),
    (Principal("ali\x00ce"), None, set()),
    (Principal("%"), None, set()),
]


@pytest.fixture
def filled(db: Database) -> Database:
    """Four collections with different readers and places, one document each, all with the same word."""
    for name, access in COLLECTIONS.items():
        collection = add_collection(db, name, readers=access["readers"], places=access["places"])
        source = add_source(db, f"{name}-files", collection)
        add_document(db, source, f"{name}.md", [f"the nonce zebrafish in {name}"])
    return db


@pytest.mark.parametrize(("principal", "place", "expected"), MATRIX)
def test_i3_search_and_manifest_show_exactly_what_may_be_read(
    filled: Database, principal: Principal, place: str | None, expected: set[str]
) -> None:
    found = search(filled, None, principal, "zebrafish", place=place, mode=Mode.LEXICAL)
    assert {excerpt.collection for excerpt in found.excerpts} == expected
    listed = manifest(filled, principal, place)
    assert {entry.name for entry in listed.collections} == expected
    assert {file for entry in listed.collections for file in entry.contents.files} == {
        (f"{name}-files", f"{name}.md") for name in expected
    }
    for name in COLLECTIONS:
        if name in expected:
            only = search(
                filled, None, principal, "zebrafish", collections=[name], place=place, mode=Mode.LEXICAL
            )
            assert [excerpt.path for excerpt in only.excerpts] == [f"{name}.md"]
        else:
            with pytest.raises(UnknownCollection):
                search(filled, None, principal, "zebrafish", collections=[name], place=place)


@pytest.mark.parametrize(
    ("principal", "expected"), [(p, names) for p, place, names in MATRIX if place is None]
)
def test_i3_code_map_and_why_follow_the_same_rule(
    filled: Database, principal: Principal, expected: set[str]
) -> None:
    for name in COLLECTIONS:
        target = Target(source=f"{name}-files", path=f"{name}.md")
        if name in expected:
            assert code_map_of(filled, principal, f"{name}-files").source == f"{name}-files"
            found = why(filled, None, principal, "zebrafish", target, mode=Mode.LEXICAL)
            assert found.chunk.path == f"{name}.md"
        else:
            with pytest.raises(UnknownSource):
                code_map_of(filled, principal, f"{name}-files")
            with pytest.raises(UnknownChunk):
                why(filled, None, principal, "zebrafish", target, mode=Mode.LEXICAL)


def test_i3_a_user_may_not_take_a_name_that_marks_a_group(filled: Database) -> None:
    impostor = Principal("group:staff")
    with pytest.raises(NotAUser):
        search(filled, None, impostor, "zebrafish", mode=Mode.LEXICAL)
    with pytest.raises(NotAUser):
        manifest(filled, impostor)
    with pytest.raises(NotAUser):
        code_map_of(filled, impostor, "open-files")


def test_i3_the_rule_in_the_database_refuses_the_name_as_well(filled: Database) -> None:
    """Whoever calls the function without the program's check gains nothing by it."""
    ask = "SELECT name FROM brain.readable_collections(%s, %s, NULL)"
    assert filled.all(ask, ("group:staff", [])) == []
    assert sorted(filled.all(ask, ("mallory", ["staff"]))) == [("open",), ("silent",)]


def test_i3_a_forbidden_collection_looks_like_an_unknown_one(filled: Database) -> None:
    shapes = []
    for name in ("board", "no-such-name"):
        with pytest.raises(UnknownCollection) as caught:
            rank_chunks(filled, None, BOB, "zebrafish", collections=["open", name])
        shape = caught.value.shape()
        shapes.append((shape.code, shape.message))
        assert shape.subject == name
    assert shapes[0] == shapes[1]


def test_i3_a_forbidden_collection_takes_the_steps_that_an_unknown_one_takes(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time it takes must not tell them apart either."""
    steps: list[object] = []
    execute = psycopg.Connection.execute

    def noted(self: Connection, query: Any, *arguments: Any) -> Any:
        if query != "RESET ALL":  # the pool's, which may come a moment later
            steps.append(query)
        return execute(self, query, *arguments)

    monkeypatch.setattr(psycopg.Connection, "execute", noted)
    taken = []
    for name in ("board", "no-such-name"):
        with pytest.raises(UnknownCollection):
            search(filled, None, BOB, "zebrafish", collections=["open", name], mode=Mode.LEXICAL)
        taken.append(tuple(steps))
        steps.clear()
    assert sql("scope.readable_collections") in taken[0]
    assert taken[0] == taken[1]


def test_every_readable_collection_says_why(filled: Database) -> None:
    with reading(filled) as connection:
        private = readable_collections(connection, Principal("carol", ("staff",)), None)
        public = readable_collections(connection, ALICE, "#board")
    assert {c.name: c.reason for c in private} == {
        "open": "reader group:staff, in private",
        "silent": "reader group:staff, in private",
    }
    assert public[0].reason == "reader alice, spoken in #board"


def test_i3_a_revoked_reader_finds_nothing_in_the_next_call(filled: Database) -> None:
    assert search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts
    filled.run("DELETE FROM brain.collection_reader WHERE reader = 'bob'")
    assert search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts == ()
    assert manifest(filled, BOB).collections == ()


@dataclass
class RevokingEmbedder:
    """While it embeds the question, somebody takes a right back."""

    space: EmbeddingSpace
    revoke: Callable[[], object]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Revoke, then answer as if nothing had happened."""
        self.revoke()
        return np.array((1, 0, 0, 0), dtype=np.float32)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM brain.collection_reader WHERE reader = 'bob'",
        "DELETE FROM brain.collection_place WHERE place = '#general'",
    ],
)
def test_i3_a_right_taken_back_while_the_question_is_embedded_is_gone(
    filled: Database, statement: LiteralString
) -> None:
    embedder = RevokingEmbedder(add_space(filled), lambda: filled.run(statement))
    found = search(filled, embedder, BOB, "zebrafish", place="#general", mode=Mode.HYBRID)
    assert found.excerpts == ()
    assert found.trace.scope == ()


def test_i3_a_collection_named_and_closed_while_the_question_is_embedded_is_unknown(filled: Database) -> None:
    embedder = RevokingEmbedder(add_space(filled), lambda: filled.run("DELETE FROM brain.collection_reader"))
    with pytest.raises(UnknownCollection):
        search(filled, embedder, BOB, "zebrafish", collections=["open"], mode=Mode.HYBRID)


USERS, GROUPS, PLACES = ("alice", "bob", "staff"), ("staff", "bob"), ("#general", "")
READERS = (*USERS, *(f"group:{name}" for name in GROUPS))
ACCESS = st.fixed_dictionaries(
    {
        name: st.tuples(st.sets(st.sampled_from(READERS)), st.sets(st.just("#general")))
        for name in ("one", "two", "three")
    }
)


@given(
    access=ACCESS,
    principal=st.builds(
        Principal, st.sampled_from(USERS), st.lists(st.sampled_from(GROUPS), max_size=2).map(tuple)
    ),
    place=st.sampled_from((None, *PLACES)),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_i3_manifest_is_what_search_accepts_and_what_excerpts_are_from(
    three: Database,
    access: dict[str, tuple[set[str], set[str]]],
    principal: Principal,
    place: str | None,
) -> None:
    _give_access(three, access)
    # The rule in three lines of Python, to hold the one in SQL to.
    names = {principal.user, *(f"group:{name}" for name in principal.groups)}
    expected = {
        name for name, (readers, places) in access.items() if names & readers and place in {None, *places}
    }
    assert {entry.name for entry in manifest(three, principal, place).collections} == expected
    found = search(three, None, principal, "zebrafish", place=place, mode=Mode.LEXICAL)
    assert {excerpt.collection for excerpt in found.excerpts} == expected
    accepted = set()
    for name in access:
        with suppress(UnknownCollection):
            search(three, None, principal, "zebrafish", collections=[name], place=place, mode=Mode.LEXICAL)
            accepted.add(name)
    assert accepted == expected


@pytest.fixture
def three(db: Database) -> Database:
    """Three collections that nobody may read, one document each."""
    for name in ("one", "two", "three"):
        source = add_source(db, name, add_collection(db, name, readers=()))
        add_document(db, source, f"{name}.md", [f"the nonce zebrafish in {name}"])
    return db


def _give_access(db: Database, access: dict[str, tuple[set[str], set[str]]]) -> None:
    rows = {
        "reader": [(name, reader) for name, (readers, _) in access.items() for reader in readers],
        "place": [(name, place) for name, (_, places) in access.items() for place in places],
    }
    with db.transaction() as connection:
        connection.execute("DELETE FROM brain.collection_reader")
        connection.execute("DELETE FROM brain.collection_place")
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO brain.collection_reader (collection_id, reader, granted_by)"
                " SELECT id, %s, 'alice' FROM brain.collection WHERE name = %s",
                [(reader, name) for name, reader in rows["reader"]],
            )
            cursor.executemany(
                "INSERT INTO brain.collection_place (collection_id, place, granted_by)"
                " SELECT id, %s, 'alice' FROM brain.collection WHERE name = %s",
                [(place, name) for name, place in rows["place"]],
            )


def test_i3_statistics_of_unreadable_collections_do_not_reach_a_score(filled: Database) -> None:
    before = search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts[0].score
    secret = add_source(filled, "more", add_collection(filled, "secret", readers=("alice",)))
    add_document(filled, secret, "s.md", ["zebrafish"] * 50)
    assert search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts[0].score == before


def test_the_manifest_counts_by_state_and_caps_names_with_the_remainder_stated(db: Database) -> None:
    collection = add_collection(db, "docs", description="how we pay")
    source = add_source(db, "docs", collection)
    for number in range(25):
        add_document(db, source, f"{number:02}.md", ["one", "two"])
    add_unready_document(db, source, "new.md", "pending")
    add_unready_document(db, source, "scan.pdf", "failed")
    add_unready_document(db, source, "logo.png", "skipped")
    db.run(
        "INSERT INTO brain.staged_item (source_id, path_bytes, path, change, item_kind, token, recipe)"
        " SELECT %s, path_bytes, path, change, 'file', 't', 'r' FROM (VALUES"
        " ('\\x61'::bytea, 'a', 'added'), ('\\x62', 'b', 'removed')) v (path_bytes, path, change)",
        (source,),
    )
    (entry,) = manifest(db, ALICE, name_cap=3).collections
    assert entry.description == "how we pay"
    contents = entry.contents
    assert (contents.ready, contents.failed, contents.skipped, contents.chunks) == (25, 1, 1, 50)
    assert contents.processing == 2
    assert contents.files == (("docs", "00.md"), ("docs", "01.md"), ("docs", "02.md"))
    assert entry.more_files == 22
    assert "not what the file holds" in manifest(db, ALICE).caveat


def test_an_empty_collection_is_in_the_manifest_with_zeros(db: Database) -> None:
    add_collection(db, "empty")
    (entry,) = manifest(db, ALICE).collections
    assert (entry.contents.ready, entry.contents.chunks, entry.more_files) == (0, 0, 0)
