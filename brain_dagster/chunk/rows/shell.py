"""The row of the shells: bash and what resembles it."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

SHELL = Language(
    grammar="bash",
    units=kinds("function_definition"),
    values=kinds("variable_assignment declaration_command"),
    forms={"command": (("value", r"\Aalias\s+(?:-\w+\s+)*([^\s=]+)="),)},
    transparent=kinds(
        "if_statement elif_clause else_clause case_statement case_item compound_statement list subshell"
    ),
    imports={"command": r"\A(?:source|\.)\s+(?:[\"']?\$\([^\n]*\)[\"']?)?[\"']?([^\s\"';)]+)"},
    names={"declaration_command": ">variable_assignment/name"},
    title=r"\A#![^\n]*\n(?:[ \t]*+#*+[ \t]*+\n)*+#++[ \t]*(\w[^\n]*)",
)
