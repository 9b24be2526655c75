"""Project files, central package versions and solutions of .NET."""

from __future__ import annotations

from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose
from brain_dagster.codemap.manifests.xml_tree import Element, load_xml

# What a solution calls a folder of its own is no project.
_SOLUTION_FOLDER = "{2150E333-8FDC-42A3-9474-1A3956D46DE8}"
_PACKAGES = {"PackageReference": "", "PackageVersion": "central", "GlobalPackageReference": "global"}


def read_dotnet_project(file: MappedFile) -> Iterator[MapEntry]:
    """Read a project or shared file of MSBuild: target framework, packages, referenced projects, its tool."""
    project = load_xml(file)
    if project.tag != "Project":
        raise NotParsable(project.line)
    groups = [child for child in project.children if child.tag == "PropertyGroup"]
    frameworks = [group.text_of("TargetFramework") or group.text_of("TargetFrameworks") for group in groups]
    yield MapEntry("manifest", file.name, described(project.attributes.get("Sdk"), *frameworks), 1)
    for item in project.within("PackageReference", "PackageVersion", "GlobalPackageReference"):
        name = item.attributes.get("Include") or item.attributes.get("Update")
        if name:
            versions = [item.attributes.get(key, "") for key in ("Version", "VersionOverride")]
            version = versions[0] or item.text_of("Version") or versions[1]
            yield MapEntry("dependency", name, with_purpose(version, _PACKAGES[item.tag]), item.line)
    for item in project.within("ProjectReference"):
        if item.attributes.get("Include"):
            yield MapEntry("dependency", item.attributes["Include"], "(project)", item.line)
    for group in groups:
        command = group.child("ToolCommandName")
        if command is not None and command.text():
            yield MapEntry("entry_point", command.text(), "dotnet tool", command.line)


def read_packages_config(file: MappedFile) -> Iterator[MapEntry]:
    """Read a packages.config, the list of packages before project files held it."""
    root = load_xml(file)
    if root.tag != "packages":
        raise NotParsable(root.line)
    yield MapEntry("manifest", file.name, "", 1)
    for package in root.within("package"):
        of = package.attributes
        purpose = "dev" if of.get("developmentDependency") == "true" else ""
        yield MapEntry("dependency", of.get("id", ""), with_purpose(of.get("version"), purpose), package.line)


def read_solution(file: MappedFile) -> Iterator[MapEntry]:
    """Read a solution: the projects in it, in the old format of lines or the new one of XML."""
    if file.suffix == ".slnx":
        yield from _xml_solution(file, load_xml(file))
        return
    if "Microsoft Visual Studio Solution File" not in file.text[:1_000]:
        raise NotParsable(1)
    yield MapEntry("manifest", file.name, "solution", 1)
    for number, line in file.numbered_lines():
        # Project("{kind}") = "name", "path", "{id}": nothing in the quotes can hold a quote.
        quoted = line.split('"')
        if line.startswith('Project("') and len(quoted) > 5 and quoted[1].upper() != _SOLUTION_FOLDER:
            yield MapEntry("workspace", quoted[5], f"solution project {quoted[3]}", number)


def _xml_solution(file: MappedFile, root: Element) -> Iterator[MapEntry]:
    if root.tag != "Solution":
        raise NotParsable(root.line)
    yield MapEntry("manifest", file.name, "solution", 1)
    for project in root.within("Project"):
        yield MapEntry("workspace", project.attributes.get("Path", ""), "solution project", project.line)
