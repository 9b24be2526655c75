"""Who may search what, where: the same answer for search and manifest."""

from __future__ import annotations

import pytest

from brain_dagster.errors import UnknownCollection
from brain_dagster.model import Mode, Principal
from brain_dagster.query import manifest, rank_chunks, search
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading
from brain_dagster.store.scope import readable_collections
from tests.support.seed import add_collection, add_document, add_source, add_unready_document

COLLECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "open": {"readers": ("alice", "bob", "staff"), "places": ("#general", "#board")},
    "board": {"readers": ("alice",), "places": ("#board",)},
    "silent": {"readers": ("alice", "staff"), "places": ()},
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
    (Principal("staff"), None, {"open", "silent"}),
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
    for name in COLLECTIONS:
        if name in expected:
            only = search(
                filled, None, principal, "zebrafish", collections=[name], place=place, mode=Mode.LEXICAL
            )
            assert [excerpt.path for excerpt in only.excerpts] == [f"{name}.md"]
        else:
            with pytest.raises(UnknownCollection):
                search(filled, None, principal, "zebrafish", collections=[name], place=place)


def test_i3_a_forbidden_collection_looks_like_an_unknown_one(filled: Database) -> None:
    shapes = []
    for name in ("board", "no-such-name"):
        with pytest.raises(UnknownCollection) as caught:
            rank_chunks(filled, None, BOB, "zebrafish", collections=["open", name])
        shape = caught.value.shape()
        shapes.append((shape.code, shape.message))
        assert shape.subject == name
    assert shapes[0] == shapes[1]


def test_every_readable_collection_says_why(filled: Database) -> None:
    with reading(filled) as connection:
        private = readable_collections(connection, Principal("carol", ("staff",)), None)
        public = readable_collections(connection, ALICE, "#board")
    assert {c.name: c.reason for c in private} == {
        "open": "reader staff, in private",
        "silent": "reader staff, in private",
    }
    assert public[0].reason == "reader alice, spoken in #board"


def test_i3_a_revoked_reader_finds_nothing_in_the_next_call(filled: Database) -> None:
    assert search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts
    filled.run("DELETE FROM brain.collection_reader WHERE reader = 'bob'")
    assert search(filled, None, BOB, "zebrafish", mode=Mode.LEXICAL).excerpts == ()
    assert manifest(filled, BOB).collections == ()


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
