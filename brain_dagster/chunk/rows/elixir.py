"""The row of Elixir: everything is a call, so the first word tells what it declares."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_DEFINE = r"\A(?:def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|defn|defnp)\b\s*\(?\s*"

ELIXIR = Language(
    grammar="elixir",
    units=frozenset(),
    forms={
        "call": (
            ("namespace", r"\Adefmodule\s*\(?\s*([\w.]+)"),
            ("container", r"\Adefprotocol\s*\(?\s*([\w.]+)"),
            ("container", r"\Adefimpl\s*\(?\s*([\w.]+)(?:\s*,\s*for:\s*\[?\s*([\w.]+))?"),
            ("unit", _DEFINE + r"\w+\s*([^\w\s(),.:;\[\]{}\"'%@&]+)\s*[\w%]+\s*\)?\s*(?:,|do\b|when\b|\Z)"),
            ("unit", _DEFINE + r"(?:unquote\()?:?([^\W\d]\w*[?!]?)"),
            ("unit", r"\A(?:test|property|feature)\s*\(?\s*(\"[^\"\n]+)"),
            ("container", r"\Adescribe\s*\(?\s*(\"[^\"\n]+)"),
            ("unit", r"\A((?:embedded_)?schema)\b"),
            ("attribute", r"\A(?:attr|slot)\s*\(?\s*:\w+"),  # of a Phoenix component
        ),
        "unary_operator": (
            (
                "attribute",
                r"\A@(?:doc|spec|impl|deprecated|since|typedoc|tag|decorate|dialyzer|derive"
                r"|enforce_keys)\b",
            ),
            ("unit", r"\A@(?:type|typep|opaque|callback|macrocallback)\s*\(?\s*(\w+[?!]?)"),
            ("value", r"\A@(?!moduledoc\b|behaviour\b|before_compile\b|after_compile\b)(\w+)\s"),
        ),
    },
    transparent=kinds("call do_block"),
    imports={"call": r"\A(?:use|import|require|alias)\s*\(?\s*([A-Z_][\w.]*\w)"},
    names={"call": "target"},
    bodies={"call": ">do_block"},
    repeats=kinds("call"),
    title=r"@moduledoc\s+(?:~[sS])?\"(?:\"\")?\s*([^\n\"]+)",
)
