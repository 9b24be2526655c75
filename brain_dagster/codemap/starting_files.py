"""Files that say what is started: Dockerfile, Procfile, and the main file of a Rust crate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain_dagster.codemap.base import MapEntry, MappedFile, tidy

_INSTRUCTION = re.compile(r"^\s*(CMD|ENTRYPOINT)\s+(.*)$", re.IGNORECASE)
_PROCESS = re.compile(r"^([\w-]+):\s*(\S.*)$")
_RUST_MAIN = re.compile(r"^(?:pub(?:\([a-z]+\))?\s+)?(?:async\s+)?fn\s+main\s*\(")


def read_dockerfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read every CMD and ENTRYPOINT; a health check's own CMD starts nothing."""
    start, pending = 1, ""
    for number, line in file.numbered_lines():
        if line.lstrip().startswith("#"):
            continue
        start = start if pending else number
        if line.rstrip().endswith("\\"):
            pending += line.rstrip()[:-1] + " "
            continue
        instruction = _INSTRUCTION.match(pending + line)
        pending = ""
        if instruction:
            yield MapEntry("entry_point", instruction.group(1).upper(), tidy(instruction.group(2)), start)


def read_procfile(file: MappedFile) -> Iterator[MapEntry]:
    """Read the process types of a Procfile."""
    for number, line in file.numbered_lines():
        process = _PROCESS.match(line)
        if process:
            yield MapEntry("entry_point", process.group(1), process.group(2), number)


def map_rust(file: MappedFile) -> Iterator[MapEntry]:
    """Map the files that Cargo builds into binaries by their place: src/main.rs and those of src/bin."""
    parts = file.path.split("/")
    if parts[-2:] == ["src", "main.rs"]:
        name = parts[-3] if len(parts) > 2 else "main"
    elif parts[-3:-1] == ["src", "bin"]:
        name = file.name.removesuffix(".rs")
    elif len(parts) > 3 and parts[-4:-2] == ["src", "bin"] and file.name == "main.rs":
        name = parts[-2]
    else:
        return
    for number, line in file.numbered_lines():
        if _RUST_MAIN.match(line):
            yield MapEntry("entry_point", name, "fn main()", number)
