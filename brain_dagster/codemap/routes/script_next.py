"""Next.js: routes that are files, `app/users/[id]/route.ts` and `pages/api/users.ts`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.script_calls import ScriptFile
from brain_dagster.codemap.syntax import INLINE

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_SUFFIXES = re.compile(r"\.(?:[jt]sx?|mjs)$")
_SEGMENT = re.compile(r"^(?:[a-z0-9._~-]+|\[{1,2}(?:\.{3})?\w[\w-]*\]{1,2})$")
_SPECIAL_PAGES = {"_app", "_document", "_error", "404", "500"}


@dataclass(frozen=True, slots=True)
class FilePlace:
    """What the place of a file makes of it: a page, an endpoint, or handlers by method; and its path."""

    role: Literal["page", "endpoint", "handlers"]
    path: str


def place_of(path: str) -> FilePlace | None:
    """Return what a file's path makes of it, or None if it is no route."""
    if not _SUFFIXES.search(path):
        return None
    *folders, name = _SUFFIXES.sub("", path).split("/")
    if name in ("page", "route"):
        below = _below(folders, "app")
        if below is None or any(part.startswith(("_", "(.")) for part in below):
            return None
        shown = [part for part in below if not part.startswith("@") and not re.fullmatch(r"\(.*\)", part)]
        return FilePlace("page" if name == "page" else "handlers", "/" + "/".join(shown))
    below = _below(folders, "pages")
    if below is None or name in _SPECIAL_PAGES or not all(map(_SEGMENT.match, [*below, name])):
        return None
    parts = below if name == "index" else [*below, name]
    is_endpoint = bool(below) and below[0] == "api"
    if not is_endpoint and not path.endswith(("x", "js")):
        return None
    return FilePlace("endpoint" if is_endpoint else "page", "/" + "/".join(parts))


def _below(folders: list[str], root: str) -> list[str] | None:
    """Return the folders below `src/app` or `app`; None if there is no such folder."""
    starts = [at for at, folder in enumerate(folders) if folder == root]
    if not starts:
        return None
    start = next((at for at in starts if at and folders[at - 1] == "src"), starts[0])
    return folders[start + 1 :]


def read_file(source: ScriptFile, place: FilePlace) -> Iterator[MapEntry]:
    """Yield the routes of a file in such a place, from what it exports."""
    for statement in source.tree.root.named_children:
        if statement.type != "export_statement":
            continue
        if place.role == "handlers":
            for method, handler in _exported_methods(source, statement):
                yield MapEntry("route", f"{method} {place.path}", handler, source.tree.line(statement))
        elif _is_default(statement):
            method = "GET" if place.role == "page" else "ANY"
            yield MapEntry("route", f"{method} {place.path}", _default(source, statement),
                           source.tree.line(statement))  # fmt: skip


def _is_default(statement: Node) -> bool:
    return any(child.type == "default" for child in statement.children)


def _default(source: ScriptFile, statement: Node) -> str:
    declared = source.tree.field(statement, "declaration") or source.tree.field(statement, "value")
    if declared is None:
        return INLINE
    return source.tree.field_text(declared, "name") or source.handler(declared, ())


def _exported_methods(source: ScriptFile, statement: Node) -> Iterator[tuple[str, str]]:
    """Yield method and handler of `export function GET`, `export const GET = x`, `export { x as GET }`."""
    declaration = source.tree.field(statement, "declaration")
    name = source.tree.field_text(declaration, "name")
    if name in _METHODS:
        yield name, name
    for child in declaration.named_children if declaration is not None else ():
        pattern = source.tree.field(child, "name") if child.type == "variable_declarator" else None
        for word in re.findall(r"\w+", source.tree.short_text(pattern)):
            if word in _METHODS:
                yield word, word
    for clause in (child for child in statement.named_children if child.type == "export_clause"):
        for item in clause.named_children:
            exported = source.tree.field_text(item, "alias") or source.tree.field_text(item, "name")
            if exported in _METHODS:
                yield exported, source.tree.field_text(item, "name")
