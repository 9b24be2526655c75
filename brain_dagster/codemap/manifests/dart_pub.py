"""Dart's pubspec.yaml."""

from __future__ import annotations

from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry, MappedFile, described, with_purpose
from brain_dagster.codemap.manifests.yaml_tree import YamlNode, load_yaml

_PURPOSES = {"dependencies": "", "dev_dependencies": "dev", "dependency_overrides": "override"}


def read_pubspec(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pubspec.yaml: packages, members of its workspace, and commands."""
    root = load_yaml(file)
    said = [(root.at(key) or YamlNode(1)).text for key in ("name", "version")]
    yield MapEntry("manifest", file.name, described(*said), 1)
    for table, purpose in _PURPOSES.items():
        for name, line, wanted in (root.at(table) or YamlNode(1)).entries():
            yield MapEntry("dependency", name, with_purpose(_spec(wanted), purpose), line)
    for member, line in (root.at("workspace") or YamlNode(1)).strings():
        yield MapEntry("workspace", member, "pub workspace", line)
    for name, line, script in (root.at("executables") or YamlNode(1)).entries():
        yield MapEntry("entry_point", name, f"executable: bin/{script.text or name}.dart", line)


def _spec(wanted: YamlNode) -> str:
    """Return the version, or where the package comes from instead."""
    if wanted.text:
        return wanted.text
    for path in (("version",), ("git", "url"), ("git",), ("path",)):
        found = wanted.at(*path)
        if found is not None and found.text:
            return found.text
    sdk = wanted.at("sdk")
    return f"sdk {sdk.text}" if sdk is not None and sdk.text else ""
