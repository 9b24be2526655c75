"""The row of PowerShell."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_SCOPE = r"(?:(?:global|script|local|private|using):)?"

POWERSHELL = Language(
    grammar="powershell",
    units=kinds("enum_statement class_method_definition"),
    containers=kinds("class_statement"),
    forms={
        "function_statement": (("unit", rf"(?i)\A(?:function|filter|workflow)\s+{_SCOPE}([^\s({{]+)"),),
        "assignment_expression": (("value", rf"(?i)\A(?:\[[^\]\n]*\]\s*)*\${_SCOPE}(\w+)\s*="),),
        "pipeline": (
            ("container", r"(?i)\A(?:describe|context)\s+(?:-\w+\s+)?(\"[^\"\n]+\"|'[^'\n]+')"),
            ("unit", r"(?i)\A(?:it|test)\s+(?:-\w+\s+)?(\"[^\"\n]+\"|'[^'\n]+')"),
        ),
    },
    wrappers={"pipeline": ">assignment_expression"},
    transparent=kinds("if_statement else_clause elseif_clauses elseif_clause statement_block named_block"),
    groups=kinds("statement_list named_block_list script_block_body"),
    imports={
        "pipeline": r"(?i)\A(?:using\s+(?:module|namespace|assembly)|import-module(?:\s+-name)?|\.)\s+"
        r"['\"]?([^\s;'\"]+)"
    },
    # The grammar knows no empty script block as a value and no list of bare words.
    rewrites={
        r"(=[ \t]*+|,[ \t]*+|-\w++(?::\$?\w++)?[ \t]++)\{[ \t]*+\}": r"\1''",
        r"(?im)^([ \t]*+(?:mock|it|describe|context)[ \t]++[^\s{}|#][^\r\n{}|#]*+)\{[ \t]*+\}": r"\1''",
        r"(?im)^([ \t]*+(?:get|remove)-module[ \t]++[\w.]++),": r"\1 ",
    },
    names={
        "class_statement": ">simple_name",
        "enum_statement": ">simple_name",
        "class_method_definition": ">simple_name",
    },
    bodies={
        "function_statement": ">script_block",
        "pipeline": "@script_block",
        "class_statement": "@class_statement",
        "class_method_definition": ">script_block",
    },
    title=r"(?i)\.SYNOPSIS\s*\n\s*(?:#\s*)?([^\n]+)",
)
