"""A git repository as a source: any ref of a local path or an address, read without a checkout.

The listing is the tree of one commit with the identity of every blob, so a file that did not change is
never read, and no history is needed to say what changed (F3, F5). Paths are bytes throughout (F6).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from brain_dagster.connectors.base import BadLocation, NotAFile, TooLarge, VanishedItem
from brain_dagster.connectors.git_blobs import BlobReader
from brain_dagster.connectors.git_mirror import Mirror
from brain_dagster.connectors.git_process import run_git, without_credentials
from brain_dagster.connectors.git_refs import Head, resolve
from brain_dagster.connectors.globs import Globs
from brain_dagster.errors import BrainError, SourceUnavailable
from brain_dagster.model import ItemKind, ListedItem, Listing, Source
from brain_dagster.settings import Settings

_SCHEMES = ("file", "git", "http", "https", "ssh")
_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>.+)\Z", re.DOTALL)
_SSH_SHORT = re.compile(r"[^/:\s]+@[^/:\s]+:.+\Z")  # git@forge.example:team/repository.git
_PASSWORD = re.compile(r"[^/@]*:[^/@]+@")
_UNUSABLE_REF = re.compile(r"[\x00-\x20\x7f]|\A-|\A\Z")
_KINDS = {b"120000": ItemKind.SYMLINK, b"160000": ItemKind.SUBMODULE}
_TOKEN = re.compile(r"git:([0-9a-f]{40}|[0-9a-f]{64})\Z")


class Repository(Protocol):
    """Where the objects are, and what a ref means there."""

    def git_dir(self, ref: str | None) -> Path:
        """Return the directory of the object store."""

    def peek(self, ref: str | None) -> Head | None:
        """Return what the ref is now, or None where that is not cheap to know."""

    def head(self, ref: str | None) -> Head:
        """Return what the ref is now, whatever it takes."""


class LocalRepository:
    """A repository on this machine: a worktree, a bare repository or a linked worktree."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def git_dir(self, ref: str | None) -> Path:
        """Return the repository's own object store; nothing is copied."""
        found = find_git_dir(self._path)
        if found is None:
            raise SourceUnavailable("there is no git repository at this path", subject=str(self._path))
        return found

    def peek(self, ref: str | None) -> Head | None:
        """Return what the ref is; cheap here."""
        return self.head(ref)

    def head(self, ref: str | None) -> Head:
        """Return what the ref is now.

        Errors  SourceUnavailable for a repository without commits or a ref that does not exist: neither
                is an empty listing, which would delete everything (A3).
        """
        name = ref or "HEAD"
        head = resolve(self.git_dir(ref), name)
        if head is None:
            raise SourceUnavailable(_no_such_ref(name), subject=str(self._path))
        return head


class GitConnector:
    """Lists and reads one ref of a repository; see `Connector` for the contract."""

    def __init__(self, source: Source, repository: Repository) -> None:
        self._ref = source.ref
        self._repository = repository
        self._globs = Globs(source.include, source.exclude)
        self._blobs: BlobReader | None = None

    def peek(self) -> str | None:
        """Return the listing's token; a new commit that holds the same tree has the same token."""
        head = self._repository.peek(self._ref)
        return self._token(head.tree) if head is not None else None

    def list(self) -> Listing:
        """Return every entry of the ref's tree with its blob id; one git process, no file read."""
        head = self._repository.head(self._ref)
        entries = parse_tree(_read_tree(self._repository.git_dir(self._ref), head.tree))
        items: dict[bytes, ListedItem] = {}
        problems = []
        excluded = 0
        for item in sorted(entries, key=lambda entry: entry.path):
            if not self._globs.accepts(item.path):
                excluded += 1
            elif item.path in items:
                problems.append(f"the tree names {item.path!r} twice; run `git fsck` there")
            else:
                items[item.path] = item
        return Listing(
            revision=head.commit,
            token=self._token(head.tree),
            is_complete=not problems,
            items=tuple(items.values()),
            excluded=excluded,
            problems=tuple(problems),
        )

    def read(self, item: ListedItem, limit: int) -> bytes:
        """Return the content of one blob."""
        if item.kind is not ItemKind.FILE:
            raise NotAFile(subject=item.kind)
        if item.size_bytes is not None and item.size_bytes > limit:
            raise TooLarge()
        blob = _TOKEN.match(item.token)
        if blob is None:
            raise VanishedItem("this item was listed by another kind of source")
        if self._blobs is None:
            self._blobs = BlobReader(self._repository.git_dir(self._ref))
        return self._blobs.read(blob[1], limit)

    def read_many(
        self, items: Sequence[ListedItem], limit: int
    ) -> Iterator[tuple[ListedItem, bytes | BrainError]]:
        """Yield contents in the order given, through one git process."""
        for item in items:
            try:
                yield item, self.read(item, limit)
            except BrainError as error:
                yield item, error

    def close(self) -> None:
        """End the git process."""
        if self._blobs is not None:
            self._blobs.close()

    def _token(self, tree: str) -> str:
        return f"git:{hashlib.sha256(f'git {tree} {self._globs.digest}'.encode()).hexdigest()}"


