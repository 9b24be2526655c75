"""The row of Objective-C (`.m`, `.mm`); its headers end in `.h` and are tried as C and as C++ first."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds
from brain_dagster.chunk.rows.c import C

_SELECTOR = "*identifier,method_parameter=:"

OBJC = Language(
    grammar="objc",
    units=C.units | kinds("method_definition method_declaration"),
    containers=kinds("class_interface class_implementation protocol_declaration"),
    values=C.values,
    only_with=C.only_with,
    wrappers=C.wrappers,
    transparent=C.transparent | kinds("qualified_protocol_interface_declaration"),
    groups=kinds("implementation_definition"),
    imports={
        "preproc_include": r"[<\"]([^>\"]+)[>\"]",
        "module_import": r"@import\s+([\w.]+)",
    },
    names={
        **C.names,
        "class_interface": ">identifier",
        "class_implementation": ">identifier",
        "protocol_declaration": ">identifier",
        "method_definition": _SELECTOR,
        "method_declaration": _SELECTOR,
    },
    bodies={
        "class_interface": "@class_interface",
        "class_implementation": "@class_implementation",
        "protocol_declaration": "@protocol_declaration",
        "method_definition": ">compound_statement",
    },
    sign=r"(?m)^[ \t]*@(?:interface|protocol|implementation|class|import|end)\b",
    rewrites={
        r"(?m)^[ \t]*#pragma[ \t]+mark\b": "//",
        # typedef NS_ENUM(NSInteger, Kind) {
        r"\b(?:typedef\s+)?NS_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\(\s*\w+\s*,\s*(\w+)\s*\)": r"enum \1",
        r"\bNS_(?:ASSUME_NONNULL|HEADER_AUDIT)_(?:BEGIN|END)\b(?:\([^()\n]*\))?": "",
        r"\bNS_(?:DESIGNATED_INITIALIZER|UNAVAILABLE|REQUIRES_SUPER|NOESCAPE|ROOT_CLASS)\b": "",
        r"\b(?:[A-Z][A-Z0-9]*_)*(?:API_|NS_|SWIFT_)?(?:AVAILABLE|DEPRECATED|SWIFT|NAME)(?:_\w+)?"
        r"\((?:[^()\n]|\([^()\n]*\))*\)": "",
    },
)
