"""What the chunker has to know about a programming language, and how it is written down.

A row names the kinds of the language's tree-sitter grammar that matter. Places inside a node are written as
paths: steps joined by `/`. A step is the name of a field, or kinds of a child after `>` (the first) or `<`
(the last; without kinds, whatever stands last), or kinds of a descendant after `@` (the first in reading
order, the node itself included). `|` separates alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property


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
    forms        kind -> (role, pattern) pairs, for kinds that only their text tells apart: the first pattern
                 found at the start of the text decides, and its group, if any, is the name; where none is
                 found the kind counts as in the other fields. Roles: unit container namespace value attribute
                 (several groups make up the name with dots between them)
    wrappers     kind -> path to the declaration inside, if there is one (decorators, `export`, templates)
    transparent  statements that may hold declarations; read as if these stood in their place (unless their
                 text gives them a role of their own)
    groups       nodes that only gather statements; always read as if their parts stood in their place
    tails        siblings that complete the declaration before them (a body beside its signature)
    spills       kinds that take in the comments behind them, which lead what follows
    imports      kind -> pattern over the statement's text; where it is found, the statement is an import,
                 and the group is the module's name
    modules      kind -> pattern of the single modules in what the pattern of `imports` finds; where there
                 are none, the statement is no import
    names        kind -> path of the name, by default the field `name`; several paths, each after a space,
                 are joined by dots; after `=` stands a name that is always the same, after `|=` one for
                 want of another; after `*` stand kinds of children that make up the name together, each
                 as written or, after `=`, as something else (`*identifier,parameter=:`)
    bodies       kind -> path of the body, by default the field `body`
    lead         pattern over what stands before a declaration on its line; where it covers all of that, the
                 header begins with it (`pub`, `type`)
    header       pattern over the text of a declaration without a body, from the line of its name: what it
                 finds is the header
    rewrites     pattern -> what the grammar reads in place of the text found, filled up with blanks; `\\1`
                 stands for a group; for macros and directives that are no part of the grammar
    attributes   siblings that belong to the declaration after them, whatever lies between
    docs         comments that belong to the declaration after them across a blank line
    afterthoughts  comments that belong to what is above them when they touch it and nothing below
    repeats      kinds whose neighbours of one name are one declaration: signature and equations, clauses
    members      kind -> kinds of parts that are units inside such a container, whatever they say
    sections     statements without a body that name all that follows them, up to the next such
    view         gives the grammar an easier text to read, of the same length
    title        pattern over the first 4 kB of the text; its group is the title
    fallback     languages to try, one after the other, when this one's grammar meets errors
    sign         pattern without which a text is not tried as this language in place of another
    """

    grammar: str
    units: frozenset[str]
    containers: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    only_with: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    wrappers: Mapping[str, str] = field(default_factory=dict)
    transparent: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()
    spills: frozenset[str] = frozenset()
    imports: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    lead: str = ""
    header: str = ""
    rewrites: Mapping[str, str] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    comments: frozenset[str] = kinds("comment")
    docs: frozenset[str] = frozenset()
    afterthoughts: frozenset[str] = frozenset()
    repeats: frozenset[str] = frozenset()
    members: Mapping[str, str] = field(default_factory=dict)
    sections: frozenset[str] = frozenset()
    view: Callable[[bytes], bytes] | None = None
    title: str = ""
    fallback: str = ""
    sign: str = ""

    @cached_property
    def known(self) -> frozenset[str]:
        """Every kind that a field names: a statement of another kind is mere code."""
        named = (self.only_with, self.forms, self.wrappers, self.imports, self.attributes, self.comments)
        return self.declaring.union(*named, self.values, self.transparent, self.groups, self.spills)

    @cached_property
    def declaring(self) -> frozenset[str]:
        """Kinds that may turn out to be a unit, a container or a namespace; no other does."""
        named = (self.only_with, self.forms, self.tails, self.sections, self.repeats)
        found = self.units.union(self.containers, self.namespaces, *named)
        for _ in self.wrappers:
            found |= {kind for kind, path in self.wrappers.items() if _may_lead_to(path, found)}
        return found


def _may_lead_to(path: str, kinds_sought: frozenset[str]) -> bool:
    """Whether a path may end at one of these kinds; a field may hold anything."""
    ends = [option.rpartition("/")[2] for option in path.split("|")]
    named = [frozenset(end[1:].split(",")) if end[0] in "@><" else frozenset() for end in ends]
    return any(not one or "" in one or one & kinds_sought for one in named)
