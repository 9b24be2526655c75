"""Default rules for what is not worth indexing. Each has a name, and each skip says which one and why.

A rule looks at as little as it can: first at what the listing says, then at the path, and only then at
the content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain_dagster.model import ItemKind, ListedItem

_KINDS = {
    ItemKind.SYMLINK: "a symbolic link is never followed; what it points to is indexed where it is",
    ItemKind.SUBMODULE: "a submodule is another repository; add it as a source of its own",
    ItemKind.SPECIAL: "not a regular file but a pipe, a socket or a device",
}
# Directories that a package manager fills and nobody edits. `vendor/` is not among them: it is as often
# a company's own code about its vendors; `--exclude vendor/` is one flag away.
_VENDORED = re.compile(rb"(?:\A|/)(node_modules|bower_components|jspm_packages|__pycache__|\.tox|\.nox)/")
_GENERATED_NAMES = re.compile(rb"\.min\.(?:js|mjs|cjs|css|html)\Z|\.map\Z|\.(?:pyc|pyo)\Z", re.IGNORECASE)
_LOCK_FILES = frozenset(
    b"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock "
    b"poetry.lock uv.lock pdm.lock pixi.lock Pipfile.lock Cargo.lock composer.lock Gemfile.lock go.sum "
    b"mix.lock flake.lock pubspec.lock Podfile.lock Package.resolved packages.lock.json gradle.lockfile "
    b".terraform.lock.hcl".split()
)
# Names whose content is never text. Types that share a name with text (.ts, .dat, .bin, .obj) are read.
_BINARY_NAMES = re.compile(
    rb"\.(?:png|jpe?g|gif|webp|avif|heic|ico|icns|bmp|tiff?|psd|woff2?|ttf|otf|eot|mp[34]|m4[av]|mov|avi|mkv"
    rb"|webm|wav|flac|ogg|opus|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|whl|egg|so|dylib|dll|exe|a|o|class"
    rb"|wasm|sqlite3?|parquet|npy|npz|pkl|pth|onnx|safetensors|gguf|h5)\Z",
    re.IGNORECASE,
)
# A pointer of git-lfs is shorter than this, and pointers bear the names of what they stand for.
_LFS_LIMIT_BYTES = 1_024
_LFS_POINTER = re.compile(
    rb"version https?://(?:git-lfs\.github\.com/spec/v1|hawser\.github\.com/spec/v1|git-media\.io/v/2)\n"
    rb"(?:ext-\d-[^ \n]+ sha256:[0-9a-f]{64}\n)*"
    rb"oid sha256:[0-9a-f]{64}\n"
    rb"size \d+\n?\Z"
)


@dataclass(frozen=True, slots=True)
class Skip:
    """Why an item is not indexed: the name of a rule, and a sentence for people."""

    rule: str
    reason: str


def judge_listing(item: ListedItem, limit_bytes: int) -> Skip | None:
    """Judge an item by what the listing says of it, and by its path; nothing is read."""
    if item.kind in _KINDS:
        return Skip(item.kind.value, _KINDS[item.kind])
    if item.size_bytes == 0:
        return EMPTY
    vendored = _VENDORED.search(item.path)
    if vendored is not None:
        return Skip("vendored", f"installed by a package manager into {vendored[1].decode('ascii')}/")
    if item.size_bytes is not None and item.size_bytes > limit_bytes:
        return too_large(item.size_bytes, limit_bytes)
    if item.size_bytes is None or item.size_bytes < _LFS_LIMIT_BYTES:
        return None
    return judge_path(item.path)


def judge_path(path: bytes) -> Skip | None:
    """Judge a file by its name alone."""
    name = path.rpartition(b"/")[2]
    if name in _LOCK_FILES:
        return Skip("generated", "a lock file, written by a package manager")
    if _GENERATED_NAMES.search(name):
        return Skip("generated", "by its name a minified file, a source map or compiled code")
    binary = _BINARY_NAMES.search(name)
    if binary is not None:
        return Skip("binary", f"a {binary[0].decode('ascii').lower()} file holds no text")
    return None


def judge_bytes(path: bytes, raw: bytes) -> Skip | None:
    """Judge a file by its bytes, before anyone decodes them."""
    if not raw:
        return EMPTY
    if len(raw) < _LFS_LIMIT_BYTES and _LFS_POINTER.match(raw):
        return Skip("lfs-pointer", "LFS content not fetched: the repository holds only a pointer to it")
    return judge_path(path)


def too_large(size_bytes: int | None, limit_bytes: int) -> Skip:
    """Return the skip of a file beyond the limit; its size is unknown when reading stopped there."""
    size = f"{size_bytes:,} bytes" if size_bytes is not None else "the content"
    return Skip("too-large", f"{size}, more than the {limit_bytes:,} of BRAIN_MAX_FILE_BYTES")


EMPTY = Skip("empty", "there is nothing in it but white space")
