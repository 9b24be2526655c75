"""Slack's own markup as people read it: mentions, links, emoji, entities, and text kept in blocks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from html import unescape

MAX_NODES = 10_000
_ANGLED = re.compile(r"<([^<>\n]{1,3000})>")
_EMOJI = re.compile(r":([a-z0-9_+-]{2,40}):")
# Names that Slack has and Unicode has not; others are Unicode's own.
_SHORT_NAMES = {
    "+1": "👍", "-1": "👎", "thumbsup": "👍", "thumbsdown": "👎", "smile": "😄", "joy": "😂", "heart": "❤",
    "tada": "🎉", "wave": "👋", "pray": "🙏", "white_check_mark": "✅", "heavy_check_mark": "✔", "x": "❌",
    "warning": "⚠", "eyes": "👀", "100": "💯", "clap": "👏", "ok_hand": "👌", "thinking_face": "🤔",
    "raised_hands": "🙌", "question": "❓", "exclamation": "❗", "bulb": "💡", "slightly_smiling_face": "🙂",
}  # fmt: skip


def resolved(text: str, names: Mapping[str, str]) -> str:
    """Return a message with mentions by name, links by label and address, emoji as characters."""
    text = _ANGLED.sub(lambda found: _pointed(found[1], names), text)
    return unescape(_EMOJI.sub(_emoji, text)).strip()


def _pointed(inner: str, names: Mapping[str, str]) -> str:
    target, _, label = inner.partition("|")
    kind, rest = target[:1], target[1:]
    if kind == "@":
        return f"@{names.get(rest) or label or rest}"
    if kind == "#":
        return f"#{label or rest}"
    if kind == "!":
        return label or f"@{rest.partition('^')[0]}"
    if target.startswith("mailto:"):
        return label or target[7:]
    return f"{label} ({target})" if label and label != target else target


def _emoji(found: re.Match[str]) -> str:
    name = found[1]
    if name in _SHORT_NAMES:
        return _SHORT_NAMES[name]
    try:
        character = unicodedata.lookup(name.replace("_", " ").replace("-", " "))
    except KeyError:
        return found[0]
    return character if unicodedata.category(character) == "So" else found[0]


def blocks_text(blocks: object) -> str:
    """Return the text of a message that has it only in blocks; explicit stack, counted nodes (E6)."""
    words: list[str] = []
    stack = [blocks]
    for _ in range(MAX_NODES):
        if not stack:
            break
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            kind, text = node.get("type"), node.get("text")
            if isinstance(text, str):
                words.append(text)
            elif kind == "user":
                words.append(f"<@{node.get('user_id')}>")
            elif kind == "emoji":
                words.append(f":{node.get('name')}:")
            elif kind == "link":
                words.append(str(node.get("url") or ""))
            if str(kind).startswith(("rich_text_section", "rich_text_quote", "section", "header")) and words:
                words.append("\n")
            stack.extend(value for value in (node.get("elements"), text) if isinstance(value, (dict, list)))
    return re.sub(r"\n{2,}", "\n", "".join(words)).strip()
