"""Gradle: dependencies, members and main classes of builds, settings files, and version catalogs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brain_dagster.codemap.base import MapEntry, MappedFile, described, with_purpose
from brain_dagster.codemap.manifests.gradle_scripts import Said, Statement, statements
from brain_dagster.codemap.manifests.toml_tree import TomlLines, load_toml, table_at

_BLOCKS = {"dependencies": "", "constraints": "constraint"}
_WRAPPERS = {"", "platform", "enforcedPlatform", "testFixtures"}
_NO_DEPENDENCY = {"exclude", "because", "println", "def", "apply", "files", "fileTree", "attributes"}
_INCLUDES = {"include": "gradle include", "includeBuild": "gradle included build"}
# What the build itself starts; tasks of their own have a main class as well.
_MAIN_CLASSES = {
    "mainClassName",
    *(f"{plugin}.{name}" for plugin in ("application", "springBoot")
      for name in ("mainClass", "mainClassName", "mainClass.set")),
}  # fmt: skip


def read_gradle(file: MappedFile) -> Iterator[MapEntry]:
    """Read the `dependencies` blocks of a Gradle build, in Groovy or Kotlin, and its main class.

    Versions stay as written, variables in them included; an alias of a catalog is named as written. A script
    of another name than build.gradle is a manifest only if it declares something.
    """
    found: list[MapEntry] = []
    for statement in statements(file):
        if statement.block.rpartition(".")[2] in _BLOCKS:
            found.extend(_dependencies(statement))
        elif f"{statement.block}.{statement.called}".strip(".") in _MAIN_CLASSES:
            named = statement.said.strings[:1]
            found += [MapEntry("entry_point", name, "gradle main class", line) for name, line in named]
    if found or file.name.lower().startswith("build.gradle"):
        yield MapEntry("manifest", file.name, "Gradle build", 1)
    yield from found


def _dependencies(statement: Statement) -> Iterator[MapEntry]:
    use, said = statement.called, statement.said
    if use == "add" and said.strings:
        use, said.strings = said.strings[0][0], said.strings[1:]
    if use in _NO_DEPENDENCY or not use.isidentifier():
        return
    purpose = ", ".join(filter(None, [_BLOCKS[statement.block.rpartition(".")[2]], use]))
    for name, version, line in _named_in(said, statement.line):
        yield MapEntry("dependency", name, with_purpose(version, purpose), line)


def _named_in(said: Said, line: int) -> Iterator[tuple[str, str, int]]:
    """Yield name, version and line of what an argument list names; of a project, that it is one."""
    for text, own_line in said.strings:
        group, _, rest = text.partition("@")[0].partition(":")
        name, _, version = rest.partition(":")
        if group and name and " " not in group + name:
            yield f"{group}:{name}", version if "{" in version else version.partition(":")[0], own_line
    if "group" in said.named and "name" in said.named:
        yield f"{said.named['group']}:{said.named['name']}", said.named.get("version", ""), line
    for called, inside in said.calls:
        texts = [text for text, _ in inside.strings]
        if called == "project":
            yield from ((path, "project", line) for path in [inside.named.get("path", ""), *texts] if path)
        elif called == "kotlin" and texts:
            yield f"org.jetbrains.kotlin:kotlin-{texts[0]}", "".join(texts[1:2]), line
        elif called in _WRAPPERS:
            yield from _named_in(inside, line)
    for name in said.names:
        if "." in name:
            yield name, "project" if name.startswith("projects.") else "", line


def read_gradle_settings(file: MappedFile) -> Iterator[MapEntry]:
    """Read a settings.gradle: the name of the build, its projects and the builds it includes."""
    found: list[MapEntry] = []
    name = ""
    for statement in statements(file):
        if statement.called == "rootProject.name":
            name = next((text for text, _ in statement.said.strings), name)
        words = _INCLUDES.get(statement.called)
        if words:
            found += [MapEntry("workspace", text, words, line) for text, line in statement.said.strings]
    yield MapEntry("manifest", file.name, described("Gradle settings", f"({name})" if name else ""), 1)
    yield from found


def read_version_catalog(file: MappedFile) -> Iterator[MapEntry]:
    """Read a version catalog: libraries and plugins with their versions and the aliases builds use."""
    tables = load_toml(file)
    lines = TomlLines(file)
    versions = table_at(tables, "versions")
    yield MapEntry("manifest", file.name, "Gradle version catalog", 1)
    for table, prefix in (("libraries", "libs"), ("plugins", "libs.plugins")):
        for alias, wanted in table_at(tables, table).items():
            name, version = _catalog_item(wanted, versions)
            dotted = f"{prefix}.{alias.replace('-', '.').replace('_', '.')}"
            yield MapEntry("dependency", name, with_purpose(version, dotted), lines.line(table, alias))


def _catalog_item(wanted: object, versions: Mapping[str, Any]) -> tuple[str, object]:
    if isinstance(wanted, str):
        name, _, version = wanted.rpartition(":")
        return name, version
    of: Mapping[str, Any] = wanted if isinstance(wanted, Mapping) else {}
    name = str(of.get("module") or of.get("id") or f"{of.get('group', '')}:{of.get('name', '')}").strip(":")
    return name, _catalog_version(of.get("version"), versions)


def _catalog_version(said: object, versions: Mapping[str, Any]) -> object:
    """Return a version, that which a reference names, or the strictest of a table of rules."""
    if isinstance(said, Mapping) and isinstance(said.get("ref"), str):
        said = versions.get(said["ref"])
    if isinstance(said, Mapping):
        return next((said[key] for key in ("strictly", "require", "prefer") if key in said), "")
    return said
