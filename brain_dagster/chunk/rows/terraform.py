"""The row of Terraform and other HCL."""

from __future__ import annotations

from brain_dagster.chunk.language import Language, kinds

_LABEL = r"(?:\s+\"?([\w.*/-]+)\"?)?"

TERRAFORM = Language(
    grammar="terraform",
    units=frozenset(),
    values=kinds("attribute"),
    forms={
        "block": (
            ("namespace", r"\A(locals)\s*\{"),
            ("container", rf"\A([\w-]+){_LABEL}{_LABEL}\s*\{{"),
        )
    },
    groups=kinds("body"),
    names={"attribute": ">identifier", "block": ">identifier"},
    bodies={"block": ">body"},
)
