"""Maven's pom.xml."""

from __future__ import annotations

from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.manifests.xml_tree import Element, load_xml


def read_pom(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pom.xml: dependencies, modules, main classes; versions stay as written, `${...}` included."""
    project = load_xml(file)
    if project.tag != "project":
        raise NotParsable(project.line)
    parent = project.child("parent") or Element("parent", {}, 1)
    group = project.text_of("groupId") or parent.text_of("groupId")
    version = project.text_of("version") or parent.text_of("version")
    yield MapEntry("manifest", file.name, described(_coordinate(group, project), version), 1)
    waiting = [(project, "")]
    while waiting:
        here, purpose = waiting.pop()
        for child in here.children:
            if child.tag == "dependency" and here.tag == "dependencies":
                yield _dependency(child, purpose)
            elif child.tag == "module" and here.tag == "modules" and child.text():
                yield MapEntry("workspace", child.text(), "maven module", child.line)
            elif child.tag in ("mainClass", "start-class") and child.text() and "${" not in child.text():
                yield MapEntry("entry_point", child.text(), "maven main class", child.line)
            elif child.tag != "exclusions":
                named = {"dependencyManagement": "managed", "plugin": "plugin"}.get(child.tag, purpose)
                waiting.append((child, named))


def _coordinate(group: str, element: Element) -> str:
    return ":".join(filter(None, [group, element.text_of("artifactId")]))


def _dependency(element: Element, purpose: str) -> MapEntry:
    scope = element.text_of("scope")
    optional = "optional" if element.text_of("optional") == "true" else ""
    why = ", ".join(filter(None, [purpose, scope if scope != "compile" else "", optional]))
    name = _coordinate(element.text_of("groupId"), element)
    return MapEntry("dependency", name, with_purpose(element.text_of("version"), why), element.line)
