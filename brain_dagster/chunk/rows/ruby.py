"""The row of Ruby."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

RUBY = Language(
    grammar="ruby",
    units=kinds("method singleton_method"),
    containers=kinds("class"),
    namespaces=kinds("module"),
    values=kinds("assignment"),
    only_with={"assignment": "right/block = block do_block"},
    wrappers={"call": "arguments/>method,singleton_method"},
    transparent=kinds("if unless then else begin body_statement singleton_class"),
    imports={"call": r"^(?:require|require_relative|load)[ (]+['\"]([^'\"]+)"},
    names={"assignment": "left"},
    bodies={"assignment": "right/block/body"},
)
