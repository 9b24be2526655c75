"""What the statements of a syntax tree are to the chunker."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node


class Role(StrEnum):
    """What a statement is to the chunker."""

    UNIT = "unit"
    CONTAINER = "container"
    NAMESPACE = "namespace"
    VALUE = "value"
    IMPORT = "import"
    COMMENT = "comment"
    ATTRIBUTE = "attribute"
    OTHER = "other"


DECLARED = frozenset((Role.UNIT, Role.CONTAINER, Role.NAMESPACE))


@dataclass(
    slots=True
)  # not frozen: there is one for every statement of a file, and that takes a third of the time
class Statement:
    """One statement of a scope.

    node      the whole statement, its wrappers included
    inner     the declaration inside the wrappers; the node itself where there are none
    is_open   the statement's parts follow as statements of their own (an `#ifdef`, an ERROR node)
    modules   what an import imports, as written
    tails     siblings that complete it
    spilled   where comments begin that the grammar counts as part of it, if it does
    repeats   neighbours of this kind and name are one declaration with it
    section   the name it gives to all that follows
    """

    node: Node
    inner: Node
    role: Role
    name: str = ""
    is_open: bool = False
    modules: tuple[str, ...] = ()
    tails: tuple[Node, ...] = ()
    spilled: int | None = None
    repeats: bool = False
    section: str = ""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The statement and what completes it."""
        return (self.node, *self.tails)

    @property
    def end_byte(self) -> int:
        """Where the statement ends."""
        return self.nodes[-1].end_byte if self.spilled is None else self.spilled
