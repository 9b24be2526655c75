"""From a document's path, language and text to its entries in the code map."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from brain_dagster.codemap.base import (
    MAX_ENTRIES_PER_FILE,
    MAX_FILE_CHARS,
    BudgetSpent,
    Deadline,
    MapEntry,
    MappedFile,
    NotParsable,
    Reader,
    tidy,
)
from brain_dagster.codemap.main_functions import (
    map_dotnet_top_level,
    map_kotlin_main,
    map_rust_main,
    map_scala_main,
)
from brain_dagster.codemap.manifests.known import MANIFESTS, STARTING_FILES
from brain_dagster.codemap.manifests.python_project import read_requirements
from brain_dagster.codemap.routes.dotnet_source import map_dotnet
from brain_dagster.codemap.routes.go_source import map_go
from brain_dagster.codemap.routes.java_source import map_java
from brain_dagster.codemap.routes.kotlin_source import map_kotlin
from brain_dagster.codemap.routes.php_source import map_php
from brain_dagster.codemap.routes.proto_source import map_proto
from brain_dagster.codemap.routes.python_source import map_python
from brain_dagster.codemap.routes.ruby_source import map_ruby
from brain_dagster.codemap.routes.rust_source import map_rust
from brain_dagster.codemap.routes.script_source import GRAMMARS, map_script
from brain_dagster.store.clean import clean_text

# Changes whenever the same file would give other entries: every document is then mapped again.
CODE_MAP_RECIPE = "codemap/3"

_LONE_RETURN = re.compile(r"\r(?!\n)")

_BY_SUFFIX: dict[str, Reader] = {
    ".py": map_python,
    ".go": map_go,
    ".java": map_java,
    ".cs": map_dotnet,
    ".php": map_php,
    ".rb": map_ruby,
    ".rs": map_rust,
    ".kt": map_kotlin,
    ".kts": map_kotlin,
    ".proto": map_proto,
    **dict.fromkeys(GRAMMARS, map_script),
}
# Where programs begin, beside what the readers above find in the same files.
_MAINS: dict[str, Reader] = {
    ".rs": map_rust_main,
    ".kt": map_kotlin_main,
    ".scala": map_scala_main,
    ".cs": map_dotnet_top_level,
}
# For scripts whose name does not tell: the language comes from their first line.
_BY_LANGUAGE: dict[str, Reader] = {
    "python": map_python,
    "javascript": map_script,
    "php": map_php,
    "ruby": map_ruby,
}
MAPPED_LANGUAGES = tuple(_BY_LANGUAGE)


def mapped_names() -> str:
    """Return one pattern, for PostgreSQL and Python alike, of the lower-case paths that can matter."""
    names = "|".join([*MANIFESTS, *STARTING_FILES])
    suffixes = "|".join(re.escape(suffix) for suffix in {**_BY_SUFFIX, **_MAINS})
    folder = r"requirements/[^/]+\.(?:txt|in)"
    return rf"(?:^|/)(?:{names}|{folder}|[^/]+(?:{suffixes}))$"


def map_document(path: str, language: str, text: str) -> tuple[MapEntry, ...]:
    """Return what one document declares, in line order; never raises on its content.

    A manifest that breaks its format gives one entry that says so, and nothing invented. A file above
    MAX_FILE_CHARS is not read. A reader that runs out of its time keeps what it has found.
    """
    if len(text) > MAX_FILE_CHARS:
        return map_unread(path)
    # A lone carriage return ends a line here but for no parser; one for one, so every line stays (E4).
    storable = _LONE_RETURN.sub("\n", clean_text(text.removeprefix("\ufeff")))
    file = MappedFile(path, language, storable, Deadline())
    manifest = _manifest_reader(path)
    if manifest is not None:
        return _bounded(_manifest_entries(file, manifest))
    return _bounded(_source_entries(file, _source_readers(file)))


def map_unread(path: str) -> tuple[MapEntry, ...]:
    """Return what can be said of a document too large to be read: that a manifest is there."""
    if _manifest_reader(path) is None:
        return ()
    return (MapEntry("manifest", tidy(path.rpartition("/")[2]), "too large to be read", 1),)


def _first(readers: dict[str, Reader], name: str) -> Reader | None:
    lower = name.lower()
    return next((reader for pattern, reader in readers.items() if re.fullmatch(pattern, lower)), None)


def _manifest_reader(path: str) -> Reader | None:
    folder, _, name = path.rpartition("/")
    if folder.rpartition("/")[2].lower() == "requirements" and name.lower().endswith((".txt", ".in")):
        return read_requirements
    return _first(MANIFESTS, name)


def _source_readers(file: MappedFile) -> list[Reader]:
    """Return all that read a file which is no manifest, in the order in which they do."""
    found = [_first(STARTING_FILES, file.name), _BY_SUFFIX.get(file.suffix), _MAINS.get(file.suffix)]
    if not file.suffix:
        found.append(_BY_LANGUAGE.get(file.language))
    return [reader for reader in found if reader is not None]


def _manifest_entries(file: MappedFile, reader: Reader) -> Iterator[MapEntry]:
    """Yield a manifest's entries, all of them or only that it could not be parsed."""
    try:
        # Aliases let a small YAML file list a large table again and again: what is too much is not made.
        entries = list(islice(reader(file), MAX_ENTRIES_PER_FILE))
    except NotParsable as broken:
        where = f" (line {broken.line})" if broken.line else ""
        entries = [MapEntry("manifest", file.name, f"could not be parsed{where}", broken.line or 1)]
    except BudgetSpent:
        entries = [MapEntry("manifest", file.name, "could not be read in time", 1)]
    except Exception:  # noqa: BLE001 - the per-document boundary: whatever a hostile file does ends here
        entries = [MapEntry("manifest", file.name, "could not be parsed", 1)]
    yield from entries


def _source_entries(file: MappedFile, readers: list[Reader]) -> Iterator[MapEntry]:
    """Yield a source's entries for as long as its readers get through it; they share its time."""
    for reader in readers:
        try:
            yield from reader(file)
        except BudgetSpent:
            return
        except Exception:  # noqa: BLE001 - the per-document boundary: what a hostile file does ends here
            continue


def _bounded(entries: Iterator[MapEntry]) -> tuple[MapEntry, ...]:
    kept: dict[MapEntry, None] = {}
    for entry in entries:
        name = tidy(entry.name)
        if name:
            kept[MapEntry(entry.kind, name, tidy(entry.detail), entry.line)] = None
        if len(kept) >= MAX_ENTRIES_PER_FILE:
            break
    return tuple(sorted(kept, key=lambda entry: entry.line))
