"""The git connector on real repositories: every way to name one, and every state one can be in."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_dagster.connectors import open_connector, validate_globs, validate_location
from brain_dagster.connectors.base import BadGlob, BadLocation, TooLarge, UnknownKind, VanishedItem
from brain_dagster.connectors.git import parse_tree
from brain_dagster.connectors.git_mirror import Mirror
from brain_dagster.errors import SourceUnavailable
from brain_dagster.model import ItemKind, ListedItem, Listing
from tests.corpora.repositories import Repository, settings_at, source_of

LIMIT = 1_000_000
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give a repository to another user")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "r")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def listing_of(location: str | Path, home: Path, **changes: object) -> Listing:
    connector = open_connector(source_of("git", location, **changes), settings_at(home))
    listing = connector.list()
    assert connector.peek() == listing.token, "peek must say what list says"
    return listing


def contents_of(location: str | Path, home: Path, **changes: object) -> dict[bytes, bytes]:
    connector = open_connector(source_of("git", location, **changes), settings_at(home))
    contents = dict(connector.read_many(connector.list().items, LIMIT))
    connector.close()
    return {item.path: content for item, content in contents.items() if isinstance(content, bytes)}


def test_a_listing_knows_identity_size_and_revision_without_reading(
    repository: Repository, home: Path
) -> None:
    commit = repository.commit({b"b.txt": b"hello\n", b"a/c.txt": b""})
    listing = listing_of(repository.path, home)
    # The ids are git's own, known from its documentation: sha1("blob 6\0hello\n") and the empty blob.
    hello, empty = "ce013625030ba8dba906f756967f9e9ca394464a", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert listing.items == (
        ListedItem(b"a/c.txt", ItemKind.FILE, f"git:{empty}", f"git:{empty}", 0),
        ListedItem(b"b.txt", ItemKind.FILE, f"git:{hello}", f"git:{hello}", 6),
    )
    assert (listing.revision, listing.is_complete, listing.problems) == (commit, True, ())


def test_a_commit_that_changes_no_file_changes_no_token(repository: Repository, home: Path) -> None:
    first = repository.commit({b"a": b"1"})
    before = listing_of(repository.path, home)
    second = repository.commit({b"a": b"1"}, message="nothing")
    after = listing_of(repository.path, home)
    assert (first != second, before.token == after.token, after.revision) == (True, True, second)


def test_changed_bytes_or_changed_globs_change_the_token(repository: Repository, home: Path) -> None:
    repository.commit({b"a.py": b"1"})
    tokens = {listing_of(repository.path, home).token}
    tokens.add(listing_of(repository.path, home, include=("*.py",)).token)
    tokens.add(listing_of(repository.path, home, exclude=("*.py",)).token)
    repository.commit({b"a.py": b"2"})
    tokens.add(listing_of(repository.path, home).token)
    assert len(tokens) == 4


def test_globs_decide_what_is_listed_and_the_rest_is_counted(repository: Repository, home: Path) -> None:
    repository.commit({b"a.py": b"", b"x/b.py": b"", b"x/b.md": b"", b"tests/t.py": b""})
    listing = listing_of(repository.path, home, include=("**/*.py",), exclude=("tests/",))
    assert [item.path for item in listing.items] == [b"a.py", b"x/b.py"]
    assert listing.excluded == 2


@pytest.mark.parametrize(
    "ref", ["main", "refs/heads/main", "v1", "annotated", "side", "feature/x", "COMMIT", "SHORT"]
)
def test_any_ref_can_be_listed(repository: Repository, home: Path, ref: str) -> None:
    wanted = repository.commit({b"a": b"wanted"})
    for branch in ("side", "feature/x"):
        repository.git("branch", branch)
    repository.git("tag", "v1")
    repository.git("tag", "-a", "-m", "words", "annotated")
    repository.commit({b"a": b"other"}, branch="elsewhere", is_orphan=True)
    name = {"COMMIT": wanted, "SHORT": wanted[:10]}.get(ref, ref)
    assert contents_of(repository.path, home, ref=name) == {b"a": b"wanted"}


@pytest.mark.parametrize("shape", ["bare", "linked worktree", "dot-git", "shallow clone", "sha256"])
def test_every_shape_of_repository_is_read(tmp_path: Path, home: Path, shape: str) -> None:
    repository = Repository(tmp_path / "r", object_format="sha256" if shape == "sha256" else "sha1")
    repository.commit({b"a": b"old"})
    repository.commit({b"a": b"new", b"d/b": b"b"})
    location = repository.path
    if shape == "bare":
        location = tmp_path / "bare.git"
        repository.git("clone", "-q", "--bare", ".", str(location))
    elif shape == "linked worktree":
        location = tmp_path / "linked"
        repository.git("worktree", "add", "-q", "--detach", str(location))
    elif shape == "dot-git":
        location = repository.path / ".git"
    elif shape == "shallow clone":
        location = tmp_path / "shallow"
        repository.git("clone", "-q", "--depth=1", repository.url, str(location))
    assert validate_location("git", str(location), None) == str(location)
    assert contents_of(location, home) == {b"a": b"new", b"d/b": b"b"}


def test_a3_a_repository_that_cannot_be_listed_is_an_error_and_never_an_empty_listing(
    tmp_path: Path, home: Path
) -> None:
    unborn = Repository(tmp_path / "unborn")
    with pytest.raises(SourceUnavailable, match="no commits"):
        listing_of(unborn.path, home)
    with pytest.raises(SourceUnavailable, match="no commits"):
        listing_of(unborn.url, home)
    with pytest.raises(SourceUnavailable, match="no git repository"):
        listing_of(tmp_path / "absent", home)
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        listing_of(f"file://{tmp_path}/absent", home)
    unborn.commit({b"a": b"1"})
    with pytest.raises(SourceUnavailable, match="no branch, tag or commit 'gone'"):
        listing_of(unborn.path, home, ref="gone")
    with pytest.raises(SourceUnavailable, match="no branch or tag 'gone'"):
        listing_of(unborn.url, home, ref="gone")


def test_a_tree_that_is_all_empty_is_a_complete_and_empty_listing(repository: Repository, home: Path) -> None:
    repository.commit({})
    listing = listing_of(repository.path, home)
    assert (listing.items, listing.is_complete) == ((), True)


def test_a_tree_that_names_a_path_twice_is_incomplete_and_lists_it_once(
    repository: Repository, home: Path
) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"x").strip()
    entry = b"100644 a\0" + bytes.fromhex(blob.decode())
    tree = repository.git(
        "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry * 2
    ).strip()
    commit = repository.git("commit-tree", "-m", "m", tree.decode()).strip()
    repository.git("update-ref", "refs/heads/main", commit.decode())
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    listing = connector.list()
    assert [item.path for item in listing.items] == [b"a"]
    assert not listing.is_complete
    assert "twice" in listing.problems[0]


def test_contents_come_in_the_order_asked_from_one_process(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = {b"%03d" % number: b"content %d" % number for number in range(50)}
    repository.commit(tree)
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    items = connector.list().items[::-1]
    started: list[list[str]] = []
    real = subprocess.Popen

    def popen(command: list[str], *arguments: object, **options: object) -> object:
        started.append(command)
        return real(command, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", popen)
    read = list(connector.read_many(items, LIMIT))
    connector.close()
    assert [(item.path, content) for item, content in read] == [(i.path, tree[i.path]) for i in items]
    assert len(started) == 1


def test_a_file_beyond_the_limit_is_too_large_whether_its_size_is_known_or_not(
    repository: Repository, home: Path
) -> None:
    repository.commit({b"big": b"x" * 1_000, b"next": b"y"})
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    big, following = connector.list().items
    with pytest.raises(TooLarge):
        connector.read(big, 999)
    assert connector.read(big, 1_000) == b"x" * 1_000
    unknown = ListedItem(big.path, big.kind, big.token, big.content_hash, None)
    with pytest.raises(TooLarge):
        connector.read(unknown, 999)
    assert connector.read(following, 999) == b"y", "what was too large must not spill into the next file"
    connector.close()


def test_an_absent_object_is_one_file_s_transient_failure(repository: Repository, home: Path) -> None:
    repository.commit({b"a": b"1", b"b": b"2"})
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    a, b = connector.list().items
    gone = ListedItem(b"gone", ItemKind.FILE, f"git:{'0' * 39}1", None, None)
    read = [content for _, content in connector.read_many([a, gone, b], LIMIT)]
    connector.close()
    assert (read[0], type(read[1]), read[2]) == (b"1", VanishedItem, b"2")


def test_a_damaged_object_is_one_file_s_failure_although_git_dies_of_it(
    repository: Repository, home: Path
) -> None:
    repository.commit({b"a": b"1", b"damaged": b"content to damage", b"z": b"2"})
    repository.git("unpack-objects", "-q", stdin=_packed(repository))
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    items = connector.list().items
    blob = items[1].token.removeprefix("git:")
    loose = repository.path / ".git" / "objects" / blob[:2] / blob[2:]
    loose.chmod(0o600)
    loose.write_bytes(loose.read_bytes()[:-6] + b"\0" * 6)
    read = [content for _, content in connector.read_many(items, LIMIT)]
    connector.close()
    assert (read[0], type(read[1]), read[2]) == (b"1", VanishedItem, b"2")


def _packed(repository: Repository) -> bytes:
    """Take the packs out of a repository, so that its objects can be unpacked into single files."""
    packs = list((repository.path / ".git" / "objects" / "pack").glob("*.pack"))
    content = packs[0].read_bytes() if packs else repository.git("pack-objects", "--all", "--stdout", "-q")
    for file in (repository.path / ".git" / "objects" / "pack").iterdir():
        file.unlink()
    return content


def test_a_replacement_object_does_not_change_what_a_blob_id_means(
    repository: Repository, home: Path
) -> None:
    repository.commit({b"a": b"true"})
    honest = repository.git("hash-object", "-w", "--stdin", stdin=b"true").decode().strip()
    forged = repository.git("hash-object", "-w", "--stdin", stdin=b"forged").decode().strip()
    repository.git("replace", honest, forged)
    assert contents_of(repository.path, home) == {b"a": b"true"}


def test_a_partial_clone_lists_everything_and_downloads_nothing(tmp_path: Path, home: Path) -> None:
    origin = Repository(tmp_path / "r")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.commit({b"a": b"1", b"b": b"2"})
    partial = tmp_path / "partial"
    origin.git("clone", "-q", "--no-checkout", "--filter=blob:none", origin.url, str(partial))
    connector = open_connector(source_of("git", partial), settings_at(home))
    listing = connector.list()
    assert [(item.path, item.size_bytes) for item in listing.items] == [(b"a", None), (b"b", None)]
    assert listing.is_complete
    read = [type(content) for _, content in connector.read_many(listing.items, LIMIT)]
    connector.close()
    assert read == [VanishedItem, VanishedItem]


@as_root
@pytest.mark.parametrize("as_url", [False, True])
def test_a_repository_of_another_user_is_read(repository: Repository, home: Path, as_url: bool) -> None:
    repository.commit({b"a": b"1"})
    subprocess.run(["chown", "-R", "65534", str(repository.path)], check=True)
    location = repository.url if as_url else repository.path
    assert contents_of(location, home) == {b"a": b"1"}


def test_the_callers_git_environment_and_configuration_are_left_out(
    repository: Repository, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({b"a": b"1"})
    other = Repository(tmp_path / "other")
    other.commit({b"b": b"2"})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
    configuration = tmp_path / "gitconfig"
    configuration.write_text("[core]\n\tquotePath = true\n[broken\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    assert contents_of(repository.path, home) == {b"a": b"1"}


def test_the_repository_s_own_configuration_runs_nothing(repository: Repository, home: Path) -> None:
    repository.commit({b"a": b"1"})
    trap = home.parent / "sprung"
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.alternateRefsCommand"):
        repository.git("config", name, f"touch {trap}")
    repository.git("config", "extensions.partialClone", "origin")
    repository.git("config", "remote.origin.promisor", "true")
    repository.git("config", "remote.origin.url", f"ext::touch {trap}")
    repository.git("config", "protocol.ext.allow", "always")
    connector = open_connector(source_of("git", repository.path), settings_at(home))
    gone = ListedItem(b"gone", ItemKind.FILE, f"git:{'0' * 39}1", None, None)
    assert isinstance(next(connector.read_many([gone], LIMIT))[1], VanishedItem)
    assert contents_of(repository.path, home) == {b"a": b"1"}
    assert not trap.exists()


# Addresses -----------------------------------------------------------------------------------------------


def test_a_remote_repository_is_mirrored_and_follows_its_branch(repository: Repository, home: Path) -> None:
    repository.commit({b"a": b"1"})
    assert contents_of(repository.url, home) == {b"a": b"1"}
    second = repository.commit({b"a": b"2", b"b": b"b"})
    connector = open_connector(source_of("git", repository.url), settings_at(home))
    assert connector.peek() is None, "a commit that is not here yet has an unknown tree"
    listing = connector.list()
    assert (listing.revision, connector.peek()) == (second, listing.token)
    assert contents_of(repository.url, home) == {b"a": b"2", b"b": b"b"}


def test_a_remote_and_a_local_source_of_the_same_tree_have_the_same_token(
    repository: Repository, home: Path
) -> None:
    repository.commit({b"a": b"1"})
    assert listing_of(repository.url, home).token == listing_of(repository.path, home).token


@pytest.mark.parametrize("ref", ["main", "refs/heads/main", "v1", "annotated", "feature/x", "COMMIT"])
def test_any_ref_of_a_remote_can_be_listed(repository: Repository, home: Path, ref: str) -> None:
    wanted = repository.commit({b"a": b"wanted"})
    repository.git("branch", "feature/x")
    repository.git("branch", "other/x")
    repository.git("tag", "v1")
    repository.git("tag", "-a", "-m", "words", "annotated")
    repository.commit({b"a": b"decoy"}, branch="x/main", is_orphan=True)
    repository.commit({b"a": b"later"}, branch="later")
    repository.git("symbolic-ref", "HEAD", "refs/heads/later")
    name = wanted if ref == "COMMIT" else ref
    assert contents_of(repository.url, home, ref=name) == {b"a": b"wanted"}


def test_a_remote_sha256_repository_is_mirrored_as_one(tmp_path: Path, home: Path) -> None:
    repository = Repository(tmp_path / "r", object_format="sha256")
    repository.commit({b"a": b"1"})
    assert contents_of(repository.url, home) == {b"a": b"1"}


def test_nothing_is_fetched_when_the_remote_did_not_move(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({b"a": b"1"})
    listing_of(repository.url, home)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("fetched although nothing moved")

    monkeypatch.setattr(Mirror, "_fetch", refuse)
    assert [item.path for item in listing_of(repository.url, home).items] == [b"a"]


def test_a_machine_without_the_mirror_fetches_it_to_read(repository: Repository, home: Path) -> None:
    repository.commit({b"a": b"1"})
    items = listing_of(repository.url, home).items
    shutil.rmtree(home)
    connector = open_connector(source_of("git", repository.url), settings_at(home))
    assert connector.read(items[0], LIMIT) == b"1"
    connector.close()


def test_locks_that_a_killed_fetch_left_behind_do_not_block_the_next(
    repository: Repository, home: Path
) -> None:
    repository.commit({b"a": b"1"})
    listing_of(repository.url, home)
    mirror = next((home / "mirrors").glob("*.git"))
    for name in ("shallow.lock", "packed-refs.lock", "HEAD.lock"):
        (mirror / name).touch()
    for ref in (mirror / "refs" / "brain").iterdir():
        ref.with_name(ref.name + ".lock").touch()
    repository.commit({b"a": b"2"})
    assert contents_of(repository.url, home) == {b"a": b"2"}


def test_several_processes_may_mirror_the_same_address_at_once(repository: Repository, home: Path) -> None:
    repository.commit({b"a": b"1"})
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=contents_of, args=(repository.url, home)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0, 0, 0, 0]
    assert len(list((home / "mirrors").glob("*.git"))) == 1
    assert not list((home / "mirrors").glob("new-*"))


def test_a_mirror_that_another_process_is_fetching_is_not_touched(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({b"a": b"1"})
    listing_of(repository.url, home)
    repository.commit({b"a": b"2"})
    monkeypatch.setattr("brain_dagster.connectors.git_mirror._FETCH_TIMEOUT_S", 0.3)
    lock = next((home / "mirrors").glob("*.lock"))
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SourceUnavailable, match="being fetched by another process"):
            listing_of(repository.url, home)
    monkeypatch.undo()
    assert contents_of(repository.url, home) == {b"a": b"2"}


def test_a_server_that_never_answers_is_given_up(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "ssh"
    hanging.write_text("#!/bin/sh\nsleep 600\n")
    hanging.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(hanging))
    monkeypatch.setattr("brain_dagster.connectors.git_mirror._LIST_TIMEOUT_S", 0.5)
    connector = open_connector(source_of("git", "ssh://git@example.invalid/r.git"), settings_at(home))
    started = time.monotonic()
    with pytest.raises(SourceUnavailable, match="did not finish"):
        connector.peek()
    assert time.monotonic() - started < 5


def test_i12_a_token_in_an_address_is_not_in_the_error(home: Path) -> None:
    connector = open_connector(source_of("git", "https://tok3n@127.0.0.1:9/r.git"), settings_at(home))
    with pytest.raises(SourceUnavailable) as raised:
        connector.list()
    assert "tok3n" not in str(raised.value)
    assert "127.0.0.1" in str(raised.value)


# What `brain source add` refuses --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda top: (str(top / "absent"), None), "no such directory"),
        (lambda top: (str(top / "plain"), None), "--kind folder"),
        (lambda top: (str(top / "r" / "sub"), None), "--include '/sub/**'"),
        (lambda top: (str(top / "r"), "nope"), "no branch, tag or commit 'nope'"),
        (lambda top: (str(top / "r"), "--upload-pack=x"), "name of a branch"),
        (lambda top: (str(top / "r"), "a b"), "name of a branch"),
        (lambda top: (str(top / "unborn"), None), "no commits"),
        (lambda top: ("ext::sh -c true", None), "no such directory"),
        (lambda top: ("ftp://example.org/r.git", None), "not supported"),
        (lambda top: ("https://user:secret@example.org/r.git", None), "password"),
    ],
)
def test_nonsense_is_refused_early_with_what_to_do(
    tmp_path: Path, make: Callable[[Path], tuple[str, str | None]], words: str
) -> None:
    (tmp_path / "plain").mkdir()
    Repository(tmp_path / "unborn")
    Repository(tmp_path / "r").commit({b"sub/a": b"1"})
    (tmp_path / "r" / "sub").mkdir()
    location, ref = make(tmp_path)
    with pytest.raises(BadLocation) as raised:
        validate_location("git", location, ref)
    assert words in raised.value.message
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["https://example.org/r.git", "ssh://git@example.org:22/r", "git@example.org:team/r.git"]
)
def test_an_address_is_kept_as_it_is_without_contacting_it(address: str) -> None:
    assert validate_location("git", address, "main") == address


def test_a_relative_path_becomes_absolute(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit({b"a": b"1"})
    monkeypatch.chdir(repository.path.parent)
    assert validate_location("git", "r", None) == str(repository.path)


def test_an_unknown_kind_names_the_known_ones(home: Path) -> None:
    with pytest.raises(UnknownKind, match="folder, git"):
        open_connector(source_of("ftp", "x"), settings_at(home))
    with pytest.raises(UnknownKind):
        validate_location("ftp", "x", None)
    with pytest.raises(BadGlob):
        validate_globs(("",), ())


def test_an_entry_without_a_size_is_parsed_as_unknown() -> None:
    oid = b"a" * 40
    listing = (
        b"100644 blob " + oid + b"       6\tx\ty\0"
        b"160000 commit " + oid + b"       -\tm\0"
        b"120000 blob " + oid + b"\tl\0"
    )
    assert [(i.path, i.kind, i.size_bytes) for i in parse_tree(listing)] == [
        (b"x\ty", ItemKind.FILE, 6),
        (b"m", ItemKind.SUBMODULE, None),
        (b"l", ItemKind.SYMLINK, None),
    ]
