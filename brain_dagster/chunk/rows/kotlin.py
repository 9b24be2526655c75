"""The row of Kotlin; Gradle scripts (`.kts`) are Kotlin too."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

KOTLIN = Language(
    grammar="kotlin",
    units=kinds("function_declaration secondary_constructor type_alias"),
    containers=kinds("class_declaration object_declaration companion_object"),
    values=kinds("property_declaration"),
    only_with={
        "property_declaration": ">getter,lambda_literal,anonymous_function,object_literal = "
        "getter lambda_literal anonymous_function object_literal"
    },
    groups=kinds("import_list"),
    tails=kinds("getter setter"),
    spills=kinds("import_header package_header"),
    imports={"import_header": r"^import\s+([\w.`]+?)(?:\.\*|\s|;|$)"},
    names={
        "class_declaration": ">type_identifier",
        "object_declaration": ">type_identifier",
        "companion_object": ">type_identifier|=Companion",
        "type_alias": ">type_identifier",
        "function_declaration": "receiver/@user_type >simple_identifier",
        "secondary_constructor": "=constructor",
        "property_declaration": "receiver/@user_type @variable_declaration/>simple_identifier",
    },
    bodies={
        "class_declaration": ">class_body,enum_class_body",
        "object_declaration": ">class_body",
        "companion_object": ">class_body",
        "function_declaration": ">function_body/>statements|>function_body",
        "property_declaration": ">object_literal/>class_body|>getter/>function_body",
    },
    rewrites={
        r"\bactual[ \t]+(?=va[lr]\b)": "",
        # The grammar wants the word `constructor` on the line of the class.
        r"(\bclass[ \t]+\w+(?:<[^<>{}\n]*>)?)[ \t]*\r?\n[ \t]*"
        r"(?=(?:@[\w.]+(?:\([^()\n]*\))?\s+)*(?:(?:internal|private|protected|public|actual)\s+)*"
        r"constructor\s*\()": r"\1",
    },
    attributes=kinds("file_annotation"),
    comments=kinds("line_comment multiline_comment"),
)
