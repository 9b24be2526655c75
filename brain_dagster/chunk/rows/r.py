"""The row of R: nothing is declared, everything is assigned or passed to a function."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_NAME = r"\A(`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'|[\w.$@]+)\s*"
# Also what is passed to a function that wraps it: `f <- memoise(function(x) ...)`.
_FUNCTION = r"(?:#[^\n]*\n\s*)?(?:[\w.]+(?:::\w+)?\(\s*)?(?:function\b|\\\()"
_CLASS = r"(?:\w+::)?(?:R6Class|setRefClass|new_class|ggproto|proto)\("
_DEFINED = (
    r"\A(?:methods::)?(?:setClass|setGeneric|setClassUnion|setValidity|setOldClass|setReplaceMethod|setAs)"
    r"\(\s*(?:\w+\s*=\s*)?['\"]([^'\"]+)"
)
_METHOD = (
    r"\A(?:methods::)?setMethod\(\s*(?:f\s*=\s*)?['\"]([^'\"]+)['\"]\s*,\s*"
    r"(?:signature\s*=\s*)?(?:(?:signature|c)\(\s*)?(?:\w+\s*=\s*)?['\"]?([\w.]+)"
)


def _assigned(operator: str) -> tuple[tuple[str, str], ...]:
    return (
        ("unit", rf"{_NAME}{operator}\s*{_FUNCTION}"),
        ("container", rf"{_NAME}{operator}\s*{_CLASS}"),
        ("value", rf"{_NAME}{operator}"),
    )


R = Language(
    grammar="r",
    units=frozenset(),
    forms={
        "binary_operator": _assigned(r"(?:<<?-|:?=(?!=))"),
        "argument": _assigned(r"=(?!=)")[:1],
        "call": (
            ("unit", _METHOD),
            ("unit", _DEFINED),
            ("container", r"\A(?:methods::)?setRefClass\(\s*(?:\w+\s*=\s*)?['\"]([^'\"]+)"),
            ("unit", r"\A(?:testthat::)?(?:test_that|describe|it)\(\s*(\"[^\"\n]+\"|'[^'\n]+')"),
        ),
    },
    transparent=kinds("if_statement braced_expression call arguments argument"),
    imports={
        "call": r"\A(?:suppress\w+\(\s*)?(?:library|require|requireNamespace|loadNamespace|source)"
        r"\(\s*(?:package\s*=\s*)?['\"]?([\w./-]+)"
    },
    names={"binary_operator": "lhs", "argument": "name"},
    bodies={
        "binary_operator": "rhs/body|rhs/arguments",
        "argument": "value/body",
        "call": "arguments",
    },
)
