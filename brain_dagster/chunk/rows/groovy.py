"""The row of Groovy, Gradle and Jenkins scripts included.

The grammar knows words, commands and blocks, no declarations: only their text tells what a command declares.
"""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_MODIFIERS = r"^(?:(?:public|private|protected|static|final|abstract|synchronized|default|sealed)\s+)*"
_TYPE = r"[\w.]+(?:<[^(){};=]*>)?(?:\[\])*\s+"
_NAME = r"(\w+|\"[^\"\n]*\"|'[^'\n]*')"
_PARAMETERS = r"\s*\([^(){}]*\)\s*(?:throws\s+[\w.,\s]+)?\{"
_QUOTED = r"(\"[^\"\n]*\")\s*\{"
_KEYWORDS = r"(?!(?:if|else|for|while|switch|try|catch|finally|return|new|throw|case|assert)\b)"

_FORMS = (
    ("attribute", r"^@(?!interface\b)\w[\w.]*\s*$"),
    ("container", _MODIFIERS + r"@?(?:class|interface|trait|enum|record)\s+(\w+)[^(={\n]*\{"),
    ("container", r"^(pipeline|stages)\s*\{"),  # of a Jenkinsfile
    ("unit", r"^(?:stage|parallel)\s*\(\s*(\"[^\"\n]*\"|'[^'\n]*')\s*\)\s*\{"),
    ("unit", r"^(?:tasks\.(?:register|create|named)\s*\(?|task)\s*['\"]?(\w+)"),
    ("unit", _MODIFIERS + r"(?:<[^(){};=]*>\s*)?" + _KEYWORDS + _TYPE + _NAME + _PARAMETERS),
    (
        "unit",
        _MODIFIERS + r"(?:def|void)\s+" + _QUOTED,
    ),  # a test; `rewrites` take its parentheses
    ("unit", _MODIFIERS + r"([A-Z]\w*)" + _PARAMETERS),  # a constructor
    ("unit", _MODIFIERS + _KEYWORDS + r"(?:" + _TYPE + r")?(\w+)\s*=\s*\{"),  # a closure
    ("value", "^" + _KEYWORDS + r"([\w.]+)(?:\s*\([^(){}]*\))?\s*\{"),
    ("value", _MODIFIERS + _KEYWORDS + r"(?:" + _TYPE + r")?(\w+)\s*=(?!=)"),
)

GROOVY = Language(
    grammar="groovy",
    units=frozenset(),
    forms={"command": _FORMS, "end_command": _FORMS},
    groups=kinds("block"),
    spills=kinds("command"),
    imports={"command": r"^import\s+(?:static\s+)?([\w.]+?)(?:\.\*|\s|;|$)"},
    bodies={"command": "@command", "end_command": "@end_command"},
    rewrites={
        # The grammar knows no arguments of annotations, no import of everything, few type arguments and
        # hardly any operators: something simpler of the same length does as well.
        r"(?m)^([ \t]*)@\w[\w.]*\([^\n]*\)[ \t\r]*$": r"\1//",
        r"@\w[\w.]*\([^()\n]*\)": "",
        r"(?m)^([ \t]*import\s[\w. \t]+)\.\*": r"\1",
        r"(?<=\w)<[\w.,? \t<>&\[\]]{0,200}>(?=[\s\w().])": "",
        r"(?<=[=(,~]\s)/[^/*\s][^/\n]*/": '""',
        r"(?<=\s)(?:<=>|<<=?|>>>?|\?:|\*\*|[<>]=|[<>%*/^?])(?=\s)": "+",
        r"(?<=\w)(?:\?\.|\*\.|\.&|\.@)(?=\w)": ".",
        r"(?<=[\w)])\.\.<?(?=[\w(])": "+",
        r"\[:\]": "[]",
        r"(\"[^\"\n]*\")\(\)(?=\s*\{)": r"\1",
    },
    comments=kinds("line_comment block_comment"),
)
