"""The row of Scala, 2 and 3."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

SCALA = Language(
    grammar="scala",
    units=kinds("function_definition function_declaration type_definition"),
    containers=kinds(
        "class_definition object_definition trait_definition enum_definition given_definition "
        "extension_definition"
    ),
    namespaces=kinds("package_clause package_object"),
    values=kinds("val_definition var_definition val_declaration var_declaration"),
    only_with={"val_definition": "value = lambda_expression case_block instance_expression"},
    # The cases of the common test libraries are calls, not declarations.
    forms={
        "infix_expression": (
            ("unit", r"^(?:it|they|\"[^\"\n]+\")\s+(?:should|must|can)\s+(\"[^\"\n]+\")"),
            ("unit", r"^(\"[^\"\n]+\")\s+(?:in|when|should|must|can)\b"),
        ),
        "call_expression": (("unit", r"^(?:test|describe|it)\(\s*(\"[^\"\n]+\")"),),
    },
    imports={
        "import_declaration": r"(?:^import\s+|,\s+(?=\w+\.))"
        r"((?:\w+\.)*?\w+?)(?=\.(?:[{*]|_\b|given\b)|[\s,;]|$)"
    },
    names={
        "val_definition": "pattern/@identifier|pattern",
        "var_definition": "pattern/@identifier|pattern",
        "val_declaration": "name",
        "given_definition": "name|return_type/@type_identifier",
        "extension_definition": "parameters/@parameter/type/@type_identifier|parameters/@parameter/type",
    },
    bodies={"extension_definition": "@extension_definition", "val_definition": "value/>template_body"},
    rewrites={r"\b(?:private|protected)(?:\[\w+\])?[ \t]+(?=enum\b)": ""},
    comments=kinds("comment block_comment"),
)
