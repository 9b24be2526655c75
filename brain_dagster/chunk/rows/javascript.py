"""The rows of JavaScript, TypeScript and TSX."""

from __future__ import annotations

from collections.abc import Mapping

from brain_dagster.chunk.language import Language, kinds

_FUNCTIONS = "arrow_function function_expression generator_function class object"
_REQUIRE = r"^(?:const|let|var)\s[^;(]*?=\s*require\(\s*['\"`]([^'\"`]+)"

JAVASCRIPT = Language(
    grammar="javascript",
    units=kinds(
        "function_declaration generator_function_declaration method_definition function_expression "
        "arrow_function"
    ),
    containers=kinds("class_declaration class"),
    values=kinds("lexical_declaration variable_declaration"),
    only_with={
        "lexical_declaration": f"@variable_declarator/value = {_FUNCTIONS}",
        "variable_declaration": f"@variable_declarator/value = {_FUNCTIONS}",
        "assignment_expression": f"right = {_FUNCTIONS}",
        "field_definition": "value = arrow_function function_expression",
        "pair": "value = arrow_function function_expression",
    },
    wrappers={"export_statement": "declaration|value", "expression_statement": ">assignment_expression"},
    transparent=kinds("if_statement else_clause statement_block try_statement"),
    imports={
        "import_statement": r"['\"]([^'\"]+)['\"]\s*(?:;|with\b|assert\b|$)",
        "export_statement": r"^export\s[^;]*?\bfrom\s*['\"]([^'\"]+)",
        "lexical_declaration": _REQUIRE,
        "variable_declaration": _REQUIRE,
        "expression_statement": r"^require\(\s*['\"`]([^'\"`]+)",
    },
    names={
        "lexical_declaration": "@variable_declarator/name",
        "variable_declaration": "@variable_declarator/name",
        "assignment_expression": "left",
        "field_definition": "property",
        "pair": "key",
    },
    bodies={
        "lexical_declaration": "@variable_declarator/value/body|@variable_declarator/value/@object",
        "variable_declaration": "@variable_declarator/value/body|@variable_declarator/value/@object",
        "assignment_expression": "right/body|right/@object",
        "field_definition": "value/body",
        "pair": "value/body",
    },
    attributes=kinds("decorator"),
    fallback="tsx",
)

_TYPESCRIPT_UNITS = (
    "type_alias_declaration enum_declaration function_signature method_signature abstract_method_signature"
)


def _typescript_kinds(rules: Mapping[str, str]) -> dict[str, str]:
    return {kind.replace("field_definition", "public_field_definition"): rule for kind, rule in rules.items()}


def _typescript(grammar: str, fallback: str) -> Language:
    """TypeScript is JavaScript with more kinds; the two grammars differ only in how they read `<T>x`."""
    return Language(
        grammar=grammar,
        units=JAVASCRIPT.units | kinds(_TYPESCRIPT_UNITS),
        containers=kinds("class_declaration class abstract_class_declaration interface_declaration"),
        namespaces=kinds("internal_module module"),
        values=JAVASCRIPT.values,
        only_with=_typescript_kinds(JAVASCRIPT.only_with),
        wrappers={
            **JAVASCRIPT.wrappers,
            "expression_statement": ">assignment_expression,internal_module",
            "ambient_declaration": ">function_signature,class_declaration,abstract_class_declaration,"
            "interface_declaration,enum_declaration,type_alias_declaration,internal_module,module,"
            "lexical_declaration,variable_declaration",
        },
        transparent=JAVASCRIPT.transparent,
        imports=JAVASCRIPT.imports,
        names={**_typescript_kinds(JAVASCRIPT.names), "public_field_definition": "name"},
        bodies=_typescript_kinds(JAVASCRIPT.bodies),
        attributes=JAVASCRIPT.attributes,
        fallback=fallback,
    )


TYPESCRIPT = _typescript("typescript", "tsx")
TSX = _typescript("tsx", "typescript")
