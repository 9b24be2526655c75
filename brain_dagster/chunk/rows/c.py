"""The rows of C and C++."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds


def _declarator_names(kinds: str) -> dict[str, str]:
    """In C the name hides inside the declarator: `int (*name[3])(void)`."""
    rule = f"declarator/@{kinds}"
    return {"function_definition": rule, "declaration": rule, "type_definition": f"{rule}|type/name"}


_C_DECLARATORS = "identifier,field_identifier,type_identifier,primitive_type"
_INCLUDE = {"preproc_include": r"[<\"]([^>\"]+)[>\"]"}

C = Language(
    grammar="c",
    units=kinds("function_definition struct_specifier union_specifier enum_specifier type_definition"),
    values=kinds("declaration preproc_def preproc_function_def"),
    only_with={
        "declaration": "declarator/@function_declarator = function_declarator",
        "struct_specifier": "body = field_declaration_list",
        "union_specifier": "body = field_declaration_list",
        "enum_specifier": "body = enumerator_list",
    },
    wrappers={"declaration": "type"},
    transparent=kinds(
        "preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list"
    ),
    imports=_INCLUDE,
    names=_declarator_names(_C_DECLARATORS),
    fallback="cpp objc",
)

CPP = Language(
    grammar="cpp",
    units=C.units - kinds("struct_specifier union_specifier") | kinds("concept_definition"),
    containers=kinds("class_specifier struct_specifier union_specifier"),
    namespaces=kinds("namespace_definition"),
    values=C.values | kinds("alias_declaration"),
    only_with={**C.only_with, "class_specifier": "body = field_declaration_list"},
    wrappers={
        "declaration": "type",
        "field_declaration": "type",
        "template_declaration": ">class_specifier,struct_specifier,union_specifier,function_definition,"
        "declaration,field_declaration,alias_declaration,concept_definition",
    },
    transparent=C.transparent,
    imports=_INCLUDE,
    names={
        **_declarator_names(
            f"qualified_identifier,destructor_name,operator_name,operator_cast,{_C_DECLARATORS}"
        ),
        "class_specifier": "name/@type_identifier|name",
    },
)
