"""The routers of one file: their prefixes, where they are mounted, and the routes that hang on them.

Frameworks differ in words and agree in shape: a router is made, perhaps with a prefix, gets routes, and is
mounted under another one, often further down than its routes. So routes are collected with the router they
hang on and written out when the file has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from brain_dagster.codemap.base import BudgetSpent, MapEntry
from brain_dagster.codemap.syntax import join_route

# A router is mounted in one or two places; more are made to hurt, and each multiplies those below it.
_MAX_PLACES = 16
_MAX_STEPS = 200
_FILE = -1


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a router hangs; `parent` is None for a router that another file made."""

    parent: Router | None
    prefix: str
    replaces_own: bool = False


@dataclass(slots=True, eq=False)
class Router:
    """Something that routes hang on: an application, a router, a group, a list of routes."""

    prefix: str = ""
    mounts: list[Mount] = field(default_factory=list)
    # Whether this file is seen to make it; names alone may deceive.
    is_made: bool = False
    # The function that makes it and may be mounted for it; counts for one that is mounted nowhere itself.
    holder: Router | None = None


@dataclass(frozen=True, slots=True)
class _Route:
    owner: Router | None
    methods: tuple[str, ...]
    path: str
    handler: str
    line: int
    column: int
    if_made: bool


class RouterTable:
    """The routers and routes of one file; names belong to the function that they are made in."""

    def __init__(self, join: Callable[..., str] = join_route, finish: Callable[[str], str] = str) -> None:
        self._join = join
        self._finish = finish
        self._named: dict[tuple[int, str], Router | None] = {}
        self._routes: list[_Route] = []

    def make(
        self, name: str, scopes: Sequence[int], prefix: str = "", parent: Router | None = None
    ) -> Router:
        """Remember a router under a name of the innermost scope, for what comes after it."""
        router = Router(prefix, [] if parent is None else [Mount(parent, "")])
        self._named[self._key(name, scopes)] = router
        return router

    def hide(self, name: str, scopes: Sequence[int]) -> None:
        """Remember that a name of the innermost scope is a parameter: nothing is known of it."""
        self._named.setdefault(self._key(name, scopes), None)

    def alias(self, name: str, scopes: Sequence[int], router: Router) -> None:
        """Let a name of the innermost scope mean a router, unless it means one already."""
        self._named.setdefault(self._key(name, scopes), router)

    def rename(self, name: str, scopes: Sequence[int], router: Router) -> None:
        """Let a name of the innermost scope mean this router from here on."""
        self._named[self._key(name, scopes)] = router

    def find(self, name: str, scopes: Sequence[int]) -> Router | None:
        """Return the router that a name means here; None for one of another file."""
        for scope in (*reversed(scopes), _FILE):
            if (scope, name) in self._named:
                return self._named[scope, name]
        return None

    def find_or_make(self, name: str, scopes: Sequence[int]) -> Router:
        """Return the router of this name; a list of routes may be mounted before it is read, or after."""
        return self.find(name, scopes) or self.make(name, ())

    def mount(
        self, child: Router | None, parent: Router | None, prefix: str, *, replaces_own: bool = False
    ) -> None:
        """Hang a router of this file below another one."""
        if child is not None and child is not parent and len(child.mounts) < _MAX_PLACES:
            child.mounts.append(Mount(parent, prefix, replaces_own))

    def add(
        self,
        owner: Router | None,
        methods: Iterable[str],
        path: str,
        handler: str,
        line: int,
        *,
        column: int = 0,
        if_made: bool = False,
    ) -> None:
        """Hang a route on a router; without one its path is all that is known.

        column   orders the routes of one line, which in a chain of calls are met from its end.
        if_made  drops the route if its owner turns out to be no router of this file.
        """
        self._routes.append(_Route(owner, tuple(methods), path, handler, line, column, if_made))

    def entries(self) -> Iterator[MapEntry]:
        """Yield the routes with all that is known of their paths, in the order of the file."""
        known: dict[Router | None, list[str]] = {}
        for route in sorted(self._routes, key=lambda route: (route.line, route.column)):
            if route.if_made and not _is_made(route.owner):
                continue
            if route.owner not in known:
                known[route.owner] = self._prefixes(route.owner)
            for prefix in known[route.owner]:
                # Alone, `*` stays what it is.
                path = self._finish(
                    self._join(prefix, route.path) if prefix or not route.path else route.path
                )
                for method in route.methods:
                    yield MapEntry("route", f"{method} {path}", route.handler, route.line)

    def _prefixes(self, router: Router | None) -> list[str]:
        """Return the prefixes of a router, one for each place it is mounted in; a circle is cut."""
        if router is None:
            return [""]
        whole: dict[str, None] = {}
        waiting: list[tuple[Router, str]] = [(router, "")]
        for _ in range(_MAX_STEPS):
            if not waiting or len(whole) >= _MAX_PLACES:
                break
            current, below = waiting.pop()
            own = self._join(current.prefix, below) if current.prefix or below else ""
            mounts = current.mounts or ([Mount(current.holder, "")] if current.holder is not None else [])
            if not mounts:
                whole[own] = None
            for mount in reversed(mounts):
                path = below if mount.replaces_own else own
                path = self._join(mount.prefix, path) if mount.prefix or path else ""
                if mount.parent is None:
                    whole[path] = None
                else:
                    waiting.append((mount.parent, path))
        return list(whole)

    @staticmethod
    def _key(name: str, scopes: Sequence[int]) -> tuple[int, str]:
        # What is kept in an object is set in one method and used in another.
        is_of_object = name.startswith(("self.", "this.", "$this->", "@"))
        return (scopes[-1] if scopes and not is_of_object else _FILE, name)


def _is_made(router: Router | None) -> bool:
    """Whether a router, or one that it is mounted on, is seen to be made in this file."""
    waiting = [router]
    for _ in range(_MAX_STEPS):
        current = waiting.pop() if waiting else None
        if current is None or current.is_made:
            return current is not None
        waiting.extend(mount.parent for mount in current.mounts)
    return False


def then_entries(found: Iterator[MapEntry], table: RouterTable) -> Iterator[MapEntry]:
    """Yield what is found at once, then the routes of the table, even if the time for the file was spent."""
    with suppress(BudgetSpent):
        yield from found
    yield from table.entries()