def open_git(source: Source, settings: Settings) -> GitConnector:
    """Return the connector of a git source: its own object store if local, else a mirror under BRAIN_HOME."""
    if is_remote(source.location):
        return GitConnector(source, Mirror(source.location, settings.home_path))
    return GitConnector(source, LocalRepository(Path(source.location)))


def validate_location(location: str, ref: str | None) -> str:
    """Return the location as it is stored; refuse what can be seen to be wrong without a network.

    Errors  BadLocation.
    """
    if ref is not None and _UNUSABLE_REF.search(ref):
        raise BadLocation("this cannot be the name of a branch, tag or commit", subject=repr(ref))
    if is_remote(location):
        return _validate_address(location)
    path = Path(location).expanduser().absolute()
    git_dir = find_git_dir(path)
    if git_dir is None:
        raise BadLocation(_not_a_repository(path), subject=str(path))
    name = ref or "HEAD"
    if resolve(git_dir, name) is None:
        raise BadLocation(_no_such_ref(name), subject=str(path))
    return str(path)


def is_remote(location: str) -> bool:
    """Say whether a location is an address rather than a path of this machine."""
    return _ADDRESS.match(location) is not None or _SSH_SHORT.match(location) is not None


def find_git_dir(path: Path) -> Path | None:
    """Return the git directory of the repository whose top is `path`.

    Never looks further up: a folder that merely lies inside a repository is not that repository.
    """
    try:
        if (path / ".git").exists():
            return path / ".git"
        if (path / "HEAD").is_file() and ((path / "objects").is_dir() or (path / "commondir").is_file()):
            return path
    except OSError as error:
        raise SourceUnavailable(
            f"the repository cannot be opened: {error.strerror}", subject=str(path)
        ) from error
    return None


def parse_tree(listing: bytes) -> list[ListedItem]:
    """Read the output of `git ls-tree -r -z`, with or without sizes.

    An entry is `mode SP type SP id [SP+ size] TAB path NUL`; the path may hold any byte but NUL.
    """
    items = []
    for entry in listing.split(b"\0"):
        if entry:
            facts, _, path = entry.partition(b"\t")
            mode, _, identity, *size = facts.split()
            token = f"git:{identity.decode('ascii')}"
            size_bytes = int(size[0]) if size and size[0].isdigit() else None
            items.append(ListedItem(path, _KINDS.get(mode, ItemKind.FILE), token, token, size_bytes))
    return items


def _read_tree(git_dir: Path, tree: str) -> bytes:
    """List a tree; sizes are left out where blobs are absent, as in a partial clone.

    Errors  SourceUnavailable unless git says that it listed everything: what it printed before it failed
            is not a listing (A3).
    """
    arguments = ["ls-tree", "-r", "-z", "--full-tree"]
    result = run_git([*arguments, "-l", tree], git_dir=git_dir)
    if result.exit_code:
        result = run_git([*arguments, tree], git_dir=git_dir)
    is_whole = not result.stdout or result.stdout.endswith(b"\0")
    if result.exit_code or not is_whole:
        raise SourceUnavailable(f"its tree cannot be listed: {result.reason}", subject=str(git_dir))
    return result.stdout


def _validate_address(location: str) -> str:
    address = _ADDRESS.match(location)
    if address is not None:
        if address["scheme"] not in _SCHEMES:
            schemes = ", ".join(_SCHEMES)
            raise BadLocation(
                f"{address['scheme']}:// is not supported; use one of {schemes}", subject=location
            )
        if _PASSWORD.match(address["rest"]):
            raise BadLocation(
                "an address with a password in it would be stored and shown to others; "
                "use a credential helper or an ssh key instead",
                subject=without_credentials(location),
            )
    if location.startswith("-") or re.search(r"[\x00-\x1f\x7f]", location):
        raise BadLocation("this is not the address of a repository", subject=repr(location))
    return location


def _not_a_repository(path: Path) -> str:
    if not path.is_dir():
        return "there is no such directory; give a repository's top directory or its address"
    top = next((parent for parent in path.parents if find_git_dir(parent) is not None), None)
    if top is None:
        return "this directory is not a git repository; use --kind folder for plain files"
    inside = path.relative_to(top).as_posix()
    return f"this lies inside the repository {top}; give that, with --include '/{inside}/**'"


def _no_such_ref(name: str) -> str:
    if name == "HEAD":
        return "the repository has no commits on its current branch yet; commit, or name a branch with --ref"
    return f"the repository has no branch, tag or commit {name!r}"
