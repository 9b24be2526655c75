"""What is shown of a notebook cell's output: the first lines of texts, all errors, the names of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from brain_dagster.store.clean import clean_text

MAX_LINES = 12
MAX_CHARS = 1_000
MAX_OUTPUTS = 40
_MAX_LINE = 300
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# nbformat 3 has no media types but keys of its own.
_OLD_KEYS = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml", "html": "text/html"}


def output_text(outputs: object) -> str:
    """Return the outputs of a cell as a few lines."""
    shown: list[str] = []
    for output in outputs[:MAX_OUTPUTS] if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            shown.extend(filter(None, _shown(output)))
    # Pictures are told once each kind: a loop may draw a hundred.
    return _clipped("\n".join(dict.fromkeys(shown)), 2 * MAX_LINES, 2 * MAX_CHARS)


def joined(value: object) -> str:
    """Return a text of the notebook format: a string, or a list of strings one after the other."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _shown(output: Mapping[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        yield _clipped(f"{output.get('ename')}: {output.get('evalue')}", MAX_LINES, MAX_CHARS)
    elif kind == "stream":
        yield _clipped(joined(output.get("text")), MAX_LINES, MAX_CHARS)
    else:
        found = output.get("data")
        yield from _displayed(found if isinstance(found, dict) else _as_media(output))


def _as_media(output: Mapping[str, Any]) -> dict[str, Any]:
    media = {name: output[key] for key, name in _OLD_KEYS.items() if key in output}
    return {**media, "text/plain": output.get("text")}


def _displayed(media: Mapping[str, Any]) -> Iterator[str]:
    """Show the plain form of a displayed value; a picture's plain form says nothing, so it is named."""
    images = [kind for kind in media if str(kind).startswith(("image/", "video/", "audio/"))]
    text = joined(media.get("text/plain"))
    if images:
        yield f"[{images[0][:60]}]"
    elif text.strip():
        yield _clipped(text, MAX_LINES, MAX_CHARS)
    elif joined(media.get("text/markdown")).strip():
        yield _clipped(joined(media.get("text/markdown")), MAX_LINES, MAX_CHARS)
    elif "text/html" in media:
        yield "[text/html]"


def _clipped(text: str, max_lines: int, max_chars: int) -> str:
    """Return the first lines as a terminal shows them: without colours, progress bars at their last state."""
    text = _COLOURS.sub("", clean_text(text[: 20 * max_chars])).strip("\r\n")
    lines = [line.rpartition("\r")[2][:_MAX_LINE].rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    kept: list[str] = []
    size = 0
    for line in lines[:max_lines]:
        size += len(line) + 1
        if size > max_chars and kept:
            break
        kept.append(line)
    return "\n".join(kept) + ("\n…" if len(kept) < len(lines) else "")
