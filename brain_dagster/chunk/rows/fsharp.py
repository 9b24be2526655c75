"""The row of F#; signature files (`.fsi`) are read with the same grammar, as far as it goes."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_TYPES = kinds(
    "record_type_defn union_type_defn anon_type_defn enum_type_defn type_abbrev_defn type_extension "
    "interface_type_defn delegate_type_defn"
)
_ITSELF = {kind: f"@{kind}" for kind in [*_TYPES, "interface_implementation", "module_defn", "named_module"]}
_NAME = ">type_name/type_name"

FSHARP = Language(
    grammar="fsharp",
    units=kinds("member_defn exception_definition"),
    containers=_TYPES | kinds("interface_implementation"),
    namespaces=kinds("namespace named_module module_defn"),
    values=kinds("function_or_value_defn"),
    only_with={"function_or_value_defn": ">function_declaration_left = function_declaration_left"},
    groups=kinds("type_definition type_extension_elements declaration_expression"),
    forms={"typecast_expression": (("unit", r"^val\s+(?:inline\s+)?(\w+|``[^`\n]+``|\([^()\n]+\))"),)},
    spills=_TYPES | kinds("member_defn function_or_value_defn interface_implementation module_defn"),
    imports={"import_decl": r"^open\s+(?:type\s+|global\.)?([\w.`]+)"},
    names={
        **dict.fromkeys(_TYPES, _NAME),
        "interface_implementation": ">simple_type,generic_type",
        "exception_definition": "exception_name",
        "named_module": ">long_identifier",
        "module_defn": ">identifier,long_identifier",
        "function_or_value_defn": ">function_declaration_left/>identifier,op_identifier,active_pattern"
        "|>value_declaration_left/@identifier,active_pattern",
        "member_defn": ">method_or_prop_defn/name/method|>method_or_prop_defn/name/>identifier,op_identifier|"
        ">property_or_ident,member_signature/>identifier,"
        "op_identifier|>identifier|=new",
    },
    bodies={
        **_ITSELF,
        "namespace": "@namespace",
        "member_defn": ">method_or_prop_defn/<",
    },
    lead=r"(?:type|and|module|member|static|override|let|rec|private|internal|public|\s)+",
    rewrites={
        # Conditions are read as comments that lead what follows; their ends belong to what stands before.
        r"(?m)^[ \t]*#endif\b[^\n]*": "",
        r"(?m)^[ \t]*#(?!r\b|load\b)[a-z]+\b[^\n]*": "//",
        r"([\[{(|][ \t]*\w+)\.\.(?=\w+[ \t]*[\]}|)])": r"\1; ",  # a range is taken for a number
        # Signatures of a `.fsi` file are read as fields, which have a grammar.
        r"(?<=[:>*] )\??\w+: (?=['\w(])": "",
        r"(?m)^([ \t]*)(?:static )?member (?:inline )?(\w+)(?:<[^<>\n]*>)?[ \t]*:(?=[^=\n]*$)": r"\1val \2:",
        r"(?m)^([ \t]*)new[ \t]*:[^=\n]*$": r"\1//",
        # Some documentation in XML is taken for code.
        r"(?m)^([ \t]*)///[^\n]*": r"\1//",
    },
    attributes=kinds("attributes"),
    comments=kinds("line_comment block_comment"),
)
