"""The row of C#."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

CSHARP = Language(
    grammar="csharp",
    units=kinds(
        "method_declaration constructor_declaration destructor_declaration operator_declaration "
        "conversion_operator_declaration indexer_declaration delegate_declaration enum_declaration "
        "local_function_statement"
    ),
    containers=kinds("class_declaration struct_declaration interface_declaration record_declaration"),
    namespaces=kinds("namespace_declaration"),
    only_with={"property_declaration": "accessors/@block = block"},
    wrappers={"global_statement": ">local_function_statement"},
    transparent=kinds("preproc_if preproc_else preproc_elif"),
    imports={"using_directive": r"^(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)"},
    names={
        "operator_declaration": "=operator operator",
        "conversion_operator_declaration": "=operator type",
        "indexer_declaration": "=this",
    },
)
