"""Reads files line by line: stages of a Dockerfile, rules of a makefile, settings of an INI file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brain_dagster.chunk.structured.entries import (
    HEADER_CHARS,
    NAME_CHARS,
    Entry,
    one_line,
    with_plain_line_ends,
)
from brain_dagster.chunk.trees import OverBudget

LINE_BYTES = 600  # of a line, what is looked at to see what begins there
MAX_LINES = 400_000
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_HEREDOC = re.compile(rb"(?<!<)<<-?[ \t]*[\"']?(\w{1,60})")
_WORD = re.compile(rb"\w{1,60}")


@dataclass(frozen=True)
class InstructionFormat:
    """How instructions begin.

    begins    pattern at the start of a line; its group that matched says what begins there, and the text of
              the group is the key. Lines where nothing begins belong to what is above them
    sections  groups that open a section: the instructions after them stand in it, up to the next
    keyless   groups whose text is no key
    blocks    group -> word that ends it on a line of its own
    comments  how lines begin that belong to the instruction below
    """

    begins: re.Pattern[bytes]
    sections: frozenset[str] = frozenset()
    keyless: frozenset[str] = frozenset()
    blocks: Mapping[str, bytes] = field(default_factory=dict)
    comments: tuple[str, ...] = ("#",)
    has_heredocs: bool = False


INSTRUCTIONS: Mapping[str, InstructionFormat] = {
    "dockerfile": InstructionFormat(
        begins=re.compile(
            rb"[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(?:\S+[ \t]+AS[ \t]+(?P<stage>[\w.-]+)|(?P<image>\S+))"
            rb"|[ \t]*(?P<instruction>ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|HEALTHCHECK|LABEL"
            rb"|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER|VOLUME|WORKDIR)[ \t]",
            re.IGNORECASE,
        ),
        sections=frozenset(("stage", "image")),
        keyless=frozenset(("instruction",)),
        has_heredocs=True,
    ),
    "ini": InstructionFormat(
        # What is indented goes on with the value above it, or with the section.
        begins=re.compile(rb"\[(?P<section>[^\]\n]+)\]|(?P<setting>[^\s#;=:\[][^=:\n]*)[=:]"),
        sections=frozenset(("section",)),
        comments=("#", ";"),
    ),
    "properties": InstructionFormat(
        begins=re.compile(rb"(?P<property>(?:[^\s#!=:\\]|\\.)(?:[^\s=:\\]|\\.)*)[ \t]*(?:[=: \t]|$)"),
        comments=("#", "!"),
    ),
    "makefile": InstructionFormat(
        begins=re.compile(
            rb"(?P<directive>[-s]?include\b|\.[A-Z_]+[ \t]*:)"
            rb"|define[ \t]+(?P<define>[^\s=:]+)"
            rb"|(?:(?:export|override|private)[ \t]+)*(?P<variable>[^\s#:=+?!]+)[ \t]*(?::{1,3}|[+?!])?="
            rb"|(?P<rule>[^\s#:=][^#:=]*):(?!=)"
        ),
        keyless=frozenset(("directive",)),
        blocks={"define": b"endef"},
        comments=("#", "ifeq", "ifneq", "ifdef", "ifndef", "else"),
    ),
}
"""The formats that are cut at instructions, by the names `language_of` gives."""


@dataclass(slots=True)
class Instruction:
    """An instruction from its first line to the last before the next one; `first_end` ends the first."""

    start: int
    end: int
    first_end: int
    key: str
    is_section: bool
    inside: list[Instruction] = field(default_factory=list)


class InstructionReader:
    """The instructions of one text as entries."""

    def __init__(self, form: InstructionFormat, content: bytes) -> None:
        self._form = form
        self._content = with_plain_line_ends(content)
        self.comments = form.comments
        self._top = self._read()

    def top(self) -> list[Entry[Instruction]]:
        """Return the instructions, or the sections of them, in order."""
        return [self._entry(each) for each in self._top]

    def inside(self, entry: Entry[Instruction]) -> list[Entry[Instruction]]:
        """Return the instructions of a section after the one that opens it."""
        return [self._entry(each) for each in entry.inner.inside]

    def header(self, entry: Entry[Instruction]) -> str:
        """Return the first line of an instruction."""
        return one_line(self._content[entry.start : entry.inner.first_end], HEADER_CHARS)

    def trouble(self) -> tuple[int, int] | None:
        """Return None: what is no instruction belongs to the one above it."""
        return None

    def _entry(self, each: Instruction) -> Entry[Instruction]:
        return Entry(each.start, each.end, each.key, "", each)

    def _read(self) -> list[Instruction]:
        top: list[Instruction] = []
        for each in self._instructions():
            section = top[-1] if top and top[-1].is_section else None
            if section is not None and not each.is_section:
                section.inside.append(each)
                section.end = each.end
            else:
                top.append(each)
        return top

    def _instructions(self) -> list[Instruction]:
        """Return every instruction by itself."""
        lines = [line.span() for line in _LINE.finditer(self._content)]
        if len(lines) > MAX_LINES:
            raise OverBudget(f"more than {MAX_LINES:,} lines")
        ends = self._last_lines_of_one_word(lines)
        found: list[Instruction] = []
        number = 0
        while number < len(lines):
            start, end = lines[number]
            begun = self._form.begins.match(self._content, start, min(end, start + LINE_BYTES))
            kind = begun.lastgroup if begun is not None else None
            last = self._last_line(lines, number, kind, ends)
            if begun is not None and kind is not None:
                key = "" if kind in self._form.keyless else one_line(begun[kind].strip(), NAME_CHARS)
                is_section = kind in self._form.sections
                begins = start + len(self._content[start:end]) - len(self._content[start:end].lstrip())
                found.append(Instruction(begins, lines[last][1], end, key, is_section))
            elif found:
                found[-1].end = lines[last][1]
            number = last + 1
        return found

    def _last_line(
        self, lines: Sequence[tuple[int, int]], number: int, kind: str | None, ends: Mapping[bytes, int]
    ) -> int:
        """Return the last line of what begins on one: continued by a backslash, or up to a closing word."""
        last = number
        while last + 1 < len(lines) and self._text(lines[last]).endswith(b"\\"):
            last += 1
        word = self._form.blocks.get(kind or "")
        if self._form.has_heredocs and kind is not None:
            opened = _HEREDOC.search(self._content, lines[number][0], lines[last][1])
            word = opened[1] if opened is not None else None
        if word is None or ends.get(word, -1) <= last:
            return last
        while self._text(lines[last]) != word:
            last += 1
        return last

    def _last_lines_of_one_word(self, lines: Sequence[tuple[int, int]]) -> dict[bytes, int]:
        """Return the last line on which a word stands alone, so that none is looked for in vain."""
        ends: dict[bytes, int] = {}
        for number, line in enumerate(lines):
            text = self._text(line) if line[1] - line[0] <= LINE_BYTES else b""
            if _WORD.fullmatch(text):
                ends[text] = number
        return ends

    def _text(self, line: tuple[int, int]) -> bytes:
        return self._content[line[0] : line[1]].strip()
