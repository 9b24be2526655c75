"""The row of Erlang."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_FILE = r"\(\s*\"([^\"\n]+)"

ERLANG = Language(
    grammar="erlang",
    units=kinds("fun_decl record_decl type_alias opaque callback"),
    values=kinds("pp_define"),
    # The clauses of a function are declarations of their own to the grammar.
    repeats=kinds("fun_decl"),
    forms={"wild_attribute": (("attribute", r"\A-\s*doc\b"),)},
    imports={
        "pp_include": _FILE,
        "pp_include_lib": _FILE,
        "import_attribute": r"\(\s*(\w+)",
        "behaviour_attribute": r"\(\s*(\w+)",
    },
    names={
        "fun_decl": "clause/name",
        "type_alias": "name/name",
        "opaque": "name/name",
        "callback": "fun",
        "pp_define": "lhs/name",
    },
    bodies={"fun_decl": "clause/body"},
    attributes=kinds("spec"),
    comments=kinds("comment pp_ifdef pp_ifndef pp_if pp_elif pp_else pp_endif"),
    afterthoughts=kinds("pp_endif"),
    title=r"(?m)^%+\s*@doc\s+([^\n]+)",
)
