"""The rows of OCaml: modules (`.ml`) and their interfaces (`.mli`)."""

from __future__ import annotations

from dataclasses import replace

from brain_dagster.chunk.language import Language, kinds

_VALUE_NAME = ">value_name|>parenthesized_operator/<"

OCAML = Language(
    grammar="ocaml",
    units=kinds("value_specification external type_binding exception_definition method_definition"),
    containers=kinds("class_binding class_type_binding"),
    namespaces=kinds("module_binding module_type_definition"),
    values=kinds("let_binding"),
    only_with={"let_binding": ">parameter|body = parameter fun_expression function_expression"},
    # `let rec a x = ... and b y = ...` is two functions.
    groups=kinds("value_definition type_definition module_definition class_definition class_type_definition"),
    imports={
        "open_module": r"\Aopen!?\s+([\w.]+)",
        "include_module": r"\Ainclude\s+([A-Z][\w.]*)\s*\Z",
    },
    names={
        "let_binding": _VALUE_NAME,
        "value_specification": _VALUE_NAME,
        "external": _VALUE_NAME,
        "exception_definition": ">constructor_declaration/>constructor_name",
        "method_definition": ">method_name",
        "class_binding": ">class_name",
        "class_type_binding": ">class_type_name",
        "module_binding": ">module_name",
        "module_type_definition": ">module_type_name",
    },
    bodies={
        "module_binding": "body|module_type",
        "class_binding": "body/@object_expression|class_type/@class_body_type",
        "class_type_binding": "body",
    },
    lead=r"(?:(?:let|rec|and|module|type|class|virtual|nonrec)\s*)+",
    # Documentation stands above or below what it is about.
    afterthoughts=kinds("comment"),
    title=r"\A\s*\(\*\*\s+(?:\{\d[:\w]*\s+)?([^\n}*]+)",
    fallback="ocaml_interface",
)

OCAML_INTERFACE = replace(
    OCAML,
    grammar="ocaml_interface",
    units=OCAML.units | kinds("method_specification"),
    names={**OCAML.names, "method_specification": ">method_name"},
    fallback="",
)
