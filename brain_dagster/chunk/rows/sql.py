"""The row of SQL: statements are told apart before the grammar sees them, and named by their first words."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds
from brain_dagster.chunk.sqlview import statements_only

_PART = r"[\"`\[]?([\w$#@{}]+)[\"`\]]?"
_NAME = rf"{_PART}(?:\s*\.\s*{_PART})?(?:\s*\.\s*{_PART})?"
_WORDS = (
    r"or\s+replace|or\s+alter|global|local|temp|temporary|unlogged|unique|clustered|nonclustered"
    r"|materialized|recursive|constraint|foreign|event(?=\s+trigger)|external|virtual|transient|secure|trusted"
    r"|procedural|fulltext|spatial|bitmap|public|force|no\s+force|default|default\s+conversion|definer\s*=\s*\S+"
    r"|sql\s+security\s+\w+|algorithm\s*=\s*\w+|aggregate(?=\s+function)"
)
_KINDS = (
    r"table|view|function|procedure|proc|index|trigger|type(?:\s+body)?|domain|sequence|schema|database"
    r"|extension|policy|role|user|aggregate|rule|server|publication|subscription|collation|conversion"
    r"|statistics|package(?:\s+body)?|event|macro|stream|task|stage|synonym|language|tablespace"
    r"|access\s+method|text\s+search\s+\w+|operator\s+(?:class|family)|foreign\s+data\s+wrapper"
)
_CREATE = (
    rf"(?i)\A(?:create|alter(?=\s+(?:proc|function|view|trigger)))\s+(?:(?:{_WORDS})\s+)*(?:{_KINDS})\s+"
    r"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(?!on\b)"
)

SQL = Language(
    grammar="sql",
    units=frozenset(),
    forms={
        "statement": (
            ("unit", _CREATE + _NAME),
            ("unit", r"(?i)\Acreate\s+operator\s+([^\s(]+)"),
        )
    },
    imports={"statement": r"(?i)\A(?:\\ir?|\\include(?:_relative)?|@@?|source)\s+['\"]?([^\s'\";]+)"},
    comments=kinds("comment marginalia"),
    header=r"\A[^\n(]*(?:\([^\n()]*\)[^\n(]*)?",
    view=statements_only,
)
