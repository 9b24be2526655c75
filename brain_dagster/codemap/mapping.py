"""From a document's path, language and text to its entries in the code map."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_dagster.codemap.annotated_code import map_dotnet, map_java
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
from brain_dagster.codemap.go_code import map_go
from brain_dagster.codemap.json_manifests import read_composer_json, read_package_json
from brain_dagster.codemap.line_manifests import read_cargo, read_gemfile, read_go_mod, read_gradle
from brain_dagster.codemap.php_code import map_php
from brain_dagster.codemap.python_code import map_python
from brain_dagster.codemap.python_manifests import read_pyproject, read_requirements, read_setup_cfg
from brain_dagster.codemap.rails import map_rails
from brain_dagster.codemap.script_code import GRAMMARS, map_script
from brain_dagster.codemap.starting_files import map_rust, read_dockerfile, read_procfile
from brain_dagster.codemap.xml_manifests import read_dotnet_project, read_pom
from brain_dagster.store.clean import clean_text

# Changes whenever the same file would give other entries: every document is then mapped again.
CODE_MAP_RECIPE = "codemap/1"

_LONE_RETURN = re.compile(r"\r(?!\n)")

# Patterns of whole file names, in lower case.
_MANIFESTS: dict[str, Reader] = {
    r"pyproject\.toml": read_pyproject,
    r"setup\.cfg": read_setup_cfg,
    r"(?:[\w.-]+[-_.])?requirements(?:[-_.][\w.-]+)?\.(?:txt|in)": read_requirements,
    r"package\.json": read_package_json,
    r"composer\.json": read_composer_json,
    r"go\.mod": read_go_mod,
    r"cargo\.toml": read_cargo,
    r"pom\.xml": read_pom,
    r"build\.gradle(?:\.kts)?": read_gradle,
    r"gemfile": read_gemfile,
    r".+\.(?:cs|fs|vb)proj": read_dotnet_project,
}
_STARTING_FILES: dict[str, Reader] = {
    r"(?:.+\.)?dockerfile|dockerfile\..+|containerfile": read_dockerfile,
    r"procfile(?:\.\w+)?": read_procfile,
}
_BY_SUFFIX: dict[str, Reader] = {
    ".py": map_python,
    ".go": map_go,
    ".java": map_java,
    ".cs": map_dotnet,
    ".php": map_php,
    ".rb": map_rails,
    ".rs": map_rust,
    **dict.fromkeys(GRAMMARS, map_script),
}
# For scripts whose name does not tell: the language comes from their first line.
_BY_LANGUAGE: dict[str, Reader] = {"python": map_python, "javascript": map_script, "php": map_php}
MAPPED_LANGUAGES = tuple(_BY_LANGUAGE)


def mapped_names() -> str:
    """Return one pattern, for PostgreSQL and Python alike, of the lower-case paths that can matter."""
    names = "|".join([*_MANIFESTS, *_STARTING_FILES])
    suffixes = "|".join(re.escape(suffix) for suffix in _BY_SUFFIX)
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
    storable = _LONE_RETURN.sub("\n", clean_text(text))
    file = MappedFile(path, language, storable, Deadline())
    manifest = _manifest_reader(path)
    if manifest is not None:
        return _bounded(_manifest_entries(file, manifest))
    reader = _first(_STARTING_FILES, file.name) or _BY_SUFFIX.get(file.suffix)
    reader = reader or (_BY_LANGUAGE.get(language) if not file.suffix else None)
    if reader is None:
        return ()
    return _bounded(_source_entries(file, reader))


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
    return _first(_MANIFESTS, name)


def _manifest_entries(file: MappedFile, reader: Reader) -> Iterator[MapEntry]:
    """Yield a manifest's entries, all of them or only that it could not be parsed."""
    try:
        entries = list(reader(file))
    except NotParsable as broken:
        where = f" (line {broken.line})" if broken.line else ""
        entries = [MapEntry("manifest", file.name, f"could not be parsed{where}", broken.line or 1)]
    except Exception:  # noqa: BLE001 - the per-document boundary: whatever a hostile file does ends here
        entries = [MapEntry("manifest", file.name, "could not be parsed", 1)]
    yield from entries


def _source_entries(file: MappedFile, reader: Reader) -> Iterator[MapEntry]:
    """Yield a source's entries for as long as its reader gets through it."""
    try:
        yield from reader(file)
    except BudgetSpent:
        return
    except Exception:  # noqa: BLE001 - the per-document boundary: whatever a hostile file does ends here
        return


def _bounded(entries: Iterator[MapEntry]) -> tuple[MapEntry, ...]:
    kept: dict[MapEntry, None] = {}
    for entry in entries:
        name = tidy(entry.name)
        if name:
            kept[MapEntry(entry.kind, name, tidy(entry.detail), entry.line)] = None
        if len(kept) >= MAX_ENTRIES_PER_FILE:
            break
    return tuple(sorted(kept, key=lambda entry: entry.line))
