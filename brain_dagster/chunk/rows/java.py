"""The row of Java."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

JAVA = Language(
    grammar="java",
    units=kinds(
        "method_declaration constructor_declaration compact_constructor_declaration "
        "annotation_type_declaration annotation_type_element_declaration"
    ),
    containers=kinds("class_declaration interface_declaration enum_declaration record_declaration"),
    transparent=kinds("enum_body_declarations"),
    imports={"import_declaration": r"^import\s+(?:static\s+)?([\w.]+)"},
    comments=kinds("line_comment block_comment"),
)
