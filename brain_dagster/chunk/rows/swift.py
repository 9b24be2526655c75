"""The row of Swift."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

SWIFT = Language(
    grammar="swift",
    units=kinds(
        "function_declaration init_declaration deinit_declaration subscript_declaration "
        "typealias_declaration protocol_function_declaration macro_declaration"
    ),
    containers=kinds("class_declaration protocol_declaration"),
    values=kinds("property_declaration"),
    only_with={
        "property_declaration": "computed_value|>willset_didset_block|value = "
        "computed_property willset_didset_block lambda_literal"
    },
    # The name of an operator is a field of nothing.
    forms={"function_declaration": (("unit", r"\bfunc\s+([^\s\w(`]+)"),)},
    imports={"import_declaration": r"\bimport\s+(?:(?:struct|class|enum|protocol|func|var|let)\s+)?([\w.]+)"},
    names={
        "init_declaration": "=init",
        "deinit_declaration": "=deinit",
        "subscript_declaration": "=subscript",
        "macro_declaration": ">simple_identifier",
        "property_declaration": "name/bound_identifier|name",
    },
    bodies={
        "function_declaration": "body/>statements|body",
        "init_declaration": "body/>statements|body",
        "property_declaration": "computed_value/>statements|computed_value|>willset_didset_block",
        "subscript_declaration": ">computed_property",
    },
    # Conditions are read as comments that lead what follows; their ends belong to what stands before.
    rewrites={
        r"(?m)^[ \t]*#endif\b[^\n]*": "",
        r"(?m)^[ \t]*#(?:if|else|elseif)\b[^\n]*": "//",
        # What else the grammar does not know: attributes with nothing in their parentheses, typed throws.
        r"(@\w+)\(\)": r"\1",
        r"\bthrows\([\w.]+\)": "throws",
        r"#_\w+": "nil",
    },
    comments=kinds("comment multiline_comment"),
)
