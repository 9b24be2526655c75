"""The rows of schema languages: GraphQL and Protocol Buffers."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_WITH_FIELDS = kinds(
    "object_type_definition object_type_extension interface_type_definition interface_type_extension"
)
_OF_VALUES = kinds(
    "input_object_type_definition input_object_type_extension enum_type_definition enum_type_extension "
    "union_type_definition union_type_extension scalar_type_definition scalar_type_extension "
    "directive_definition"
)

GRAPHQL = Language(
    grammar="graphql",
    units=_OF_VALUES
    | kinds("operation_definition fragment_definition schema_definition schema_extension field_definition"),
    containers=_WITH_FIELDS,
    groups=kinds(
        "document definition type_system_definition type_system_extension type_definition type_extension "
        "executable_definition"
    ),
    names={
        **dict.fromkeys(_WITH_FIELDS | _OF_VALUES | {"field_definition"}, ">name"),
        "operation_definition": ">name|>operation_type",
        "fragment_definition": ">fragment_name",
        "schema_definition": "=schema",
        "schema_extension": "=schema",
    },
    bodies=dict.fromkeys(_WITH_FIELDS, ">fields_definition"),
)

PROTOBUF = Language(
    grammar="proto",
    units=kinds("message enum extend rpc"),
    containers=kinds("service"),
    imports={"import": r"['\"]([^'\"]+)['\"]"},
    names={
        "message": ">message_name",
        "enum": ">enum_name",
        "service": ">service_name",
        "rpc": ">rpc_name",
        "extend": ">full_ident",
    },
    bodies={
        "message": ">message_body",
        "enum": ">enum_body",
        "extend": ">message_body",
        "service": "@service",
    },
)
