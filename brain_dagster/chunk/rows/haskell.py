"""The row of Haskell."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

HASKELL = Language(
    grammar="haskell",
    units=kinds(
        "function bind signature data_type newtype type_synomym type_family data_family foreign_import "
        "pattern_synonym deriving_instance kind_signature default_signature"
    ),
    containers=kinds("class instance"),
    groups=kinds("imports declarations"),
    # A signature and the equations below it are one function.
    repeats=kinds("signature function bind kind_signature data_type newtype type_family pattern_synonym"),
    imports={"import": r"\Aimport\s+(?:safe\s+)?(?:qualified\s+)?(?:\"[^\"]*\"\s+)?([\w.']+)"},
    names={
        "function": "name/@operator|name|>infix/operator",
        "bind": "name/@operator|name",
        "signature": "name/@operator|name",
        "instance": "name patterns/@name,constructor_operator",
        "deriving_instance": "name patterns/@name,constructor_operator",
        "foreign_import": "signature/name",
        "pattern_synonym": "@constructor",
    },
    # The grammar hides everything between `#else` and `#endif`.
    rewrites={r"(?m)^#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b[^\r\n]*": ""},
    bodies={"class": "declarations", "instance": "declarations"},
    comments=kinds("comment haddock pragma cpp"),
    afterthoughts=kinds("comment haddock pragma"),
    title=r"\A(?:\s*\{-#[^\n]*\n)*\s*(?:--|\{-)\s*\|\s*([^\n]+)",
)
