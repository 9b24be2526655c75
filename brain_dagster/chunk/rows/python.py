"""The row of Python."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

PYTHON = Language(
    grammar="python",
    units=kinds("function_definition"),
    containers=kinds("class_definition"),
    values=kinds("assignment type_alias_statement"),
    wrappers={"decorated_definition": "definition", "expression_statement": ">assignment"},
    transparent=kinds(
        "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block"
    ),
    imports={
        "import_statement": r"(?:^import|,)\s+([\w.]+)",
        "import_from_statement": r"^from\s+(\.*[\w.]*)",
        "future_import_statement": r"^from()",
    },
    names={"assignment": "left", "type_alias_statement": "left/@identifier"},
    title=r"\A(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*"
    r"[rRuU]?(?:\"\"\"|'''|\"|')\s*(.*?)(?:\"\"\"|'''|[\r\n]|\Z)",
)
