"""What the chunker has to know about a programming language, and how it is written down.

A row names the kinds of the language's tree-sitter grammar that matter. Places inside a node are written as
paths: steps joined by `/`. A step is the name of a field, or kinds of a child after `>`, or kinds of a
descendant after `@` (the first in reading order, the node itself included). `|` separates alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def kinds(words: str) -> frozenset[str]:
    """Return the kinds of node named in a line of words."""
    return frozenset(words.split())


@dataclass(frozen=True)
class Language:
    """How to read the syntax tree of one language.

    grammar      name of the grammar in tree_sitter_language_pack
    units        functions, methods, types: a chunk each
    containers   classes and the like: one chunk if they fit, else a header and their members
    namespaces   containers whose members count as top-level
    values       constants and variables: named at the top level, part of their container elsewhere
    only_with    kind -> path = kinds: the kind is a unit or container only when the node at that path is
                 of one of those kinds; otherwise it is a value if listed there, else mere code
    wrappers     kind -> path to the declaration inside, if there is one (decorators, `export`, templates)
    transparent  statements that may hold declarations; read as if these stood in their place
    imports      kind -> pattern over the statement's text; where it is found, the statement is an import,
                 and the group is the module's name
    names        kind -> path of the name, by default the field `name`; several paths, each after a space,
                 are joined by dots; after `=` stands a name that is always the same
    bodies       kind -> path of the body, by default the field `body`
    attributes   siblings that belong to the declaration after them, whatever lies between
    title        pattern over the first 4 kB of the text; its group is the title
    fallback     language to try when this one's grammar meets errors
    """

    grammar: str
    units: frozenset[str]
    containers: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    only_with: Mapping[str, str] = field(default_factory=dict)
    wrappers: Mapping[str, str] = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    imports: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    comments: frozenset[str] = kinds("comment")
    title: str = ""
    fallback: str = ""
