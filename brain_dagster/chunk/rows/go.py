"""The row of Go."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

GO = Language(
    grammar="go",
    units=kinds("function_declaration method_declaration type_declaration"),
    values=kinds("const_declaration var_declaration"),
    imports={"import_declaration": r"[\"`]([^\"`]+)[\"`]"},
    names={
        "method_declaration": "receiver/@type_identifier name",
        "type_declaration": "@type_spec,type_alias/name",
        "const_declaration": "@const_spec/name",
        "var_declaration": "@var_spec/name",
    },
    title=r"(?m)^// (Package \w[^\r\n]*)",
)
