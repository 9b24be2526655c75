"""The row of Rust."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

RUST = Language(
    grammar="rust",
    units=kinds(
        "function_item function_signature_item struct_item enum_item union_item type_item macro_definition"
    ),
    containers=kinds("impl_item trait_item"),
    namespaces=kinds("mod_item"),
    values=kinds("const_item static_item"),
    transparent=kinds("foreign_mod_item declaration_list"),
    imports={
        "use_declaration": r"^(?:pub(?:\([^)]*\))?\s+)?use\s+((?:::)?\w+(?:::\w+)*)",
        "extern_crate_declaration": r"extern\s+crate\s+(\w+)",
    },
    names={"impl_item": "type/@type_identifier|type"},
    attributes=kinds("attribute_item"),
    comments=kinds("line_comment block_comment"),
    title=r"\A\s*//!\s*([^\r\n]+)",
)
