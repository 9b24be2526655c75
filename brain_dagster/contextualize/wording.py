"""The words that sentence and header share: clean single lines, shortened at names, language names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from brain_dagster.store.clean import clean_text

# Control characters, line separators, and the invisible ones that reorder or hide text.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

_LANGUAGE_NAMES = {
    "asciidoc": "AsciiDoc",
    "cmake": "CMake",
    "cpp": "C++",
    "csharp": "C#",
    "css": "CSS",
    "csv": "CSV",
    "dockerfile": "Dockerfile",
    "docx": "Word document",
    "fsharp": "F#",
    "graphql": "GraphQL",
    "html": "HTML",
    "ini": "INI",
    "javascript": "JavaScript",
    "json": "JSON",
    "jsonl": "JSON lines",
    "jsx": "JSX",
    "less": "Less",
    "makefile": "Makefile",
    "mbox": "mailbox",
    "objc": "Objective-C",
    "ocaml": "OCaml",
    "ocaml_interface": "OCaml",
    "pdf": "PDF",
    "php": "PHP",
    "powershell": "PowerShell",
    "pptx": "presentation",
    "rst": "reStructuredText",
    "sass": "Sass",
    "scss": "SCSS",
    "slack": "Slack export",
    "sql": "SQL",
    "srt": "subtitles",
    "svelte": "Svelte",
    "toml": "TOML",
    "tsv": "TSV",
    "tsx": "TSX",
    "typescript": "TypeScript",
    "vtt": "subtitles",
    "vue": "Vue",
    "xlsx": "Workbook",
    "xml": "XML",
    "yaml": "YAML",
}


def one_line(text: str) -> str:
    """Return the text as one clean line: storable, without control characters, single spaces."""
    return " ".join(_UNSEEN.sub(" ", clean_text(text)).split())


def clean_names(names: Iterable[str]) -> list[str]:
    """Return the names as clean lines, in order, without empty ones and without repetitions."""
    return [name for name in dict.fromkeys(one_line(name) for name in names) if name]


def header_line(line: str) -> str:
    """Return a declaration's header line without what opens its body: `class Row(Base):` loses its colon."""
    return one_line(line).rstrip(" {:")


def language_name(language: str) -> str:
    """Return the language as people write it; empty where it is unknown or plain text."""
    name = one_line(language)
    if name in ("", "text", "plain", "unknown"):
        return ""
    return _LANGUAGE_NAMES.get(name, name[:1].upper() + name[1:])


def clip(text: str, max_chars: int) -> str:
    """Shorten a line to at most `max_chars`, at a space where one is near, ending in an ellipsis."""
    if len(text) <= max_chars:
        return text
    if max_chars < 2:
        return ""
    kept = text[: max_chars - 1]
    head, space, _ = kept.rpartition(" ")
    return (head if space and len(head) > max_chars // 2 else kept).rstrip(" ,;>") + "…"


def join_fitting(names: Sequence[str], joiner: str, max_chars: int) -> str:
    """Join as many names as fit, from the first on; the first alone is shortened if it must be."""
    kept = ""
    for name in names:
        longer = f"{kept}{joiner}{name}" if kept else name
        if len(longer) > max_chars:
            return kept or clip(name, max_chars)
        kept = longer
    return kept


def join_fitting_from_end(names: Sequence[str], joiner: str, max_chars: int) -> str:
    """Join as many names as fit, keeping the innermost ones: of a trail, its end says most."""
    kept = ""
    for name in reversed(names):
        longer = f"{name}{joiner}{kept}" if kept else name
        if len(longer) > max_chars:
            return kept or clip(name, max_chars)
        kept = longer
    return kept
