"""Faults F1 to F6: what git repositories do to those who list them."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from brain_dagster.connectors import open_connector
from brain_dagster.connectors.base import NotAFile
from brain_dagster.errors import SourceUnavailable
from brain_dagster.ingest.funnel import read_items
from brain_dagster.model import ItemKind, Listing, ReadItem, State
from brain_dagster.parse.worker import ParserPool
from tests.corpora.repositories import Link, Repository, Submodule, settings_at, source_of

FOREIGN_COMMIT = "1234567890123456789012345678901234567890"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "r")


@pytest.fixture(scope="module")
def parser() -> Iterator[ParserPool]:
    with ParserPool(settings_at(Path("unused"))) as pool:
        yield pool


def listing_of(repository: Repository, ref: str | None = None) -> Listing:
    connector = open_connector(
        source_of("git", repository.path, ref=ref), settings_at(repository.path.parent / "home")
    )
    return connector.list()


def read_all(repository: Repository, parser: ParserPool) -> dict[bytes, ReadItem]:
    settings = settings_at(repository.path.parent / "home")
    connector = open_connector(source_of("git", repository.path), settings)
    items = connector.list().items
    read = list(read_items(connector, items, parser, settings))
    connector.close()
    assert [item for item, _ in read] == list(items), "every listed item ends in exactly one outcome"
    return {item.path: became for item, became in read}


def hashes(listing: Listing) -> dict[bytes, str | None]:
    return {item.path: item.content_hash for item in listing.items}


# F1 Submodules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["absent", "present", "stale .gitmodules", "no .gitmodules"])
def test_f1_a_submodule_is_an_outcome_and_never_fails_its_parent(
    repository: Repository, parser: ParserPool, state: str
) -> None:
    modules = b'[submodule "lib"]\n\tpath = lib\n\turl = https://example.invalid/lib.git\n'
    commit = FOREIGN_COMMIT
    if state == "present":
        library = Repository(repository.path / "lib")
        commit = library.commit({b"inside.py": b"secret = 1\n"})
    if state == "stale .gitmodules":
        modules = modules.replace(b"path = lib", b"path = moved/away")
    tree: dict[bytes, bytes | Submodule] = {b"a.py": b"x = 1\n", b"lib": Submodule(commit)}
    if state != "no .gitmodules":
        tree[b".gitmodules"] = modules
    repository.commit(tree)
    read = read_all(repository, parser)
    assert (read[b"lib"].state, read[b"lib"].reason_code) == (State.SKIPPED, "submodule")
    assert read[b"a.py"].state is State.READY
    assert b"lib/inside.py" not in read


def test_f1_a_submodule_replaced_by_a_file_becomes_that_file(
    repository: Repository, parser: ParserPool
) -> None:
    repository.commit({b"lib": Submodule(FOREIGN_COMMIT)})
    before = listing_of(repository)
    repository.commit({b"lib": b"now a file\n"})
    after = listing_of(repository)
    assert (before.items[0].kind, after.items[0].kind) == (ItemKind.SUBMODULE, ItemKind.FILE)
    assert before.items[0].token != after.items[0].token
    assert read_all(repository, parser)[b"lib"].state is State.READY


# F2 LFS pointers ----------------------------------------------------------------------------------------

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    b"size 12345\n"
)


def test_f2_pointers_are_never_embedded_and_prose_about_them_is(
    repository: Repository, parser: ParserPool
) -> None:
    repository.commit(
        {
            b"model.bin": POINTER,
            b"photo.png": POINTER,
            b"wrong-size.psd": POINTER.replace(b"12345", b"99999999999999999999"),
            b"about.md": b"# Pointers\n\nA pointer of git-lfs looks like this:\n\n" + POINTER,
            b"malformed.txt": POINTER.replace(b"12345", b"many"),
        }
    )
    read = read_all(repository, parser)
    for path in (b"model.bin", b"photo.png", b"wrong-size.psd"):
        assert (read[path].state, read[path].reason_code) == (State.SKIPPED, "lfs-pointer")
        assert "LFS content not fetched" in (read[path].reason or "")
    assert read[b"about.md"].state is State.READY
    assert read[b"malformed.txt"].state is State.READY


# F3 Renames ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({b"old.py": b"1\n"}, {b"new.py": b"1\n"}),
        ({b"old.py": b"1\n2\n3\n4\n"}, {b"new.py": b"1\n2\n3\n5\n"}),
        ({b"a": b"1\n", b"b": b"2\n"}, {b"a": b"2\n", b"b": b"1\n"}),
        ({b"x/a": b"1\n", b"x/b": b"2\n"}, {b"y/z/a": b"1\n", b"y/z/b": b"2\n"}),
    ],
    ids=["pure move", "move and edit", "swap of two names", "directory move"],
)
def test_f3_a_move_is_an_absence_and_a_presence_with_the_same_identity(
    repository: Repository, before: dict[bytes, bytes], after: dict[bytes, bytes]
) -> None:
    repository.commit(before)
    first = hashes(listing_of(repository))
    repository.commit(after)
    second = hashes(listing_of(repository))
    assert set(second) == set(after), "the old paths are gone, the new ones are there"
    for path, content in after.items():
        origins = [old for old, old_content in before.items() if old_content == content]
        assert all(second[path] == first[old] for old in origins), "unchanged bytes keep their identity"


# F4 Case-only renames -----------------------------------------------------------------------------------


def test_f4_names_that_differ_in_case_are_different_files(repository: Repository, parser: ParserPool) -> None:
    repository.commit({b"a.py": b"lower = 1\n"})
    repository.commit({b"A.py": b"lower = 1\n"})
    assert set(hashes(listing_of(repository))) == {b"A.py"}
    repository.commit({b"a.py": b"lower = 1\n", b"A.py": b"upper = 1\n", b"Dir/x": b"1\n", b"dir/x": b"2\n"})
    read = read_all(repository, parser)
    assert {path: became.document.chunks[0].text for path, became in read.items() if became.document} == {
        b"a.py": "lower = 1\n",
        b"A.py": "upper = 1\n",
        b"Dir/x": "1\n",
        b"dir/x": "2\n",
    }


# F5 Force-push, rewritten history, shallow clone ----------------------------------------------------------


def test_f5_only_the_tree_counts_whatever_happens_to_history(repository: Repository) -> None:
    tree = {b"a": b"1\n", b"d/b": b"2\n"}
    repository.commit({b"a": b"0\n"})
    repository.commit(tree)
    listing = listing_of(repository)
    rewritten = repository.commit(tree, is_orphan=True, message="another history")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "-q", "--prune=now")
    after = listing_of(repository)
    assert (after.token, after.items) == (listing.token, listing.items)
    assert after.revision == rewritten


@pytest.mark.parametrize(
    ("printed", "exit_code"),
    [("", 128), (r"100644 blob %s       2\ta.py\0", 128), (r"100644 blob %s       2\ta.p", 0)],
    ids=["nothing printed", "half of it printed", "cut inside a path"],
)
def test_a3_a_listing_that_git_did_not_finish_is_no_listing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, exit_code: int
) -> None:
    repository.commit({b"a.py": b"1\n", b"b.py": b"2\n"})
    double = tmp_path / "bin" / "git"
    double.parent.mkdir()
    lie = f"printf '{printed.replace('%s', 'd' * 40)}'; exit {exit_code}"
    double.write_text(f'#!/bin/sh\ncase "$*" in *ls-tree*) {lie};; esac\nexec {shutil.which("git")} "$@"\n')
    double.chmod(0o755)
    monkeypatch.setenv("PATH", f"{double.parent}:{os.environ['PATH']}")
    with pytest.raises(SourceUnavailable, match="cannot be listed"):
        listing_of(repository)


def test_f5_an_orphan_branch_is_listed_by_itself(repository: Repository) -> None:
    repository.commit({b"a": b"1\n"})
    repository.commit({b"pages/index.md": b"# Pages\n"}, branch="pages", is_orphan=True)
    assert set(hashes(listing_of(repository, ref="pages"))) == {b"pages/index.md"}


def test_f5_a_mirror_follows_a_force_push_and_never_needs_history(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "r")
    home = settings_at(tmp_path / "home")
    connector = open_connector(source_of("git", origin.url), home)
    for number in range(3):
        origin.commit({b"a": b"%d\n" % number, b"same": b"same\n"}, is_orphan=number > 0)
        origin.git("reflog", "expire", "--expire=now", "--all")
        origin.git("gc", "-q", "--prune=now")
        mirrored, direct = connector.list(), listing_of(origin)
        assert (mirrored.items, mirrored.token, mirrored.revision) == (
            direct.items,
            direct.token,
            direct.revision,
        )
        content = dict(connector.read_many(mirrored.items, 100))
        assert content[mirrored.items[0]] == b"%d\n" % number
    connector.close()


def test_f5_a_shallow_clone_lists_what_a_full_one_lists(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "r")
    for number in range(3):
        origin.commit({b"a": b"%d\n" % number})
    origin.git("clone", "-q", "--depth=1", origin.url, str(tmp_path / "shallow"))
    shallow = open_connector(source_of("git", tmp_path / "shallow"), settings_at(tmp_path / "home")).list()
    assert (shallow.token, shallow.items) == (listing_of(origin).token, listing_of(origin).items)


# F6 Paths that are not UTF-8 or not ASCII -----------------------------------------------------------------

NFC = unicodedata.normalize("NFC", "café.py").encode()
NFD = unicodedata.normalize("NFD", "café.py").encode()
LONG = b"/".join([b"d" * 99] * 40) + b"/x.py"
ODD_PATHS = (
    NFC,
    NFD,
    "文書/設計.md".encode(),
    b"latin-\xe9.py",
    b"\xff",
    b"two\nlines.py",
    b"tab\there.py",
    b'quo"te\\back.py',
    b" leading and trailing ",
    b"-rf",
    b"a:b.py",
    LONG,
)


def test_f6_every_path_git_can_hold_is_listed_and_read(repository: Repository, parser: ParserPool) -> None:
    assert len(LONG) > 4_000
    tree = {path: b"content = %d\n" % number for number, path in enumerate(ODD_PATHS)}
    repository.commit(tree)
    read = read_all(repository, parser)
    assert set(read) == set(ODD_PATHS)
    for path, content in tree.items():
        became = read[path]
        assert became.document is not None, (path, became.reason)
        assert became.document.chunks[0].text.encode() == content


def test_f6_globs_see_odd_paths_as_they_are(repository: Repository) -> None:
    repository.commit(dict.fromkeys(ODD_PATHS, b"x\n"))
    connector = open_connector(
        source_of("git", repository.path, include=("*.py",)), settings_at(repository.path.parent / "home")
    )
    expected = {path for path in ODD_PATHS if path.endswith(b".py")}
    assert {item.path for item in connector.list().items} == expected


def test_f6_a_folder_lists_and_reads_the_same_odd_names(tmp_path: Path, parser: ParserPool) -> None:
    root = tmp_path / "folder"
    root.mkdir()
    names = [path for path in ODD_PATHS if path != LONG]
    for number, name in enumerate(names):
        file = os.path.join(os.fsencode(root), name)  # noqa: PTH118 - bytes are the point
        os.makedirs(os.path.dirname(file), exist_ok=True)  # noqa: PTH103, PTH120
        with open(file, "wb") as opened:  # noqa: PTH123
            opened.write(b"content = %d\n" % number)
    deep = _write_deep(root, b"deep = 1\n")
    settings = settings_at(tmp_path / "home")
    connector = open_connector(source_of("folder", root), settings)
    listing = connector.list()
    assert {item.path for item in listing.items} == {*names, deep}
    assert listing.is_complete
    read = {item.path: became for item, became in read_items(connector, listing.items, parser, settings)}
    for number, name in enumerate(names):
        document = read[name].document
        assert document is not None
        assert document.chunks[0].text == f"content = {number}\n"
    assert read[deep].state is State.READY


def _write_deep(root: Path, content: bytes) -> bytes:
    """Write a file whose path is longer than any system call takes at once (4,096 bytes)."""
    descriptor = os.open(root, os.O_RDONLY)
    parts = [b"e" * 200] * 24
    for part in parts:
        os.mkdir(part, dir_fd=descriptor)
        below = os.open(part, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    file = os.open("x.py", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
    os.write(file, content)
    os.close(file)
    os.close(descriptor)
    return b"/".join([*parts, b"x.py"])


# Links in a tree (E5, for git) ----------------------------------------------------------------------------


def test_e5_a_link_in_a_tree_is_an_outcome_and_its_target_is_never_content(
    repository: Repository, parser: ParserPool
) -> None:
    repository.commit({b"loop": Link(b"."), b"notes.md": Link(b"/etc/passwd"), b"a.md": b"# A\n"})
    read = read_all(repository, parser)
    assert {path: became.reason_code for path, became in read.items()} == {
        b"loop": "symlink",
        b"notes.md": "symlink",
        b"a.md": None,
    }
    connector = open_connector(source_of("git", repository.path), settings_at(repository.path.parent / "h"))
    link = next(item for item in connector.list().items if item.path == b"notes.md")
    with pytest.raises(NotAFile):
        connector.read(link, 100)


def test_e4_a_checkout_with_converted_line_ends_changes_nothing(
    repository: Repository, parser: ParserPool
) -> None:
    repository.commit({b"a.txt": b"one\ntwo\n"})
    before = listing_of(repository)
    repository.git("config", "core.autocrlf", "true")
    repository.git("checkout", "-q", "-f", "main")
    assert (repository.path / "a.txt").read_bytes() == b"one\r\ntwo\r\n", "the checkout did convert"
    after = listing_of(repository)
    assert (after.token, after.items) == (before.token, before.items)
    document = cast(ReadItem, read_all(repository, parser)[b"a.txt"]).document
    assert document is not None
    assert document.chunks[0].text == "one\ntwo\n"
