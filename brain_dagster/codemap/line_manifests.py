"""Manifests that are read line by line: go.mod, Cargo.toml's tables, Gradle builds, Gemfile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.python_manifests import load_toml, table_at
from brain_dagster.codemap.toml_lines import TomlLines

_GO_REQUIRE = re.compile(r"^\s*(?:require\s+)?([^\s()]+)\s+(v[^\s/]+)\s*(//\s*indirect)?")
_GRADLE_BLOCK = re.compile(r"\bdependencies\s*\{")
_GRADLE_COORDINATE = re.compile(
    r"""^\s*(?P<use>[A-Za-z]\w*)\s*\(?\s*(?:(?:platform|enforcedPlatform|testFixtures)\s*\(\s*)?"""
    r"""(?P<quote>["'])(?P<name>[^"':\s]+:[^"':\s]+)(?::(?P<version>[^"'@]+))?[^"']*(?P=quote)"""
)
_GRADLE_NAMED = re.compile(
    r"""^\s*(?P<use>[A-Za-z]\w*)\s*\(?\s*group\s*[:=]\s*["'](?P<group>[^"']+)["']\s*,"""
    r"""\s*name\s*[:=]\s*["'](?P<name>[^"']+)["'](?:\s*,\s*version\s*[:=]\s*["'](?P<version>[^"']+)["'])?"""
)
_GRADLE_OTHER = re.compile(
    r"""^\s*(?P<use>[A-Za-z]\w*)\s*\(?\s*(?:(?:platform|enforcedPlatform)\s*\(\s*)?"""
    r"""(?:project\s*\(\s*(?:path\s*[:=]\s*)?["'](?P<project>[^"']+)["']|(?P<alias>libs\.[\w.]+))"""
)
_GEM = re.compile(r"""^\s*gem\s*\(?\s*(["'])([^"']+)\1(.*)$""")
_GEM_VERSION = re.compile(r"""^\s*,\s*(["'])([^"']*)\1""")
_GEM_GROUP = re.compile(r"^\s*group\b(.*)\bdo\b")
_BLOCK_OPENS = re.compile(r"\bdo\s*(?:\|[^|]*\|)?\s*(?:#.*)?$|^\s*(?:if|unless|case)\b")


def read_go_mod(file: MappedFile) -> Iterator[MapEntry]:
    """Read a go.mod: the module, its Go version, what it requires directly and indirectly."""
    module = re.search(r"^module\s+\"?([^\s\"]+)", file.text, re.MULTILINE)
    if module is None:
        raise NotParsable
    version = re.search(r"^go\s+(\S+)", file.text, re.MULTILINE)
    detail = described(module.group(1), f"(go {version.group(1)})" if version else "")
    yield MapEntry("manifest", file.name, detail, file.lines.line(module.start()))
    block = ""
    for number, line in file.numbered_lines():
        opens = re.match(r"^(\w+)\s*\(", line)
        if opens:
            block = opens.group(1)
        elif line.strip().startswith(")"):
            block = ""
        elif block == "require" or (not block and line.startswith("require ")):
            wanted = _GO_REQUIRE.match(line)
            if wanted:
                purpose = "indirect" if wanted.group(3) else ""
                yield MapEntry("dependency", wanted.group(1), with_purpose(wanted.group(2), purpose), number)


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
    binaries = tables.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        if isinstance(binary, Mapping) and isinstance(binary.get("name"), str):
            name, path = binary["name"], binary.get("path")
            line = lines.line_of_string(name, "bin")
            yield MapEntry("entry_point", name, f"binary: {path}" if path else "binary", line)


def _crates(
    tables: Mapping[str, Any], around: tuple[str, ...], why: str, lines: TomlLines
) -> Iterator[MapEntry]:
    kinds = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}
    for table, kind in kinds.items():
        for name, wanted in table_at(tables, *around, table).items():
            of: Mapping[str, Any] = wanted if isinstance(wanted, Mapping) else {"version": wanted}
            spec = of.get("version") or of.get("git") or of.get("path")
            spec = "workspace" if spec is None and of.get("workspace") is True else spec
            purpose = ", ".join(filter(None, [kind, why]))
            crate = of["package"] if isinstance(of.get("package"), str) else name
            line = lines.line(*around, table, name)
            yield MapEntry("dependency", crate, with_purpose(spec, purpose), line)


def read_gradle(file: MappedFile) -> Iterator[MapEntry]:
    """Read the `dependencies` blocks of a Gradle build, in Groovy or Kotlin."""
    yield MapEntry("manifest", file.name, "Gradle build", 1)
    depth = 0
    for number, text in file.numbered_lines():
        line = re.sub(r"(?<!:)//.*$", "", text)
        if depth == 0:
            opens = _GRADLE_BLOCK.search(line)
            if opens is None:
                continue
            line = line[opens.end() :]
            depth = 1
        for statement in line.split(";"):
            entry = _gradle_dependency(statement.split("{")[0], number)
            if entry:
                yield entry
        depth = max(0, depth + line.count("{") - line.count("}"))


def _gradle_dependency(statement: str, line: int) -> MapEntry | None:
    named = _GRADLE_COORDINATE.match(statement)
    if named:
        return MapEntry("dependency", named["name"], with_purpose(named["version"], named["use"]), line)
    named = _GRADLE_NAMED.match(statement)
    if named:
        name = f"{named['group']}:{named['name']}"
        return MapEntry("dependency", name, with_purpose(named["version"], named["use"]), line)
    named = _GRADLE_OTHER.match(statement)
    if named and named["project"]:
        return MapEntry("dependency", named["project"], with_purpose("project", named["use"]), line)
    if named:
        return MapEntry("dependency", named["alias"], with_purpose("", named["use"]), line)
    return None


def read_gemfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read a Gemfile: gems with their versions and the groups around them."""
    yield MapEntry("manifest", file.name, "", 1)
    blocks: list[str] = []
    for number, line in file.numbered_lines():
        group = _GEM_GROUP.match(line)
        if group:
            blocks.append(", ".join(re.findall(r":(\w+)", group.group(1))))
        elif _BLOCK_OPENS.search(line) and not line.lstrip().startswith("#"):
            blocks.append("")
        elif re.match(r"^\s*end\b", line) and blocks:
            blocks.pop()
        gem = _GEM.match(line)
        if gem:
            purpose = ", ".join(filter(None, [*blocks, _inline_group(gem.group(3))]))
            yield MapEntry("dependency", gem.group(2), with_purpose(_versions(gem.group(3)), purpose), number)


def _versions(rest: str) -> str:
    versions: list[str] = []
    while version := _GEM_VERSION.match(rest):
        versions.append(version.group(2))
        rest = rest[version.end() :]
    return ", ".join(versions)


def _inline_group(rest: str) -> str:
    group = re.search(r"\bgroups?(?::|\s*=>)\s*(\[[^\]]*\]|:\w+)", rest)
    return ", ".join(re.findall(r":(\w+)", group.group(1))) if group else ""
