"""Shows the SQL grammar nothing but where statements begin and end.

Every database speaks its own SQL, and the grammar gives up on most of what is not in the standard: of
PostgreSQL's own `information_schema.sql` it lost 133 statements of 462, and one function body in `$$` can
swallow the rest of a file (tree_sitter_language_pack 0.13.0). Where a statement ends can be told in any
dialect, by its quotes, brackets and blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Quantifiers are possessive and an open quote reaches to the end: no text makes a pattern look twice (E8).
_COMMENT = rb"--[^\n]*+|/\*(?:.*?\*/|.*+)"
# `\'` goes on in MySQL and ends the string in standard SQL, where only what ends an expression follows.
_STRING = rb"[eE]'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|'(?:[^'\\]|\\(?!')|\\'(?=[^\s,;:)|]))*+(?:\\?'|\Z)"
_NAME = rb"\"[^\"]*+(?:\"|\Z)|`[^`]*+(?:`|\Z)"
# A block of a routine is `begin ... end`; `begin` by itself starts a transaction.
_BEGIN = (
    rb"begin(?!\s*+(?:;|\Z)|\s++(?:tran|work|isolation|read|deferred|immediate|exclusive|concurrent))|case"
)
_TOKENS = re.compile(
    rb"(?P<comment>" + _COMMENT + rb")|" + _STRING + rb"|" + _NAME + rb"|(?P<dollar>\$(?:[A-Za-z_]\w*+)?\$)"
    rb"|(?P<open>\()|(?P<close>\))|(?P<end>;)|(?P<batch>^[ \t]*+(?:go(?:[ \t]++\d+)?|/)[ \t]*+\r?$)"
    rb"|\b(?P<begin>" + _BEGIN + rb")\b|\bend(?=\s++(?:if|loop|while|repeat|for)\b)"
    rb"|\b(?P<finish>end(?:\s++case)?)\b",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_BETWEEN = re.compile(rb"(?:\s++|" + _COMMENT + rb")*+", re.DOTALL)
_COMMAND = re.compile(rb"\\[a-z!?][^\r\n]*+|(?i:delimiter[ \t]++(\S++)[^\r\n]*+)")  # of psql, of mysql
_BATCH_END = re.compile(rb"^[ \t]*+(?:go|/)[ \t]*+\r?$", re.IGNORECASE | re.MULTILINE)
_BATCH_TAIL = re.compile(rb"\n[ \t]*+(?:go(?:[ \t]++\d+)?|/)\Z", re.IGNORECASE)
_ROUTINE = re.compile(
    rb"(?:create|alter)\s++(?:or\s++(?:replace|alter)\s++)?(?:definer\s*+=\s*+\S++\s++)?"
    rb"(?:proc|procedure|function|trigger|package|type\s++body)\s",
    re.IGNORECASE,
)
_COPIED = re.compile(rb"copy\s[^;]*?\sfrom\s+stdin\b", re.IGNORECASE)
_COPY_BYTES = 2_000
_ROWS_END = b"\n\\."
# Whatever was left open, a statement that begins a line begins.
_AFRESH = re.compile(rb"[ \t]*+(?:--[^\n]*+)?(?:\s++|--[^\n]*+\n)*+(?<=\n)create\s", re.IGNORECASE)
_SHOWN = b"SELECT'"
_NOT_A_LINE_END = re.compile(rb"[^\r\n]")


def statements_only(content: bytes) -> bytes:
    """Put a plain `SELECT'...';` in place of every statement; comments and offsets stay."""
    parts: list[bytes] = []
    done = 0
    for start, end in _statements(content):
        parts.append(content[done:start])
        shown = _shown(content[start:end])
        parts.append(shown)
        done = end
        if shown.endswith(b"'") and content[end : end + 1] in (b"\r", b"\n"):
            parts.append(b";")  # a command of psql ends with its line
            done += 1
    return b"".join([*parts, content[done:]])


def _shown(statement: bytes) -> bytes:
    body = _BATCH_TAIL.sub(b"", statement.rstrip(b"; \t\r\n")).rstrip(b"; \t\r\n")
    rest = _NOT_A_LINE_END.sub(b" ", statement[len(body) :])
    if len(body) <= len(_SHOWN) or b"\n" in body[: len(_SHOWN)]:
        return _NOT_A_LINE_END.sub(b" ", body) + rest
    inside = _NOT_A_LINE_END.sub(b"x", body[len(_SHOWN) : -1])
    return _SHOWN + inside + b"'" + rest.replace(b" ", b";", 1)


def _statements(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield where statements begin and end, their semicolon included."""
    delimiter, has_batches = b"", _BATCH_END.search(content) is not None
    last_row = content.rfind(_ROWS_END)
    position = _after(_BETWEEN, content, 0)
    while position < len(content):
        start = position
        command = _COMMAND.match(content, start)
        if command is not None:
            position = command.end()
            if command[1] is not None:
                delimiter = b"" if command[1] == b";" else command[1]
        elif delimiter:
            found = content.find(delimiter, start)
            position = len(content) if found < 0 else found + len(delimiter)
        else:
            position = _statement_end(content, start, has_batches)
            if position <= last_row and _COPIED.match(content, start, min(position, start + _COPY_BYTES)):
                position = content.find(_ROWS_END, position) + len(_ROWS_END)
        yield start, position
        position = _after(_BETWEEN, content, position)


def _begins(content: bytes, position: int) -> bool:
    """Tell whether a statement stands at the beginning of the next line that is not empty."""
    return _AFRESH.match(content, position) is not None


def _after(pattern: re.Pattern[bytes], content: bytes, position: int) -> int:
    found = pattern.match(content, position)
    return position if found is None else found.end()


def _statement_end(content: bytes, start: int, has_batches: bool) -> int:
    if has_batches and _ROUTINE.match(content, start):
        batch = _BATCH_END.search(content, start)
        return len(content) if batch is None else batch.end()
    brackets = blocks = 0
    position = start
    while found := _TOKENS.search(content, position):
        position = found.end()
        kind = found.lastgroup
        if kind == "dollar":
            closing = content.find(found[0], position)
            if closing < 0:
                return len(content)
            position = closing + len(found[0])
        elif kind in ("open", "close"):
            brackets = max(0, brackets + (1 if kind == "open" else -1))
        elif kind in ("begin", "finish") and not brackets:
            blocks = max(0, blocks + (1 if kind == "begin" else -1))
        elif kind == "batch" or (kind == "end" and (not (brackets or blocks) or _begins(content, position))):
            return position
    return len(content)
