"""The row of Clojure: everything is a list, so the first word tells what it declares."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_OPEN = r"\A\(\s*(?:[\w.*+-]+/)?"
_NAME = r"\s+(?:\^(?:[^\s{\"()^]+|\{(?:[^{}\"]|\"[^\"]*\")*\}|\"[^\"]*\")\s*)*([^\s\[\](){}\"';,^@`~]+)"
_MODULE = r"(?<=[\[(\s'])((?:[\w*+!?-]+\.)+[\w*+!?-]+(?=[\s\])])|[\w-]+(?=\s+:(?:as|refer)\b))"

CLOJURE = Language(
    grammar="clojure",
    units=frozenset(),
    forms={
        "list_lit": (
            ("container", rf"{_OPEN}(?:defprotocol\+?|defrecord\+?|deftype\+?|definterface){_NAME}"),
            ("container", rf"{_OPEN}(?:extend-protocol|extend-type){_NAME}"),
            ("unit", rf"{_OPEN}defmethod{_NAME}\s+(:{{0,2}}[\w./-]+)"),
            ("value", rf"{_OPEN}(?:def|defonce){_NAME}"),
            ("unit", rf"{_OPEN}def(?!ault\b|er)[\w*!?<>+-]*{_NAME}"),
            ("unit", r"\A\((?:[\w.-]+/)?reg-[\w-]+\s+(::?[\w./-]+)"),  # handlers of re-frame
        )
    },
    transparent=kinds("list_lit read_cond_lit"),
    imports={"list_lit": r"\A\((?:ns\s+(?:\^\S+\s+)*\S+|require|use|import)\b([\s\S]*)"},
    modules={"list_lit": _MODULE},
    names={"list_lit": ">sym_lit"},
    bodies={"list_lit": "@list_lit"},
    # Inside a protocol or record every list is a method.
    members={"list_lit": "list_lit"},
    # There the name of a protocol or type stands above its methods.
    attributes=kinds("sym_lit nil_lit"),
    comments=kinds("comment dis_expr"),
    title=r"\A(?:\s*;[^\n]*\n)*\s*\(ns\s+(?:\^\S+\s+)*[^\s)\"]+\s+\"([^\"\n]+)",
)
