"""The row of Julia."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_CALLEE = "identifier,field_expression,operator,parenthesized_expression"
_SIGNATURE = (
    f">signature/@call_expression/>{_CALLEE}"
    "|>signature/@call_expression/>parametrized_type_expression/>identifier,field_expression|>signature/>identifier"
)
_DECLARED = (
    "function_definition,macro_definition,struct_definition,abstract_definition,assignment,"
    "const_statement,module_definition,macrocall_expression"
)
# `f(x) = x`, `Base.show(io::IO, x) = ...`, `Base.:+(a, b) = ...`, `Point{T}(x) where T = ...`
_SHORT_FORM = r"\A((?:\w+\.)*(?:[\w!]+|:?\([^\w\s()]+\)|:?[^\w\s(){}\[\],;=.\"']+))(?:\{[^{}\n]*\})?\("
_MODULES = r"\A(?:@reexport\s+)?(?:using|import)\s+([\w.,\s]+?)\s*(?::|\bas\b|\Z)"

JULIA = Language(
    grammar="julia",
    units=kinds("function_definition macro_definition struct_definition abstract_definition"),
    namespaces=kinds("module_definition"),
    values=kinds("assignment"),
    forms={
        "assignment": (("unit", _SHORT_FORM), ("unit", r"\A\(\w*::([\w.]+)[^()\n]*\)\(")),
        "macrocall_expression": (
            ("container", r"\A@(?:testset|safetestset|testitem)\s+(?:[\w.=]+\s+)*(\"[^\"\n]+\")"),
            ("unit", r"\A@enum\s*\(?\s*(\w+)"),
        ),
    },
    wrappers={
        "const_statement": ">assignment",
        "macrocall_expression": f">macro_argument_list/>{_DECLARED}",
    },
    transparent=kinds(
        "if_statement elseif_clause else_clause for_statement compound_statement block let_statement"
    ),
    imports={
        "using_statement": _MODULES,
        "import_statement": _MODULES,
        "macrocall_expression": _MODULES,
        "call_expression": r"\Ainclude\(\s*\"([^\"\n]+)\"",
    },
    modules=dict.fromkeys(("using_statement", "import_statement"), r"(\.*\w[\w.]*)"),
    names={
        "function_definition": _SIGNATURE,
        "macro_definition": _SIGNATURE,
        "struct_definition": ">type_head/@identifier",
        "abstract_definition": ">type_head/@identifier",
        "assignment": ">identifier,field_expression",
    },
    bodies={
        "module_definition": ">block",
        "function_definition": ">block",
        "macro_definition": ">block",
        "macrocall_expression": ">macro_argument_list/>compound_statement",
    },
    # A string above a declaration is its documentation.
    attributes=kinds("string_literal prefixed_string_literal"),
    comments=kinds("line_comment block_comment"),
    title=r"\A(?:\s*#[^\n]*\n)*\s*\"\"\"\s*(?:\w+\s*\n\s*)?([^\n]+)",
)
