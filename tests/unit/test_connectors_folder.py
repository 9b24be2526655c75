"""The folder connector: what it lists, what it leaves out, and when it believes that nothing changed."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain_dagster.connectors import folder_walk, open_connector, validate_location
from brain_dagster.connectors.base import BadLocation, Connector, TooLarge, VanishedItem
from brain_dagster.errors import SourceUnavailable
from brain_dagster.model import ItemKind, ListedItem
from tests.corpora.repositories import settings_at, source_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def connect(root: Path, **changes: object) -> Connector:
    return open_connector(source_of("folder", root, **changes), settings_at(root.parent / "home"))


def write(root: Path, path: str, content: bytes = b"x\n", *, is_old: bool = True) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    if is_old:
        os.utime(file, (1_700_000_000, 1_700_000_000))
    return file


def let_time_pass(monkeypatch: pytest.MonkeyPatch, seconds: float = 10) -> None:
    """Let the connector's clock run ahead, so that files just written are no longer young."""
    monkeypatch.setattr(folder_walk.time, "time_ns", lambda: int(time.time() * 1e9 + seconds * 1e9))


def paths(connector: Connector) -> list[bytes]:
    return [item.path for item in connector.list().items]


def test_everything_is_listed_in_the_order_of_path_bytes(root: Path) -> None:
    for path in ("b.txt", "a/z.txt", "a/b/c.txt", "a.txt"):
        write(root, path)
    listing = connect(root).list()
    assert [item.path for item in listing.items] == [b"a.txt", b"a/b/c.txt", b"a/z.txt", b"b.txt"]
    assert {item.kind for item in listing.items} == {ItemKind.FILE}
    assert {(item.size_bytes, item.content_hash) for item in listing.items} == {(2, None)}
    assert listing.is_complete


