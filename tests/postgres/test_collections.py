"""Collections: only the owner changes them, and who may not see one learns nothing of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brain_dagster.errors import BadUsage, NotTheOwner, UnknownCollection
from brain_dagster.store.collections import (
    Collection,
    allow_place,
    describe_collection,
    forbid_place,
    grant,
    list_collections,
    revoke,
    show_collection,
)
from brain_dagster.store.pool import Database
from brain_dagster.store.sources import add_source


@pytest.fixture
def handbook(db: Database) -> Database:
    """A database with ann's collection `handbook`, which bob may read."""
    add_source(
        db,
        key="wiki",
        kind="folder",
        location="/srv/wiki",
        collection="handbook",
        added_by="ann",
        readers=("bob",),
    )
    return db


def shown(db: Database, user: str = "ann") -> Collection:
    return show_collection(db, name="handbook", user=user)


def test_owner_and_reader_see_it_and_others_do_not(handbook: Database) -> None:
    found = shown(handbook)
    assert (found.owner, found.readers, found.places, found.sources) == ("ann", ("ann", "bob"), (), ("wiki",))
    assert list_collections(handbook, user="bob") == (found,)
    assert list_collections(handbook, user="eve") == ()
    with pytest.raises(UnknownCollection):
        shown(handbook, "eve")


def test_i3_grant_and_revoke_take_effect_at_once_and_say_whether_anything_changed(
    handbook: Database,
) -> None:
    assert grant(handbook, name="handbook", reader="cat", user="ann") is True
    assert grant(handbook, name="handbook", reader="cat", user="ann") is False
    assert shown(handbook, "cat").readers == ("ann", "bob", "cat")
    assert revoke(handbook, name="handbook", reader="cat", user="ann") is True
    assert revoke(handbook, name="handbook", reader="cat", user="ann") is False
    assert list_collections(handbook, user="cat") == ()


def test_owner_who_revoked_themselves_still_administers(handbook: Database) -> None:
    revoke(handbook, name="handbook", reader="ann", user="ann")
    assert shown(handbook).readers == ("bob",)
    assert grant(handbook, name="handbook", reader="ann", user="ann") is True


def test_places_are_denied_until_allowed_and_again_after(handbook: Database) -> None:
    assert allow_place(handbook, name="handbook", place="#support", user="ann") is True
    assert shown(handbook).places == ("#support",)
    assert forbid_place(handbook, name="handbook", place="#support", user="ann") is True
    assert shown(handbook).places == ()


def test_description_becomes_one_line(handbook: Database) -> None:
    assert describe_collection(handbook, name="handbook", description=" how\n we\x00work ", user="ann")
    assert shown(handbook).description == "how we\ufffdwork"


CHANGES: list[Callable[[Database, str, str], bool]] = [
    lambda db, name, user: grant(db, name=name, reader="eve", user=user),
    lambda db, name, user: revoke(db, name=name, reader="bob", user=user),
    lambda db, name, user: describe_collection(db, name=name, description="x", user=user),
    lambda db, name, user: allow_place(db, name=name, place="#all", user=user),
    lambda db, name, user: forbid_place(db, name=name, place="#all", user=user),
]


@pytest.mark.parametrize("change", CHANGES)
def test_only_the_owner_changes_anything(
    handbook: Database, change: Callable[[Database, str, str], bool]
) -> None:
    before = shown(handbook)
    with pytest.raises(NotTheOwner):
        change(handbook, "handbook", "bob")
    assert shown(handbook) == before


@pytest.mark.parametrize("change", CHANGES)
def test_stranger_cannot_tell_a_hidden_collection_from_none(
    handbook: Database, change: Callable[[Database, str, str], bool]
) -> None:
    messages = set()
    for name in ("handbook", "no-such-thing"):
        with pytest.raises(UnknownCollection) as caught:
            change(handbook, name, "eve")
        messages.add(caught.value.message)
    assert len(messages) == 1


@pytest.mark.parametrize("name", ["", "   "])
def test_nobody_is_not_a_reader(handbook: Database, name: str) -> None:
    with pytest.raises(BadUsage):
        grant(handbook, name="handbook", reader=name, user="ann")
