"""The row of Lua."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_REQUIRE = r"\brequire\s*\(?\s*['\"]([^'\"]+)"

LUA = Language(
    grammar="lua",
    units=kinds("function_declaration"),
    values=kinds("assignment_statement"),
    forms={  # tests
        "function_call": (
            ("container", r"\A(?:describe|context|insulate|expose)\s*\(?\s*(\"[^\"\n]+\"|'[^'\n]+')"),
            ("unit", r"\A(?:it|test|pending|spec)\s*\(\s*(\"[^\"\n]+\"|'[^'\n]+')"),
        )
    },
    only_with={
        # A table is worth a name of its own once something stands in it: `local M = {}` is not.
        "assignment_statement": ">expression_list/value/>field|>expression_list/value"
        " = field function_definition",
        "field": "value = function_definition",
    },
    wrappers={"variable_declaration": ">assignment_statement"},
    transparent=kinds("if_statement else_statement elseif_statement do_statement block"),
    imports={"variable_declaration": r"\Alocal\s[^(]*?=\s*" + _REQUIRE, "function_call": r"\A" + _REQUIRE},
    names={
        "function_declaration": "name/table name/method|name/field|name",
        "assignment_statement": ">variable_list/name",
    },
    bodies={
        "assignment_statement": ">expression_list/value/body|>expression_list/value/@table_constructor",
        "field": "value/body",
        "function_call": "arguments/>function_definition/body",
    },
    title=r"\A(?:#![^\n]*\n)?\s*---+\s*(\w[^\n]*)",
)
