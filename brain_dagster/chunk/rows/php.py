"""The row of PHP."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

PHP = Language(
    grammar="php",
    units=kinds("function_definition method_declaration"),
    containers=kinds("class_declaration interface_declaration trait_declaration enum_declaration"),
    namespaces=kinds("namespace_definition"),
    values=kinds("const_declaration"),
    only_with={"assignment_expression": "right = anonymous_function arrow_function"},
    wrappers={"expression_statement": ">assignment_expression"},
    transparent=kinds("if_statement compound_statement colon_block else_clause"),
    imports={
        "namespace_use_declaration": r"^use\s+(?:function\s+|const\s+)?\\?([\w\\]+?)"
        r"(?:\\?\s*[{;,]|\s+as\b|$)",
        "expression_statement": r"^(?:require|include)(?:_once)?\b[\s(]*['\"]([^'\"]+)",
    },
    names={"const_declaration": "@const_element/@name", "assignment_expression": "left"},
    bodies={"assignment_expression": "right/body"},
    attributes=kinds("attribute_list"),
)
