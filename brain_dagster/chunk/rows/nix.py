"""The row of Nix: attributes are what a file declares, whatever functions stand around them."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_SETS = "attrset_expression rec_attrset_expression let_expression"
_IDENTIFIER = r"[\w'-]+"

NIX = Language(
    grammar="nix",
    units=frozenset(),
    containers=kinds("binding"),
    values=kinds("binding"),
    forms={
        "binding": (
            (
                "unit",
                rf"\A[^\s=]+\s*=\s*(?:{_IDENTIFIER}\s*(?:@\s*\{{[^{{}}]*\}}\s*)?:\s"
                rf"|\{{[^{{}}]*\}}\s*(?:@\s*{_IDENTIFIER}\s*)?:)",
            ),
        )
    },
    only_with={"binding": f"expression/@{_SETS.replace(' ', ',')} = {_SETS}"},
    groups=kinds(
        "function_expression let_expression attrset_expression rec_attrset_expression binding_set "
        "with_expression assert_expression apply_expression parenthesized_expression binary_expression"
    ),
    imports={"binding": rf"\A(?:imports\s*=|{_IDENTIFIER}\s*=\s*import\s)\s*([^;]*)"},
    modules={"binding": r"((?:\.{1,2}/|<)[^\s\]);]+)"},
    names={"binding": "attrpath"},
    bodies={"binding": "expression"},
    title=r"\A(?:#[^\n]*\n)*\s*\{[^{}]*?\bdescription\s*=\s*\"([^\"\n]+)",
)
