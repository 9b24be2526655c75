"""The row of Perl."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

# Moose and its like declare attributes and hooks by calling functions: `has name => (is => 'ro');`
_CALLS = r"\A(?:has|around|before|after|subtest|fun|test)[\s(]+\+?(\"[^\"\n]+\"|'[^'\n]+'|\w+)\s*(?:=>|,)"

PERL = Language(
    grammar="perl",
    units=kinds("subroutine_declaration_statement method_declaration_statement"),
    namespaces=kinds("package_statement class_statement role_statement"),
    sections=kinds("package_statement class_statement role_statement"),
    values=kinds("assignment_expression"),
    forms={
        "ambiguous_function_call_expression": (("unit", _CALLS),),
        "function_call_expression": (("unit", _CALLS),),
        "use_statement": (("value", r"\Ause\s+constant\s+\{?\s*['\"]?(\w+)"),),
    },
    only_with={"assignment_expression": "right = anonymous_subroutine_expression"},
    wrappers={
        "expression_statement": ">assignment_expression,ambiguous_function_call_expression,"
        "function_call_expression"
    },
    transparent=kinds("conditional_statement block"),
    imports={
        "use_statement": r"\Ause\s+(?!constant\b|v?\d)(?:(?:parent|base)\s+(?:-norequire\s*,\s*)?"
        r"(?:qw\W\s*)?['\"]?)?([A-Za-z_]\w*(?:::\w+)*)",
        "expression_statement": r"\A(?:require|do)\s+['\"]?([\w./]+(?:::\w+)*)",
    },
    names={"assignment_expression": "left/@scalar,array,hash,glob"},
    bodies={
        "package_statement": ">block",
        "class_statement": ">block",
        "role_statement": ">block",
        "assignment_expression": "right/body",
    },
    comments=kinds("comment pod"),
    docs=kinds("pod"),
    title=r"(?m)^=head1 NAME[^\S\n]*\n\s*\n([^\n]+)",
)
