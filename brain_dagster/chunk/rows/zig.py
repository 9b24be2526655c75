"""The row of Zig, where a type is a constant like any other."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_CONTAINER = ">ErrorUnionExpr/>SuffixExpr/>ContainerDecl"

ZIG = Language(
    grammar="zig",
    units=kinds("TestDecl"),
    containers=kinds("VarDecl"),
    values=kinds("VarDecl"),
    only_with={"VarDecl": f"{_CONTAINER} = ContainerDecl", "Decl": ">FnProto = FnProto"},
    wrappers={"Decl": ">VarDecl"},
    imports={"Decl": r"^(?:(?:const|var)\s+[^=;{]+=\s*|usingnamespace\s+)@import\(\"([^\"]+)\"\)"},
    names={
        "Decl": ">FnProto/function",
        "VarDecl": "variable_type_function",
        "TestDecl": ">STRINGLITERALSINGLE,IDENTIFIER|=test",
    },
    bodies={
        "VarDecl": _CONTAINER,
        # A generic type is a function that returns it.
        "Decl": f">Block/<Statement/>AssignExpr/{_CONTAINER}|>Block",
        "TestDecl": ">Block",
    },
    lead=r"(?:pub|export)(?:\s+\w+)*",
    rewrites={
        # Neither several constants at once nor labels of `switch` are in the grammar.
        r"\b((?:const|var) \w+)(?:, (?:(?:const|var) )?\w+){1,9}(?= =)": r"\1",
        r"(?m)^([ \t]*)\w+(?:, (?:const |var )?\w+){1,9}(?= =)": r"\1_",
        r"\b\w+: (?=switch\b)": "",
    },
    comments=kinds("line_comment doc_comment container_doc_comment"),
    title=r"\A\s*//!\s*([^\r\n]+)",
)
