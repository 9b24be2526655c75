"""A code map in the order in which a reader asks: what it is, how it starts, what it serves and needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from brain_dagster.store.codemap import PlacedEntry

_ASIDE = {
    "test",
    "tests",
    "spec",
    "__tests__",
    "example",
    "examples",
    "demo",
    "docs",
    "doc",
    "fixtures",
    "bench",
}
# A prefix with more routes than this is told apart by one more part of the path, if that tells them apart.
_MOST_ROUTES = 12
_MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Entries that share a label: the prefix of routes, the manifest of dependencies; empty for no label."""

    label: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of entries as text.

    share    how many entries it is given in a round
    stride   how many of them one group gets before the next one
    in_line  whether a group is one line
    """

    title: str
    nouns: tuple[str, str]
    groups: tuple[Group, ...]
    share: int
    stride: int = 1
    in_line: bool = False
    preposition: str = "in"

    @property
    def total(self) -> int:
        """How many entries there are."""
        return sum(len(group.entries) for group in self.groups)

    def noun(self, number: int) -> str:
        """Return what this many entries are called."""
        return self.nouns[0] if number == 1 else self.nouns[1]


def sections_of(entries: Sequence[PlacedEntry]) -> list[Section]:
    """Return the sections that hold anything, most useful first, each with its entries in order."""
    of: dict[str, list[PlacedEntry]] = {}
    for entry in entries:
        of.setdefault(entry.kind, []).append(entry)

    def plain(
        kind: str, order: Callable[[PlacedEntry], tuple[object, ...]], words: _Words
    ) -> tuple[Group, ...]:
        return (Group("", tuple(words(entry) for entry in sorted(of.get(kind, []), key=order))),)

    routes = _route_groups(of.get("route", []))
    dependencies = _dependency_groups(of.get("dependency", []))
    sections = [
        Section("What it is", ("manifest", "manifests"), plain("manifest", _by_depth, _manifest), 2),
        Section("Started by", ("entry point", "entry points"), plain("entry_point", _by_start, _started), 3),
        Section("HTTP routes", ("route", "routes"), routes, 6, 3, preposition="under"),
        Section("gRPC methods", ("method", "methods"), plain("rpc", _by_name, _served), 3),
        Section("Message consumers", ("consumer", "consumers"), plain("consumer", _by_name, _served), 3),
        Section("Workspace members", ("member", "members"), plain("workspace", _by_depth, _member), 2),
        Section("Dependencies", ("dependency", "dependencies"), dependencies, 6, 8, in_line=True),
    ]
    return [section for section in sections if section.total]


_Words = Callable[[PlacedEntry], str]


def _place(entry: PlacedEntry) -> str:
    return f"({entry.path}:{entry.line})"


def _manifest(entry: PlacedEntry) -> str:
    return f"{entry.path}: {entry.detail}" if entry.detail else entry.path


def _started(entry: PlacedEntry) -> str:
    return f"{entry.name}: {entry.detail} {_place(entry)}"


def _served(entry: PlacedEntry) -> str:
    return " ".join(filter(None, [entry.name, "->" if entry.detail else "", entry.detail, _place(entry)]))


def _member(entry: PlacedEntry) -> str:
    return f"{entry.name} ({entry.detail}, {entry.path})"


def _is_aside(path: str) -> bool:
    return not _ASIDE.isdisjoint(path.lower().split("/")[:-1])


def _by_depth(entry: PlacedEntry) -> tuple[object, ...]:
    return _is_aside(entry.path), entry.path.count("/"), entry.path, entry.line, entry.name


def _by_name(entry: PlacedEntry) -> tuple[object, ...]:
    return _is_aside(entry.path), entry.name, entry.path, entry.line


def _by_start(entry: PlacedEntry) -> tuple[object, ...]:
    """Commands and services first, then what is imported, then scripts that can be run by their name."""
    rank = 1 if entry.detail.startswith("package ") else 2 if "__main__" in entry.detail else 0
    return _is_aside(entry.path), rank, entry.path.count("/"), entry.path, entry.line, entry.name


def _dependency_groups(entries: Iterable[PlacedEntry]) -> tuple[Group, ...]:
    """Group by manifest, those near the root first; in each what the product itself needs comes first."""
    of: dict[str, list[PlacedEntry]] = {}
    for entry in sorted(entries, key=_by_depth):
        of.setdefault(entry.path, []).append(entry)
    return tuple(
        Group(
            path,
            tuple(f"{entry.name} {entry.detail}".strip() for entry in sorted(listed, key=_by_directness)),
        )
        for path, listed in of.items()
    )


def _by_directness(entry: PlacedEntry) -> tuple[int, int, str]:
    return 2 if "(indirect" in entry.detail else int("(" in entry.detail), entry.line, entry.name


def _route_groups(entries: Iterable[PlacedEntry]) -> tuple[Group, ...]:
    """Group routes by the beginning of their path, as far as that keeps groups short; the largest first."""
    groups: list[tuple[str, list[PlacedEntry]]] = [("", sorted(entries, key=_by_route))]
    for parts in range(1, _MOST_PARTS + 1):
        groups = [finer for group in groups for finer in _split(*group, parts)]
    return tuple(
        Group(prefix or "/", tuple(map(_served, listed)))
        for prefix, listed in sorted(groups, key=lambda group: (-len(group[1]), group[0]))
        if listed
    )


def _by_route(entry: PlacedEntry) -> tuple[object, ...]:
    method, _, path = entry.name.partition(" ")
    return _is_aside(entry.path), path, method, entry.path, entry.line


def _split(prefix: str, listed: list[PlacedEntry], parts: int) -> list[tuple[str, list[PlacedEntry]]]:
    """Split a group by one more part of the path; a part that only one route has stays with the others."""
    if len(listed) <= _MOST_ROUTES:
        return [(prefix, listed)]
    finer: dict[str, list[PlacedEntry]] = {}
    for entry in listed:
        finer.setdefault(_prefix(entry.name, parts) or prefix, []).append(entry)
    kept = {name: found for name, found in finer.items() if len(found) > 1 and name != prefix}
    rest = [entry for name, found in finer.items() if name not in kept for entry in found]
    return [*kept.items(), *([(prefix, rest)] if rest else [])]


def _prefix(route: str, parts: int) -> str:
    """Return the first parts of a route's path; empty where it is shorter, or a part is a parameter."""
    path = route.partition(" ")[2].split("?")[0]
    found = [part for part in path.split("/") if part][:parts]
    is_fixed = len(found) == parts and not any(part[0] in "{:<*[" or "(" in part for part in found)
    return "/" + "/".join(found) if is_fixed else ""
