"""Reads a day of a channel from a Slack export (`channel/2024-05-01.json`) as a conversation.

A message is a line `[2024-05-01 10:22] Alice: text`; further lines of it are indented, and so are the
replies of its thread, which stand beneath it. Times are UTC, as the export has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import FlowText
from brain_dagster.parse.formats.slack_markup import blocks_text, resolved

_INDENT = "    "
_MAX_NAMED = 20
# Comings and goings; nobody quotes them.
_DROPPED = frozenset(
    ("channel_join", "channel_leave", "group_join", "group_leave", "bot_add", "bot_remove", "tombstone",
     "channel_archive", "channel_unarchive", "pinned_item", "unpinned_item", "reminder_add", "huddle_thread")
)  # fmt: skip


def extract(content: bytes, budget: int, counter: TokenCounter) -> FlowText:
    """Read the messages of one file; they are put in order of time, replies beneath what they answer.

    Errors  BrokenDocument - it is no list of messages.
    """
    messages = _loaded(content)
    names = _names(messages)
    spoken = [message for message in messages if message.get("subtype") not in _DROPPED]
    lines: list[str] = []
    for message, is_reply in _in_threads(spoken):
        lines += _lines(message, names, _INDENT if is_reply else "")
    days = sorted({_time(message)[:10] for message in spoken if _time(message)})
    said = {"from": days[0], "to": days[-1], "people": ", ".join(_speakers(spoken, names))} if days else {}
    return FlowText("\n".join(lines) + "\n" if lines else "", "chat", metadata=said)


def _loaded(content: bytes) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(content)
    except RecursionError as error:
        raise BrokenDocument("The conversation cannot be read: it is nested too deeply") from error
    except ValueError as error:
        raise BrokenDocument(f"The conversation cannot be read: {str(error)[:200]}") from error
    messages = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    if not any(_is_message(each) for each in messages):
        raise BrokenDocument("The conversation cannot be read: it is not a list of messages")
    return sorted(filter(_is_message, messages), key=lambda message: _seconds(message.get("ts")))


def _is_message(entry: Mapping[str, Any]) -> bool:
    return entry.get("type") == "message" and isinstance(entry.get("ts"), str)


def _names(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map the ids of people to their names, as far as this file tells them."""
    names: dict[str, str] = {}
    for message in messages:
        profile, person = message.get("user_profile"), message.get("user")
        if isinstance(profile, dict) and isinstance(person, str):
            known = (profile.get(key) for key in ("real_name", "display_name", "name"))
            name = next((each for each in known if isinstance(each, str) and each.strip()), "")
            if name:
                names.setdefault(person, " ".join(name.split()))
    return names


def _in_threads(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield each message once: those of the channel in order, each followed by its replies.

    Replies to a message of another day stand together where the first of them was written.
    """
    replies: dict[str, list[Mapping[str, Any]]] = {}
    for message in messages:
        if _is_reply(message):
            replies.setdefault(str(message.get("thread_ts")), []).append(message)
    here = {str(message["ts"]) for message in messages if not _is_reply(message)}
    for message in messages:
        thread = str(message.get("thread_ts"))
        if not _is_reply(message):
            yield message, False
            yield from ((reply, True) for reply in replies.pop(str(message["ts"]), ()))
        elif thread not in here:
            yield from ((reply, True) for reply in replies.pop(thread, ()))


def _is_reply(message: Mapping[str, Any]) -> bool:
    thread = message.get("thread_ts")
    return isinstance(thread, str) and thread != message["ts"]


def _lines(message: Mapping[str, Any], names: Mapping[str, str], indent: str) -> list[str]:
    text = message.get("text")
    words = resolved(text, names) if isinstance(text, str) and text.strip() else ""
    words = words or resolved(blocks_text(message.get("blocks")), names)
    words += " (edited)" if isinstance(message.get("edited"), dict) and words else ""
    parts = [words, *_unfurled(message, names), *_files(message)]
    first, *rest = "\n".join(filter(None, parts)).split("\n")
    if not first and not rest:
        return []
    head = f"{indent}[{_time(message)}] {_speaker(message, names)}: {first}".rstrip()
    return [head, *(f"{indent}{_INDENT}{line}".rstrip() for line in rest if line.strip())]


def _speaker(message: Mapping[str, Any], names: Mapping[str, str]) -> str:
    profile = message.get("bot_profile")
    person = message.get("user")
    candidates = (
        names.get(person) if isinstance(person, str) else None,
        message.get("username"),
        profile.get("name") if isinstance(profile, dict) else None,
        person,
        message.get("bot_id"),
    )
    name = next((each for each in candidates if isinstance(each, str) and each.strip()), "somebody")
    return " ".join(name.split()).replace(":", "")[:80]


def _speakers(messages: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(_speaker(message, names) for message in messages))[:_MAX_NAMED]


def _unfurled(message: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Yield title and text of what was attached to a message: a shared message, an alert of a program."""
    attached = message.get("attachments")
    for each in attached[:_MAX_NAMED] if isinstance(attached, list) else []:
        if isinstance(each, dict):
            found = [each.get(key) for key in ("pretext", "title", "text")]
            words = [text for text in found if isinstance(text, str) and text.strip()]
            yield resolved("\n".join(words) or str(each.get("fallback") or ""), names)


def _files(message: Mapping[str, Any]) -> Iterator[str]:
    files = message.get("files")
    for each in files[:_MAX_NAMED] if isinstance(files, list) else []:
        if isinstance(each, dict):
            name = each.get("title") or each.get("name") or "without a name"
            yield f"[file: {' '.join(str(name).split())[:200]}]"


def _time(message: Mapping[str, Any]) -> str:
    seconds = _seconds(message.get("ts"))
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}" if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _seconds(ts: object) -> float:
    try:
        return float(str(ts)[:30])
    except ValueError:
        return 0.0