def test_an_untouched_folder_keeps_its_token_and_peek_agrees(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a")
    let_time_pass(monkeypatch)
    connector = connect(root)
    first = connector.list()
    assert connector.list().token == first.token == connector.peek()
    assert first.revision == f"tree:{first.token.partition(':')[2][:12]}"


@pytest.mark.parametrize("change", ["content", "same size and time", "new", "removed", "replaced", "globs"])
def test_any_change_moves_the_token(root: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    file = write(root, "a", b"one")
    let_time_pass(monkeypatch)
    before = connect(root).list().token
    if change == "content":
        write(root, "a", b"other")
    elif change == "same size and time":
        write(root, "a", b"two")  # the modification time is set back: only the change time tells
    elif change == "new":
        write(root, "b")
    elif change == "removed":
        file.unlink()
    elif change == "replaced":
        write(root, "new", b"one").rename(file)
    after = connect(root, exclude=("*.log",) if change == "globs" else ()).list().token
    assert after != before


def test_a_file_younger_than_the_clock_can_tell_is_never_taken_as_unchanged(root: Path) -> None:
    """Two writes within one tick leave the same signature; git calls such an entry racily clean."""
    write(root, "young", is_old=False)
    connector = connect(root)
    first, second = connector.list(), connector.list()
    assert first.items[0].token != second.items[0].token
    assert first.token != second.token


@pytest.mark.parametrize("moment", [946_684_800, 4_102_444_800])
def test_a_file_dated_in_the_past_or_the_future_is_believed_once_its_change_is_old(
    root: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    file = write(root, "a")
    os.utime(file, (moment, moment))
    let_time_pass(monkeypatch)
    connector = connect(root)
    assert connector.list().items[0].token == connector.list().items[0].token


def test_gitignore_files_are_respected_at_every_depth(root: Path) -> None:
    write(root, ".gitignore", b"*.log\n/build/\n")
    write(root, "sub/.gitignore", b"!kept.log\nlocal.txt\n")
    for path in ("a.log", "build/x.txt", "sub/build/y.txt", "sub/kept.log", "sub/local.txt", "local.txt"):
        write(root, path)
    listing = connect(root).list()
    assert [item.path for item in listing.items] == [
        b".gitignore",
        b"local.txt",
        b"sub/.gitignore",
        b"sub/build/y.txt",
        b"sub/kept.log",
    ]
    assert listing.excluded == 3, "a.log, build/ as one, sub/local.txt"


def test_an_ignored_directory_is_not_opened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, ".gitignore", b"ignored/\n")
    write(root, "ignored/deep/x")
    write(root, "excluded/deep/x")
    opened: list[bytes] = []
    real = folder_walk.open_directory

    def open_directory(descriptor: int, path: bytes) -> object:
        opened.append(path)
        return real(descriptor, path)

    monkeypatch.setattr(folder_walk, "open_directory", open_directory)
    connect(root, exclude=("excluded/",)).list()
    assert opened == [b""]


def test_a_git_directory_and_brains_own_home_are_never_entered(root: Path) -> None:
    write(root, ".git/config")
    write(root, "sub/.git", b"gitdir: elsewhere")
    write(root, ".brain/pg/base/1")
    write(root, "a")
    connector = open_connector(source_of("folder", root), settings_at(root / ".brain"))
    assert paths(connector) == [b"a"]


def test_globs_apply_and_are_counted(root: Path) -> None:
    for path in ("a.py", "x/b.py", "x/b.md", "tests/t.py"):
        write(root, path)
    listing = connect(root, include=("**/*.py",), exclude=("tests/",)).list()
    assert [item.path for item in listing.items] == [b"a.py", b"x/b.py"]
    assert listing.excluded == 2


def test_pipes_and_sockets_are_listed_as_special_and_do_not_block(root: Path) -> None:
    os.mkfifo(root / "pipe")
    item = connect(root).list().items[0]
    assert item.kind is ItemKind.SPECIAL
    disguised = ListedItem(item.path, ItemKind.FILE, item.token, None, 0)
    with pytest.raises(VanishedItem):
        connect(root).read(disguised, 10)


def test_a3_a_directory_that_may_not_be_entered_makes_the_listing_incomplete() -> None:
    """Root may enter everything, so the test becomes someone else for the length of the listing."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        write(top, "open/a")
        write(top, "locked/b")
        (top / "locked").chmod(0)
        try:
            with _as_nobody():
                listing = connect(top).list()
        finally:
            (top / "locked").chmod(0o700)
    assert [item.path for item in listing.items] == [b"open/a"]
    assert not listing.is_complete
    assert listing.problems == ("the directory locked cannot be listed: Permission denied",)
    assert listing.token.startswith("incomplete:")


def test_a3_a_directory_whose_files_cannot_be_examined_makes_the_listing_incomplete() -> None:
    """Read permission without search permission gives names and no more."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        write(top, "names/a")
        (top / "names").chmod(0o444)
        try:
            with _as_nobody():
                listing = connect(top).list()
        finally:
            (top / "names").chmod(0o700)
    assert not listing.is_complete
    assert listing.items == ()


@contextmanager
def _as_nobody() -> Iterator[None]:
    if os.getuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a3_a_missing_root_is_an_error_and_not_an_empty_listing(root: Path) -> None:
    connector = connect(root)
    root.rmdir()
    for call in (connector.list, connector.peek):
        with pytest.raises(SourceUnavailable, match="cannot be opened"):
            call()


def test_an_empty_folder_is_a_complete_and_empty_listing(root: Path) -> None:
    listing = connect(root).list()
    assert (listing.items, listing.is_complete) == ((), True)


def test_contents_come_in_the_order_asked_with_errors_in_their_place(root: Path) -> None:
    for name in ("a", "b", "c"):
        write(root, name, name.encode())
    connector = connect(root)
    a, b, c = connector.list().items
    (root / "b").unlink()
    read = list(connector.read_many([c, b, a], 10))
    assert [item for item, _ in read] == [c, b, a]
    assert (read[0][1], type(read[1][1]), read[2][1]) == (b"c", VanishedItem, b"a")


def test_a_file_that_grew_after_the_listing_is_read_as_it_is_and_read_again_next_time(root: Path) -> None:
    file = write(root, "log", b"one\n")
    connector = connect(root)
    item = connector.list().items[0]
    with file.open("ab") as log:
        log.write(b"two\n")
    assert connector.read(item, 100) == b"one\ntwo\n"
    assert connector.list().items[0].token != item.token


def test_a_file_that_moves_while_it_is_read_is_not_stored_torn(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(root, "a", b"x" * 10)
    connector = connect(root)
    item = connector.list().items[0]
    real_read = os.read

    def read(descriptor: int, size: int) -> bytes:
        piece = real_read(descriptor, size)
        if piece:
            with file.open("r+b") as writer:
                writer.write(b"yyyyy")
        return piece

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(VanishedItem):
        connector.read(item, 100)


def test_bytes_are_counted_as_they_arrive_not_believed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(root, "a", b"x" * 10)
    connector = connect(root)
    item = connector.list().items[0]
    real_read = os.read

    def read(descriptor: int, size: int) -> bytes:
        piece = real_read(descriptor, size)
        with file.open("ab") as writer:
            writer.write(b"x" * 10)
        return piece

    monkeypatch.setattr(os, "read", read)
    with pytest.raises(TooLarge):
        connector.read(item, 1_000)


@pytest.mark.parametrize(
    ("location", "ref", "words"),
    [
        ("absent", None, "no such directory"),
        ("file", None, "no such directory"),
        (".", "main", "--kind git"),
        ("https://example.org/r.git", None, "--kind git"),
    ],
)
def test_nonsense_is_refused_early(
    root: Path, monkeypatch: pytest.MonkeyPatch, location: str, ref: str | None, words: str
) -> None:
    write(root, "file")
    monkeypatch.chdir(root)
    with pytest.raises(BadLocation) as raised:
        validate_location("folder", location, ref)
    assert words in raised.value.message


def test_a_relative_path_becomes_absolute(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.parent)
    assert validate_location("folder", "folder", None) == str(root)
