"""Rust's Cargo.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brain_dagster.codemap.base import MapEntry, MappedFile, described, with_purpose
from brain_dagster.codemap.manifests.toml_tree import TomlLines, load_toml, strings_in, table_at, tables_at

_KINDS = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}


def read_cargo(file: MappedFile) -> Iterator[MapEntry]:
    """Read a Cargo.toml: package or workspace, crates for building, testing and per target, binaries."""
    tables = load_toml(file)
    lines = TomlLines(file)
    package = table_at(tables, "package")
    detail = described(package.get("name"), package.get("version")) or "workspace" * ("workspace" in tables)
    yield MapEntry("manifest", file.name, detail, 1)
    yield from _crates(tables, (), "", lines)
    yield from _crates(tables, ("workspace",), "workspace", lines)
    for target in table_at(tables, "target"):
        yield from _crates(tables, ("target", target), target, lines)
    for key, words in (("members", "cargo workspace"), ("exclude", "cargo workspace (excluded)")):
        for position, member in strings_in(table_at(tables, "workspace").get(key)):
            yield MapEntry("workspace", member, words, lines.line("workspace", key, position))
    for position, binary in tables_at(tables, "bin"):
        name, path = binary.get("name"), binary.get("path")
        if isinstance(name, str):
            line = lines.line("bin", position, "name")
            yield MapEntry("entry_point", name, f"binary: {path}" if path else "binary", line)


def _crates(
    tables: Mapping[str, Any], around: tuple[str, ...], why: str, lines: TomlLines
) -> Iterator[MapEntry]:
    for table, kind in _KINDS.items():
        for name, wanted in table_at(tables, *around, table).items():
            of: Mapping[str, Any] = wanted if isinstance(wanted, Mapping) else {"version": wanted}
            spec = of.get("version") or of.get("git") or of.get("path")
            spec = "workspace" if spec is None and of.get("workspace") is True else spec
            optional = "optional" if of.get("optional") is True else ""
            purpose = ", ".join(filter(None, [kind, why, optional]))
            crate = of["package"] if isinstance(of.get("package"), str) else name
            line = lines.line(*around, table, name)
            yield MapEntry("dependency", crate, with_purpose(spec, purpose), line)
