"""The row of Solidity."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

SOLIDITY = Language(
    grammar="solidity",
    units=kinds(
        "function_definition modifier_definition constructor_definition struct_declaration enum_declaration "
        "event_definition error_declaration user_defined_type_definition"
    ),
    containers=kinds("contract_declaration interface_declaration library_declaration"),
    values=kinds("constant_variable_declaration state_variable_declaration"),
    forms={"fallback_receive_definition": (("unit", r"^(fallback|receive)\b"),)},
    imports={"import_directive": r"['\"]([^'\"]+)['\"]"},
    names={"constructor_definition": "=constructor"},
)
