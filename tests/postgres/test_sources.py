"""The registry of sources."""

from __future__ import annotations

from typing import Any

import pytest

from brain_dagster.errors import NotTheOwner, UnknownSource
from brain_dagster.model import Source
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import (
    BadCollectionName,
    BadSourceKey,
    SecretInLocation,
    SourceBusy,
    SourceExists,
    add_source,
    get_source,
    list_sources,
    propose_key,
    remove_source,
)
from tests.support.seed import Passage, add_document, add_space


def add(db: Database, key: str = "wiki", **changes: Any) -> Source:
    """Add a source of ann's, changed where the test says so."""
    settings: dict[str, Any] = {
        "kind": "folder",
        "location": "/srv/wiki",
        "collection": "handbook",
        "added_by": "ann",
    }
    return add_source(db, key=key, **(settings | changes))


def readers(db: Database, collection: str) -> set[str]:
    rows = db.all(
        "SELECT r.reader FROM brain.collection_reader r JOIN brain.collection c ON c.id = r.collection_id"
        " WHERE c.name = %s",
        (collection,),
    )
    return {row[0] for row in rows}


def test_first_source_makes_its_collection_which_its_adder_owns_and_may_read(db: Database) -> None:
    added = add(db, include=("*.md",), ref=None, readers=("bob",), description="How we work")
    assert added == get_source(db, "wiki")
    assert (added.key, added.collection, added.kind, added.location) == (
        "wiki",
        "handbook",
        "folder",
        "/srv/wiki",
    )
    assert added.include == ("*.md",)
    assert added.generation == 0
    assert added.listing_token is None
    assert db.all("SELECT name, owner, description FROM brain.collection") == [
        ("handbook", "ann", "How we work")
    ]
    assert readers(db, "handbook") == {"ann", "bob"}
    assert db.all("SELECT place FROM brain.collection_place") == []


def test_list_is_by_key(db: Database) -> None:
    for key in ("zoo", "ant"):
        add(db, key)
    assert [source.key for source in list_sources(db)] == ["ant", "zoo"]


def test_nobody_adds_to_the_collection_of_another(db: Database) -> None:
    add(db)
    with pytest.raises(NotTheOwner) as caught:
        add(db, "mine", added_by="eve", readers=("eve",))
    assert caught.value.subject == "handbook"
    assert readers(db, "handbook") == {"ann"}
    assert [source.key for source in list_sources(db)] == ["wiki"]


def test_same_request_twice_is_one_source(db: Database) -> None:
    first = add(db, exclude=("tmp/**",))
    assert add(db, exclude=("tmp/**",)) == first


def test_same_key_with_other_settings_is_refused_and_says_what_to_do(db: Database) -> None:
    first = add(db)
    with pytest.raises(SourceExists, match="--replace"):
        add(db, location="/srv/other", readers=("bob",))
    assert get_source(db, "wiki") == first
    assert readers(db, "handbook") == {"ann"}, "a refused request must change nothing"


def test_replaced_settings_make_the_next_sync_list_anew_and_supersede_a_run_under_way(db: Database) -> None:
    first = add(db)
    db.run("UPDATE brain.source SET listing_token = 't', revision = 'r', generation = 7")
    changed = add(db, include=("docs/**",), replace=True)
    assert changed.id == first.id
    assert changed.include == ("docs/**",)
    assert changed.listing_token is None, "an equal token would say that nothing changed"
    assert changed.generation == 8, "the run that lists with the old settings must not publish (A7)"


def test_replacing_with_equal_settings_disturbs_nothing(db: Database) -> None:
    add(db)
    db.run("UPDATE brain.source SET listing_token = 't', generation = 7")
    assert add(db, replace=True).listing_token == "t"


def test_source_does_not_move_between_collections(db: Database) -> None:
    add(db)
    with pytest.raises(SourceExists, match="another collection"):
        add(db, collection="other", replace=True)


def test_key_taken_in_the_collection_of_another_tells_nothing_about_it(db: Database) -> None:
    add(db, location="/srv/secret-project")
    with pytest.raises(SourceExists) as caught:
        add(db, collection="eves", added_by="eve", replace=True)
    assert "secret" not in str(caught.value)
    assert "handbook" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "proposed"),
    [
        ("My Repo", "my-repo"),
        ("https://github.com/psf/requests.git", "github.com-psf-requests"),
        ("../../etc/passwd", "etc-passwd"),
        ("Übersicht", "ubersicht"),
        ("a...b", "a.b"),
        ("-x", "x"),
        ("x" * 101, "x" * 100),
        ("日本", "source"),
        ("", "source"),
    ],
)
def test_bad_key_is_refused_with_a_valid_proposal(db: Database, given: str, proposed: str) -> None:
    with pytest.raises(BadSourceKey, match=f"Try `{proposed}`"):
        add(db, given)
    assert propose_key(given) == proposed
    assert add(db, proposed).key == proposed, "the proposal must be accepted, by the schema too"


def test_bad_collection_name_is_refused(db: Database) -> None:
    with pytest.raises(BadCollectionName):
        add(db, collection="two words")


def test_location_with_a_password_is_refused_and_not_repeated(db: Database) -> None:
    with pytest.raises(SecretInLocation) as caught:
        add(db, kind="git", location="https://ann:hunter2@git.example/x.git")
    assert "hunter2" not in str(caught.value)
    assert add(db, kind="git", location="ssh://git@git.example/x.git").kind == "git"


def test_a2_removed_source_takes_everything_along_and_leaves_its_neighbour(db: Database) -> None:
    space = add_space(db)
    ids = {key: add(db, key).id for key in ("goes", "stays")}
    for source_id in ids.values():
        add_document(db, source_id, "a.md", [Passage("apples", (1, 0, 0, 0)), Passage("pears")], space=space)
    removed = remove_source(db, key="goes", user="ann")
    assert (removed.documents, removed.chunks) == (1, 2)
    with pytest.raises(UnknownSource):
        get_source(db, "goes")
    for table in ("document", "chunk", "source_term"):
        left = {row[0] for row in db.all(f"SELECT DISTINCT source_id FROM brain.{table}")}  # type: ignore[arg-type]
        assert left <= {ids["stays"]}, table
    assert db.one("SELECT count(*) FROM brain.chunk") == (2,)
    assert db.one("SELECT count(*) FROM brain.chunk_embedding") == (1,)
    assert db.one("SELECT name FROM brain.collection") == ("handbook",)


def test_only_the_owner_removes(db: Database) -> None:
    add(db, readers=("bob",))
    with pytest.raises(NotTheOwner):
        remove_source(db, key="wiki", user="bob")
    with pytest.raises(UnknownSource):
        remove_source(db, key="nowhere", user="ann")
    assert get_source(db, "wiki").key == "wiki"


def test_source_is_not_removed_under_a_running_sync(db: Database) -> None:
    source = add(db)
    run = db.direct()
    run.execute("SELECT pg_advisory_lock(hashtext('brain.source'), %s)", (source.id,))
    with pytest.raises(SourceBusy):
        remove_source(db, key="wiki", user="ann")
    run.execute("SELECT pg_advisory_unlock_all()")  # a closed connection frees it a moment later
    run.close()
    assert remove_source(db, key="wiki", user="ann").key == "wiki"
