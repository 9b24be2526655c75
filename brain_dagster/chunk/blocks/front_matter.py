"""What a document says of itself at its top: YAML, TOML or JSON, read as flat texts.

The front matter stays in the document's text as well, so whatever cannot be read is only not known by name.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["yaml", "toml", "json"]

MAX_BYTES = 64_000
MAX_ENTRIES = 50
MAX_VALUE_CHARS = 1_000
MAX_NAME_CHARS = 100
MAX_DEPTH = 3  # `author.address.city` is the deepest name a value may have
# Other names of what the context sentence asks for.
_STANDS_FOR = {"tags": ("keywords", "filetags"), "description": ("summary", "abstract")}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Names in lower case with their values as text; `warning` says what could not be read, if anything."""

    metadata: dict[str, str]
    warning: str = ""


def read_front_matter(text: str, form: Form) -> FrontMatter:
    """Read front matter without its fences; what is broken comes with a warning and never raises."""
    if len(text.encode(errors="replace")) > MAX_BYTES:
        return FrontMatter({}, f"parsed partially: front matter of more than {MAX_BYTES // 1000} kB not read")
    try:
        value = _load(text, form)
    except _Unreadable as error:
        return FrontMatter(flat(_plain_lines(text)), f"parsed partially: front matter not read: {error}")
    return FrontMatter(flat(value) if isinstance(value, Mapping) else {})


def flat(values: Mapping[Any, Any]) -> dict[str, str]:
    """Return nested values as texts by dotted names; a list becomes its entries with commas between them.

    Unit  at most 50 entries of 1,000 characters; what is nested deeper than three levels is left out
    """
    found: dict[str, str] = {}
    waiting = [(str(name), value, 1) for name, value in list(values.items())[::-1]]
    while waiting and len(found) < MAX_ENTRIES:
        name, value, depth = waiting.pop()
        if isinstance(value, Mapping):
            inner = list(value.items())[::-1] if depth < MAX_DEPTH else []
            waiting.extend((f"{name}.{key}", each, depth + 1) for key, each in inner)
            continue
        text = ", ".join(filter(None, map(_entry, value))) if isinstance(value, list) else _scalar(value)
        key = " ".join(name.split()).lower()[:MAX_NAME_CHARS]
        if key and text:
            found.setdefault(key, text[:MAX_VALUE_CHARS])
    return with_common_names(found)


def with_common_names(found: dict[str, str]) -> dict[str, str]:
    """Add `tags` and `description` where a document has them under another name."""
    for name, others in _STANDS_FOR.items():
        meant = next((found[other] for other in others if other in found), "")
        if meant and name not in found and len(found) < MAX_ENTRIES:
            found[name] = meant
    return found


class _Unreadable(Exception):
    """Says in a few words why front matter could not be read."""


def _load(text: str, form: Form) -> object:
    try:
        if form == "yaml":
            return _load_yaml(text)
        return tomllib.loads(text) if form == "toml" else json.loads(text)
    except RecursionError as error:
        raise _Unreadable("nested too deep") from error
    except ValueError as error:  # also TOMLDecodeError and JSONDecodeError
        raise _Unreadable(f"no valid {form.upper()}") from error


def _load_yaml(text: str) -> object:
    """Every scalar stays the text it was written as: `1.10` is no number and `no` is not false."""
    import yaml

    class TextLoader(yaml.BaseLoader):
        """Refuses anchors and aliases: nine lines of them unfold into gigabytes."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                raise _Unreadable("YAML anchors and aliases are not followed")
            return super().compose_node(parent, index)

    try:
        return yaml.load(text, Loader=TextLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark is not None else ""  # the fence is line 1
        raise _Unreadable(f"no valid YAML{where}") from error
    except (TypeError, AttributeError) as error:  # a list as a key, among others
        raise _Unreadable("no valid YAML") from error


def _plain_lines(text: str) -> dict[str, str]:
    """Return what `name: value` lines say, for front matter that is broken elsewhere."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":" if ":" in line else "=")
        if colon and name.strip().replace("_", "").replace("-", "").isalnum() and name[:1].strip():
            found.setdefault(name.strip(), value.strip().strip("\"'"))
    return found


def _entry(value: object) -> str:
    """Return an entry of a list: a text, or what a mapping calls itself."""
    if isinstance(value, Mapping):
        return _scalar(value.get("name") or value.get("title"))
    return _scalar(value)


def _scalar(value: object) -> str:
    if value is None or isinstance(value, Mapping | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = " ".join(str(value)[: 4 * MAX_VALUE_CHARS].split())
    return "" if text in ("~", "null") else text
