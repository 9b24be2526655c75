"""Maven's pom.xml and the project files of .NET, read by expat, which knows the lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose

_MAX_DEPTH = 200


@dataclass
class Element:
    """An element with its local name, attributes, own text in pieces, and line."""

    tag: str
    attributes: dict[str, str]
    line: int
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    def child(self, tag: str) -> Element | None:
        """Return the first child of that name."""
        return next((child for child in self.children if child.tag == tag), None)

    def text_of(self, tag: str) -> str:
        """Return the text of the first child of that name; empty if there is none."""
        child = self.child(tag)
        return "".join(child.pieces).strip() if child else ""


def load_xml(file: MappedFile) -> Element:
    """Return the root element.

    Errors  NotParsable for broken XML, and for any document type: entities are how XML attacks its reader,
            and no manifest needs one.
    """
    top = Element("", {}, 1)
    open_elements = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        file.deadline.check()
        if len(open_elements) > _MAX_DEPTH:
            raise NotParsable(parser.CurrentLineNumber)
        element = Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    def characters(text: str) -> None:
        open_elements[-1].pieces.append(text)

    def refuse(*_doctype: Any) -> None:
        raise NotParsable(parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, refuse
    parser.buffer_text = True
    try:
        parser.Parse(file.text.removeprefix("\ufeff"), True)
    except expat.ExpatError as error:
        raise NotParsable(error.lineno) from error
    return top.children[0]


def read_pom(file: MappedFile) -> Iterator[MapEntry]:
    """Read a pom.xml; versions stay as written, `${...}` included."""
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
                yield _maven_dependency(child, purpose)
            elif child.tag != "exclusions":
                named = {"dependencyManagement": "managed", "plugin": "plugin"}.get(child.tag, purpose)
                waiting.append((child, named))


def _coordinate(group: str, element: Element) -> str:
    return ":".join(filter(None, [group, element.text_of("artifactId")]))


def _maven_dependency(element: Element, purpose: str) -> MapEntry:
    scope = element.text_of("scope")
    why = ", ".join(filter(None, [purpose, scope if scope != "compile" else ""]))
    name = _coordinate(element.text_of("groupId"), element)
    return MapEntry("dependency", name, with_purpose(element.text_of("version"), why), element.line)


def read_dotnet_project(file: MappedFile) -> Iterator[MapEntry]:
    """Read a project file of .NET: its target framework, packages and referenced projects."""
    project = load_xml(file)
    if project.tag != "Project":
        raise NotParsable(project.line)
    groups = [child for child in project.children if child.tag == "PropertyGroup"]
    frameworks = [group.text_of("TargetFramework") or group.text_of("TargetFrameworks") for group in groups]
    yield MapEntry("manifest", file.name, described(project.attributes.get("Sdk"), *frameworks), 1)
    for group in (child for child in project.children if child.tag == "ItemGroup"):
        for item in group.children:
            name = item.attributes.get("Include", "")
            if item.tag == "PackageReference" and name:
                version = item.attributes.get("Version") or item.text_of("Version")
                yield MapEntry("dependency", name, with_purpose(version, ""), item.line)
            elif item.tag == "ProjectReference" and name:
                yield MapEntry("dependency", name, "(project)", item.line)
