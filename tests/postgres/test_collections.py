"""Collections: only the owner changes them, and who may not see one learns nothing of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brain_dagster.errors import BadUsage, NotTheOwner, UnknownCollection
from brain_dagster.model import Mode
from brain_dagster.store.collections import (
    Collection,
    allow_place,
    describe_collection,
    forbid_place,
    grant,
    list_collections,
    revoke,
    set_default_mode,
    set_inline_limit,
    show_collection,
)
from brain_dagster.store.pool import Database
from brain_dagster.store.scope import BadName, NotAUser
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
    lambda db, name, user: set_default_mode(db, name=name, mode=Mode.DENSE, user=user),
    lambda db, name, user: set_inline_limit(db, name=name, tokens=7, user=user),
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


def test_i3_group_and_user_of_one_name_are_two_readers(handbook: Database) -> None:
    assert grant(handbook, name="handbook", reader="group:eng", user="ann") is True
    assert list_collections(handbook, user="eng") == ()
    assert [c.name for c in list_collections(handbook, user="eve", groups=("eng",))] == ["handbook"]
    assert grant(handbook, name="handbook", reader="eng", user="ann") is True
    assert revoke(handbook, name="handbook", reader="group:eng", user="ann") is True
    assert list_collections(handbook, user="eve", groups=("eng",)) == ()
    assert shown(handbook, "eng").readers == ("ann", "bob", "eng")


def test_who_reads_through_a_group_is_told_that_it_is_not_theirs(handbook: Database) -> None:
    grant(handbook, name="handbook", reader="group:eng", user="ann")
    with pytest.raises(NotTheOwner):
        grant(handbook, name="handbook", reader="eve", user="eve", groups=("eng",))


@pytest.mark.parametrize("change", CHANGES)
def test_i3_nobody_acts_under_the_name_of_a_group(
    handbook: Database, change: Callable[[Database, str, str], bool]
) -> None:
    grant(handbook, name="handbook", reader="group:eng", user="ann")
    with pytest.raises(NotAUser):
        change(handbook, "handbook", "group:eng")
    with pytest.raises(NotAUser):
        list_collections(handbook, user="group:eng")


def test_default_mode_is_what_was_measured_and_says_whether_it_changed(handbook: Database) -> None:
    assert set_default_mode(handbook, name="handbook", mode=Mode.LEXICAL, user="ann") is True
    assert set_default_mode(handbook, name="handbook", mode=Mode.LEXICAL, user="ann") is False
    assert shown(handbook).default_mode == "lexical"


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.RERANKED])
def test_default_mode_is_one_that_every_question_can_be_answered_in(handbook: Database, mode: Mode) -> None:
    with pytest.raises(BadUsage, match="dense, lexical, hybrid"):
        set_default_mode(handbook, name="handbook", mode=mode, user="ann")


def test_inline_limit_says_whether_it_changed_and_0_is_never(handbook: Database) -> None:
    assert set_inline_limit(handbook, name="handbook", tokens=0, user="ann") is True
    assert set_inline_limit(handbook, name="handbook", tokens=0, user="ann") is False
    assert shown(handbook).inline_token_limit == 0


@pytest.mark.parametrize("tokens", [-1, 2**31])
def test_inline_limit_is_a_number_of_tokens(handbook: Database, tokens: int) -> None:
    with pytest.raises(BadUsage):
        set_inline_limit(handbook, name="handbook", tokens=tokens, user="ann")


@pytest.mark.parametrize("name", ["", "   ", "group:", "group: "])
def test_nobody_is_not_a_reader(handbook: Database, name: str) -> None:
    with pytest.raises(BadUsage):
        grant(handbook, name="handbook", reader=name, user="ann")


# Every character has four bytes and no two are alike, so that no index can make them fit.
HUGE = "".join(chr(0x10000 + n) for n in range(30_000))
UNHEARD_OF = pytest.mark.parametrize(
    "name", ["an\x00n", "an\udcffn", "\ud800", HUGE], ids=["nul", "latin-1", "surrogate", "huge"]
)


@UNHEARD_OF
def test_name_that_the_store_cannot_hold_is_refused_as_a_reader_and_as_a_place(
    handbook: Database, name: str
) -> None:
    for reader in (name, f"group:{name}"):
        with pytest.raises(BadName):
            grant(handbook, name="handbook", reader=reader, user="ann")
    with pytest.raises(BadName):
        allow_place(handbook, name="handbook", place=name, user="ann")
    with pytest.raises(BadName):
        add_source(handbook, key="w", kind="folder", location="/w", collection="c", added_by=name)


def test_longest_names_that_are_accepted_can_be_stored(handbook: Database) -> None:
    assert grant(handbook, name="handbook", reader=HUGE[:500], user="ann")
    assert grant(handbook, name="handbook", reader=f"group:{HUGE[:494]}", user="ann")
    assert allow_place(handbook, name="handbook", place=HUGE[:500], user="ann")


@UNHEARD_OF
def test_i3_name_that_the_store_cannot_hold_is_nobody_and_nothing(handbook: Database, name: str) -> None:
    """It must not become somebody else by being made fit."""
    grant(handbook, name="handbook", reader="an\ufffdn", user="ann")
    assert list_collections(handbook, user=name, groups=[name]) == ()
    with pytest.raises(UnknownCollection):
        grant(handbook, name="handbook", reader="eve", user=name)
    with pytest.raises(UnknownCollection):
        grant(handbook, name=name, reader="eve", user="ann")
    with pytest.raises(UnknownCollection):
        show_collection(handbook, name=name, user="ann")
