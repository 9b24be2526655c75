"""Where the keys of a TOML file stand: the standard parser tells their values, but not their lines."""

from __future__ import annotations

import re

from brain_dagster.codemap.base import MappedFile

_KEY = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER_OR_KEY = re.compile(
    rf"^[ \t]*(?:\[\[?[ \t]*(?P<header>{_DOTTED})[ \t]*\]\]?[ \t]*(?:#.*)?$|(?P<key>{_DOTTED})[ \t]*=)",
    re.MULTILINE,
)
_PART = re.compile(_KEY)


class TomlLines:
    """Offsets of a file's tables and keys, the first of each name."""

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        self._offsets: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        # The parser knows only \n and \r\n as line ends, so the search may too.
        for found in _HEADER_OR_KEY.finditer(file.text.replace("\r\n", " \n")):
            file.deadline.check()
            if found["header"] is not None:
                table = _parts(found["header"])
                self._offsets.setdefault(table, found.start("header"))
            else:
                self._offsets.setdefault((*table, *_parts(found["key"])), found.start("key"))

    def line(self, *path: str) -> int:
        """Return the line of a key or table; of the nearest table around it if it is written inline."""
        return self._file.lines.line(self._nearest(path))

    def line_of_string(self, value: str, *path: str) -> int:
        """Return the line of a string inside the array at `path`."""
        start = self._nearest(path)
        found = re.compile(rf"([\"']){re.escape(value)}\1").search(self._file.text, start)
        return self._file.lines.line(found.start() if found else start)

    def _nearest(self, path: tuple[str, ...]) -> int:
        for length in range(len(path), 0, -1):
            if path[:length] in self._offsets:
                return self._offsets[path[:length]]
        return 0


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
