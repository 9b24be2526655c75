"""Go's go.mod and go.work.

Both are read by the lines and blocks that their reference defines, because no grammar at hand knows go.work,
and because a directive of a newer Go must not cost the ones that are known.
Source  Go Modules Reference, sections "go.mod files: Lexical elements" and "go.work files".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brain_dagster.codemap.base import MapEntry, MappedFile, NotParsable, described, with_purpose


@dataclass(frozen=True, slots=True)
class _Directive:
    """One directive, in a block or alone: its word, its arguments, the comment behind it, its line."""

    verb: str
    arguments: tuple[str, ...]
    comment: str
    line: int


def _directives(file: MappedFile) -> Iterator[_Directive]:
    block = ""
    for number, line in file.numbered_lines():
        code, _, comment = _split_comment(line)
        words = [word.strip('"`') for word in code.split()]
        if not words:
            continue
        if words[0] == ")":
            block = ""
        elif block:
            yield _Directive(block, tuple(words), comment.strip(), number)
        elif words[-1] == "(":
            block = words[0]
        elif len(words[0]) > 1 and words[0].endswith("(") and len(words) == 1:
            block = words[0][:-1]
        else:
            yield _Directive(words[0], tuple(words[1:]), comment.strip(), number)


def _split_comment(line: str) -> tuple[str, str, str]:
    """Split where a comment starts: at `//` before which there is a space or nothing (`https://` is none)."""
    at = line.find("//")
    while at > 0 and not line[at - 1].isspace():
        at = line.find("//", at + 2)
    return (line, "", "") if at < 0 else (line[:at], "//", line[at + 2 :])


def read_go_mod(file: MappedFile) -> Iterator[MapEntry]:
    """Read a go.mod: the module, its Go version, what it requires directly and indirectly."""
    directives = list(_directives(file))
    module = next((one for one in directives if one.verb == "module" and one.arguments), None)
    if module is None:
        raise NotParsable
    version = next((one.arguments[0] for one in directives if one.verb == "go" and one.arguments), "")
    detail = described(module.arguments[0], f"(go {version})" if version else "")
    yield MapEntry("manifest", file.name, detail, module.line)
    for one in directives:
        if one.verb == "require" and len(one.arguments) == 2:
            name, wanted = one.arguments
            is_indirect = one.comment.partition(";")[0].split() == ["indirect"]
            yield MapEntry("dependency", name, with_purpose(wanted, "indirect" * is_indirect), one.line)


def read_go_work(file: MappedFile) -> Iterator[MapEntry]:
    """Read a go.work: the modules of the workspace."""
    directives = list(_directives(file))
    version = next((one.arguments[0] for one in directives if one.verb == "go" and one.arguments), "")
    yield MapEntry("manifest", file.name, described("Go workspace", f"(go {version})" if version else ""), 1)
    for one in directives:
        if one.verb == "use" and one.arguments:
            yield MapEntry("workspace", one.arguments[0], "go.work use", one.line)
