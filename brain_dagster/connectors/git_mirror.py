"""A remote repository, kept as a bare mirror under BRAIN_HOME: one commit deep, no checkout."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from brain_dagster.connectors.git_process import GitResult, run_git, without_credentials
from brain_dagster.connectors.git_refs import Head, resolve
from brain_dagster.errors import SourceUnavailable

_LIST_TIMEOUT_S = 30.0
_FETCH_TIMEOUT_S = 3_600.0
_COMMIT_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
# git refuses to serve a local repository that another user owns, and does not pass our own setting on
# to the process that serves it, so that process is told itself.
_LOCAL_SERVER = "--upload-pack=git -c 'safe.directory=*' upload-pack"


class Mirror:
    """One remote address. Its objects are shared by all sources with that address."""

    def __init__(self, url: str, home: Path) -> None:
        self.url = url
        self._folder = home / "mirrors"
        digest = hashlib.sha256(url.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._git_dir = self._folder / f"{digest}.git"
        self._lock_path = self._folder / f"{digest}.lock"

    def git_dir(self, ref: str | None) -> Path:
        """Return the mirror's directory, fetching first on a machine that has none yet."""
        if not self._git_dir.is_dir():
            self.head(ref)
        return self._git_dir

    def peek(self, ref: str | None) -> Head | None:
        """Ask the remote which commit `ref` is; None when that commit is not here, so its tree is unknown."""
        commit, _ = self._remote_commit(ref)
        return self._known(commit)

    def head(self, ref: str | None) -> Head:
        """Return what `ref` is at the remote now, fetching only what the mirror lacks."""
        commit, name = self._remote_commit(ref)
        return self._known(commit) or self._fetch(name, commit)

    def _known(self, commit: str) -> Head | None:
        return resolve(self._git_dir, commit) if self._git_dir.is_dir() else None

    def _remote_commit(self, ref: str | None) -> tuple[str, str]:
        """Return the id of the commit or tag that a ref is at the remote, and the name to fetch it by."""
        if ref is not None and _COMMIT_ID.match(ref):
            return ref, ref
        names = candidate_names(ref)
        result = run_git(
            ["ls-remote", *self._server(), "--", self.url, *names],
            timeout_s=_LIST_TIMEOUT_S,
            uses_network=True,
        )
        self._check(result, "cannot be reached")
        return self._choose(result.stdout, names, ref)

    def _choose(self, advertised: bytes, names: tuple[str, ...], ref: str | None) -> tuple[str, str]:
        found: dict[str, str] = {}
        for line in advertised.decode("utf-8", "surrogateescape").splitlines():
            identity, _, name = line.partition("\t")
            found[name] = identity
        for name in names:
            if name in found:
                return found[name], name
        if ref in (None, "HEAD"):
            raise self._unavailable("has no commits on its default branch yet; name another with --ref")
        raise self._unavailable(f"has no branch or tag {ref!r}; a commit is named by its whole id")

    def _fetch(self, name: str, commit: str) -> Head:
        with self._lock() as lock:
            known = self._known(commit)  # another process may have fetched it while this one waited
            if known is not None:
                return known
            self._prepare(len(commit))
            local = f"refs/brain/{hashlib.sha256(name.encode()).hexdigest()[:32]}"
            result = self._fetch_ref(f"+{name}:{local}", lock, depth=("--depth=1",))
            if result.exit_code and "does not support shallow" in result.stderr:
                result = self._fetch_ref(f"+{name}:{local}", lock, depth=())
            self._check(result, f"did not hand over {name}")
            head = resolve(self._git_dir, local)
        if head is None:
            raise self._unavailable(f"handed over {name}, but it is not a commit")
        return head

    def _fetch_ref(self, refspec: str, lock: int, *, depth: tuple[str, ...]) -> GitResult:
        return run_git(
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *depth, *self._server(), "--",
             self.url, refspec],
            git_dir=self._git_dir,
            timeout_s=_FETCH_TIMEOUT_S,
            uses_network=True,
            keep_open=(lock,),
        )  # fmt: skip

    def _prepare(self, id_length: int) -> None:
        """Create the mirror, whole or not at all; clear the locks a killed fetch left behind.

        Called with our own lock held, which a fetch inherits: no lock of git's can belong to the living.
        """
        if self._git_dir.is_dir():
            for stale in (*self._git_dir.glob("*.lock"), *self._git_dir.glob("refs/brain/*.lock")):
                stale.unlink(missing_ok=True)
            return
        kind = "sha256" if id_length == 64 else "sha1"
        half_made = Path(mkdtemp(prefix="new-", dir=self._folder))
        arguments = ["init", "--quiet", "--bare", "--template=", f"--object-format={kind}", str(half_made)]
        try:
            self._check(run_git(arguments), "cannot be mirrored")
            half_made.rename(self._git_dir)
        finally:
            shutil.rmtree(half_made, ignore_errors=True)

    @contextmanager
    def _lock(self) -> Iterator[int]:
        """Hold the mirror alone; yields the descriptor that carries the lock."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            deadline = time.monotonic() + _FETCH_TIMEOUT_S
            while not _try_lock(descriptor):
                if time.monotonic() > deadline:
                    raise self._unavailable("is being fetched by another process that does not finish")
                time.sleep(0.1)
            yield descriptor
        finally:
            os.close(descriptor)

    def _server(self) -> tuple[str, ...]:
        return (_LOCAL_SERVER,) if self.url.startswith("file://") else ()

    def _check(self, result: GitResult, what: str) -> None:
        if result.exit_code:
            raise self._unavailable(f"{what}: {result.reason}")

    def _unavailable(self, what: str) -> SourceUnavailable:
        return SourceUnavailable(f"the repository {what}", subject=without_credentials(self.url))


def candidate_names(ref: str | None) -> tuple[str, ...]:
    """Return the full names a ref may stand for, in git's own order of preference."""
    if ref is None or ref == "HEAD":
        return ("HEAD",)
    if ref.startswith("refs/"):
        return (ref,)
    return (f"refs/{ref}", f"refs/tags/{ref}", f"refs/heads/{ref}")


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
