"""YAML as nodes that know their lines, built from the parser's events.

No object is constructed and no alias is copied: an alias is the node it names, so a bomb of aliases costs
what its text costs. The parser is libyaml, which does not recurse; neither does this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import yaml

from brain_dagster.codemap.base import MappedFile, NotParsable

_MAX_DEPTH = 100
# Compose files merge two or three; a chain of 16,000 of them took 340 s to follow (measured 2026-12-01).
_MAX_MERGED = 50
_CHECK_EVERY = 500
_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(slots=True, eq=False)
class YamlNode:
    """A mapping (`pairs`), a sequence (`items`) or a scalar (`text`), and the line it starts on.

    A pair is a key with its line and its value; keys that are no scalars are left out, and of two that are
    the same the first counts. A null has no text.
    """

    line: int
    text: str = ""
    pairs: dict[str, tuple[int, YamlNode]] = field(default_factory=dict)
    items: list[YamlNode] = field(default_factory=list)

    def entries(self) -> Iterator[tuple[str, int, YamlNode]]:
        """Yield the pairs, then those that merge keys (`<<`) bring in; the first of a name counts."""
        seen: set[str] = {"<<"}
        for node in self._merged():
            for key, (line, value) in node.pairs.items():
                if key not in seen:
                    seen.add(key)
                    yield key, line, value

    def at(self, *path: str) -> YamlNode | None:
        """Return the value at a path of keys; None if there is none."""
        here: YamlNode | None = self
        for part in path:
            merged = here._merged() if here is not None else iter(())
            here = next((node.pairs[part][1] for node in merged if part in node.pairs), None)
        return here

    def _merged(self) -> Iterator[YamlNode]:
        """Yield this mapping and those that it merges, nearest first, at most _MAX_MERGED of them."""
        waiting, known = [self], {id(self)}
        for node in waiting:
            yield node
            _, merge = node.pairs.get("<<", (0, None))
            for more in (merge.items or [merge])[:_MAX_MERGED] if merge is not None else ():
                if id(more) not in known and len(waiting) < _MAX_MERGED:
                    known.add(id(more))
                    waiting.append(more)

    def strings(self) -> list[tuple[str, int]]:
        """Return the scalars of a sequence, or the one scalar this is, with their lines."""
        nodes = self.items or ([self] if self.text else [])
        return [(node.text, node.line) for node in nodes if node.text]


def load_yaml(file: MappedFile) -> YamlNode:
    """Return the root of the first document; an empty file is a null.

    Errors  NotParsable with the line where the parser stopped; also for nesting no person writes.
    """
    builder = _Builder(file)
    try:
        for step, event in zip(count(), yaml.parse(file.text, Loader=yaml.CSafeLoader)):
            if step % _CHECK_EVERY == 0:
                file.deadline.check()
            if isinstance(event, yaml.DocumentEndEvent):
                break
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise NotParsable(file.lines.line(mark.index) if mark else None) from error
    return builder.root


class _Builder:
    """Puts events together; the parser guarantees that they nest."""

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        self.root = YamlNode(1)
        self._open: list[YamlNode] = []
        self._is_mapping: list[bool] = []
        # Per open mapping the key that waits for its value; None while a key is next.
        self._keys: list[YamlNode | None] = []
        self._anchors: dict[str, YamlNode] = {}

    def take(self, event: yaml.Event) -> None:
        """Add what one event says."""
        if isinstance(event, yaml.AliasEvent):
            self._place(self._anchors.get(event.anchor or "") or YamlNode(self._line(event)))
        elif isinstance(event, yaml.ScalarEvent):
            is_null = event.implicit[0] and event.value in _NULLS
            node = YamlNode(self._line(event), "" if is_null else event.value)
            self._anchor(event, node)
            self._place(node)
        elif isinstance(event, yaml.CollectionStartEvent):
            node = YamlNode(self._line(event))
            self._anchor(event, node)
            self._place(node)
            if len(self._open) >= _MAX_DEPTH:
                raise NotParsable(node.line)
            self._open.append(node)
            self._is_mapping.append(isinstance(event, yaml.MappingStartEvent))
            self._keys.append(None)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._is_mapping.pop()
            self._keys.pop()

    def _line(self, event: yaml.Event) -> int:
        # By offset: YAML also counts lines at U+0085 and U+2028, which end none here (fault E4).
        return self._file.lines.line(event.start_mark.index if event.start_mark else 0)

    def _anchor(self, event: yaml.NodeEvent, node: YamlNode) -> None:
        if event.anchor:
            self._anchors[event.anchor] = node

    def _place(self, node: YamlNode) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if not self._is_mapping[-1]:
            parent.items.append(node)
        elif self._keys[-1] is None:
            self._keys[-1] = node
        else:
            key = self._keys[-1]
            self._keys[-1] = None
            if key.text:
                parent.pairs.setdefault(key.text, (key.line, node))
