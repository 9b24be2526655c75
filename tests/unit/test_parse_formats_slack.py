"""A day of a Slack channel as a conversation: who said what when, and what was answered to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.formats.slack_markup import blocks_text, resolved
from tests.support.parts import flow

ALICE = {"user": "U1", "user_profile": {"real_name": "Alice Lee"}}
BOB = {"user": "U2", "user_profile": {"real_name": "", "display_name": "bob"}}


def said(text: str, at: int, who: dict[str, Any] = ALICE, **more: Any) -> dict[str, Any]:
    """A message that many seconds after 2024-05-01 10:22 UTC."""
    return {"type": "message", "text": text, "ts": f"{1714558920 + at}.000100", **who, **more}


def text_of(*messages: Any) -> str:
    return flow("slack", json.dumps(messages).encode()).text


def test_conversation_has_names_times_and_replies_beneath_what_they_answer() -> None:
    question = said("Where is <@U2>?\nIn <#C1|ops>?", 0, thread_ts="1714558920.000100")
    other = said("Lunch", 60, BOB)
    answer = said("here", 120, BOB, thread_ts="1714558920.000100")
    assert text_of(answer, other, question) == (
        "[2024-05-01 10:22] Alice Lee: Where is @bob?\n"
        "    In #ops?\n"
        "    [2024-05-01 10:24] bob: here\n"
        "[2024-05-01 10:23] bob: Lunch\n"
    )


def test_conversation_is_chunked_as_one() -> None:
    found = flow("slack", json.dumps([said("hi", 0), said("ho", 60, BOB)]).encode())
    assert (found.language, found.title) == ("chat", "")
    assert found.metadata == {"from": "2024-05-01", "to": "2024-05-01", "people": "Alice Lee, bob"}


def test_answers_to_a_message_of_another_day_stand_together() -> None:
    late = [said(f"answer {n}", n * 60, thread_ts="1714000000.000100") for n in (1, 3)]
    lines = text_of(late[0], said("between", 120), late[1]).splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["answer 1", "answer 3", "between"]
    assert lines[0].startswith("    [")


def test_comings_and_goings_are_dropped_and_edits_and_files_told() -> None:
    text = text_of(
        said("<@U1> has joined", 0, subtype="channel_join"),
        said("the plan", 60, edited={"user": "U1"}, files=[{"name": "plan.pdf"}, {"title": "Hive map"}]),
        said("", 120, subtype="channel_leave"),
    )
    assert (
        text
        == "[2024-05-01 10:23] Alice Lee: the plan (edited)\n    [file: plan.pdf]\n    [file: Hive map]\n"
    )


def test_program_is_named_and_what_it_attached_is_text() -> None:
    alert = {
        "type": "message", "subtype": "bot_message", "ts": "1714558920.000100", "username": "alertmanager",
        "text": "",
        "attachments": [{"title": "HiveDown", "text": "hive 7 &gt; 40 °C", "fallback": "no"}],
    }  # fmt: skip
    assert text_of(alert) == "[2024-05-01 10:22] alertmanager: HiveDown\n    hive 7 > 40 °C\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<https://x.org/a?b&amp;c|the guide>", "the guide (https://x.org/a?b&c)"),
        ("<https://x.org>", "https://x.org"),
        ("<mailto:a@x.org|a@x.org>", "a@x.org"),
        ("<!here> <!subteam^S1|@team> <!date^139^{date}|in 2014>", "@here @team in 2014"),
        ("<@U9> <@U8|ann>", "@U9 @ann"),
        (":tada: :rocket: :party_parrot: 10:22:33", "🎉 🚀 :party_parrot: 10:22:33"),
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("<" * 1_000, "<" * 1_000),
    ],
)
def test_markup_is_resolved(text: str, expected: str) -> None:
    assert resolved(text, {"U1": "Alice"}) == expected


def test_e6_text_in_blocks_is_found_however_deep() -> None:
    section = {"type": "rich_text_section", "elements": [
        {"type": "text", "text": "done, "}, {"type": "user", "user_id": "U1"},
        {"type": "emoji", "name": "tada"},
    ]}  # fmt: skip
    assert blocks_text([{"type": "rich_text", "elements": [section]}]) == "done, <@U1>:tada:"
    deep: Any = {"type": "text", "text": "needle"}
    for _ in range(4_000):
        deep = {"elements": [deep]}
    assert blocks_text(deep) == "needle"


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"[1, 2]", b'[{"type": "message"}]', b"[" * 100_000])
def test_what_is_no_conversation_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(BrokenDocument, match="The conversation cannot be read: "):
        flow("slack", content)


def test_messages_of_odd_shapes_leave_the_others_readable() -> None:
    odd: list[Any] = [
        None, 7, [], {"type": "message", "ts": "x", "text": 3, "user": [], "files": 1, "blocks": 2},
        {"type": "message", "ts": "nan", "attachments": [1], "user_profile": [], "edited": 1, "text": "odd"},
        {"type": "message", "ts": "9" * 400, "thread_ts": 5, "text": "late", "user": None},
    ]  # fmt: skip
    assert "Alice Lee: needle" in text_of(*odd, said("needle", 0))
