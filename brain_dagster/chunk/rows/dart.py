"""The row of Dart, whose grammar puts the body of a function beside its signature."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_SIGNATURES = (
    "function_signature,getter_signature,setter_signature,operator_signature,constructor_signature,"
    "constant_constructor_signature,factory_constructor_signature,redirecting_factory_constructor_signature"
)
_CONSTRUCTORS = (
    "constructor_signature,constant_constructor_signature,factory_constructor_signature,"
    "redirecting_factory_constructor_signature"
)
_MEMBER = f"@{_CONSTRUCTORS}/<identifier|@function_signature,getter_signature,setter_signature/name|"
_MEMBER += "@operator_signature/>binary_operator"

DART = Language(
    grammar="dart",
    units=kinds("function_signature getter_signature setter_signature method_signature type_alias"),
    containers=kinds(
        "class_definition mixin_declaration extension_declaration extension_type_declaration enum_declaration"
    ),
    values=kinds("static_final_declaration_list initialized_identifier_list"),
    only_with={"declaration": f">{_SIGNATURES} = {_SIGNATURES.replace(',', ' ')}"},
    tails=kinds("function_body"),
    imports={
        "import_or_export": r"^(?:import|export)\s+['\"]([^'\"]+)",
        "part_directive": r"^part\s+['\"]([^'\"]+)",
        "part_of_directive": r"^part\s+of\s+['\"]?([^'\";]+)",
    },
    names={
        "class_definition": "name|>mixin_application_class/>identifier",
        "mixin_declaration": ">identifier",
        "extension_declaration": "name|class",
        "type_alias": "<type_identifier",
        "method_signature": _MEMBER,
        "declaration": _MEMBER,
        "static_final_declaration_list": "@identifier",
        "initialized_identifier_list": "@identifier",
    },
    bodies={"mixin_declaration": ">class_body"},
    rewrites={r"(?m)^library[ \t]*;": ""},  # without a name it is too new for the grammar
    # The words before a variable are siblings of it.
    attributes=kinds(
        "annotation const_builtin final_builtin inferred_type type_identifier type_arguments nullable_type "
        "function_type record_type void_type"
    ),
    comments=kinds("comment documentation_comment"),
)
