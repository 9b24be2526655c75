"""Transcripts, captions and chats are cut between turns, where the topic changes."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.cohesion import WINDOW, likeness_at
from brain_dagster.chunk.conversations import is_conversation
from brain_dagster.chunk.spoken import opening, seconds_of
from brain_dagster.chunk.structured.plain import with_plain_texts
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.ingest.content import Content, open_content
from brain_dagster.model import ChunkDraft

# Ten turns about a roof, then ten about a choir; minutes 0 to 9 and 10 to 19 of a recording.
ROOF = [
    ("Ada", "The roof of the barn leaks again, and the tiles are loose."),
    ("Bo", "I looked at the tiles. Half of the roof needs new battens."),
    ("Ada", "How much are battens and tiles for half a roof?"),
    ("Cy", "The roofer said four thousand, tiles and battens and gutter."),
    ("Bo", "The gutter is fine, it is only the tiles that let the rain in."),
    ("Cy", "Rain comes in at the gutter too, right above the barn door."),
    ("Ada", "Then tiles, battens and gutter, before the rain of autumn."),
    ("Bo", "I can carry tiles, but somebody else climbs on the roof."),
    ("Cy", "The roofer climbs. We carry the tiles and hold the ladder."),
    ("Ada", "Good, the roofer gets the barn roof, with gutter and battens."),
]
CHOIR = [
    ("Dee", "The choir has no tenor since spring, and the concert is near."),
    ("Ada", "Which songs does the choir sing at the concert without a tenor?"),
    ("Dee", "Folk songs, and the psalm, where the alto sings for the tenor."),
    ("Bo", "My brother sings tenor. He knows the psalm and most folk songs."),
    ("Dee", "Then he sings with the choir on Thursday, before the concert."),
    ("Cy", "Does the choir want the piano for the psalm in the concert?"),
    ("Dee", "The piano is out of tune. The choir sings the psalm without."),
    ("Ada", "The concert begins at seven, and the songs last an hour?"),
    ("Dee", "An hour of songs, the psalm at the end, and the choir bows."),
    ("Bo", "I bring my brother, and the choir brings cake to the concert."),
]
TALK = [(name, f"00:{minute:02}:10", text) for minute, (name, text) in enumerate(ROOF + CHOIR)]
STYLES = {
    "named": "".join(f"{name}: {text}\n" for name, _, text in TALK),
    "named paragraphs": "".join(f"{name}: {text}\n\n" for name, _, text in TALK),
    "wrapped": "".join(f"{name}: {text[:30]}\n{text[30:]}\n\n" for name, _, text in TALK),
    "bold": "".join(f"**{name}:** {text}\n\n" for name, _, text in TALK),
    "bracketed time": "".join(f"[{time}] {name}: {text}\n" for name, time, text in TALK),
    "bare time": "".join(f"{time} {name}: {text}\n" for name, time, text in TALK),
    "time behind": "".join(f"{name} [{time}]: {text}\n" for name, time, text in TALK),
    "heads": "".join(f"**{name}** {time}\n{text}\n\n" for name, time, text in TALK),
    "plain heads": "".join(f"{name} Smith  {time[3:]}\n{text}\n\n" for name, time, text in TALK),
    "bracketed heads": "".join(f"[{name}] {time}\n{text}\n\n" for name, time, text in TALK),
    "phone": "".join(f"12/05/2024, {time[3:]} - {name}: {text}\n" for name, time, text in TALK),
    "phone in brackets": "".join(f"[12.05.24, {time}] {name}: {text}\n" for name, time, text in TALK),
    "to everyone": "".join(f"{time}\t From {name} to Everyone : {text}\n" for name, time, text in TALK),
    "nicks": "".join(f"{time[3:]} <{name.lower()}> {text}\n" for name, time, text in TALK),
    "role": "".join(f"{name} Smith (Club, North): {text}\n" for name, _, text in TALK),
    "titled": "Autumn meeting\n\n" + "".join(f"{name}: {text}\n" for name, _, text in TALK),
}
NO_CONVERSATIONS = {
    "minutes": "Date: 3 May 2024.\nTime: 10:00.\nPresent: Ada, Bo, Cy.\nApologies: Dee.\nChair: Ada.\n\n"
    + "Item: The roof was discussed at length.\nDecision: The roofer is called.\nAction: Bo calls him.\n\n"
    * 5,
    "settings": "Host: example.org\nPort: 8080\nUser: ada\nHost: example.com\nPort: 81\nUser: bo\n" * 4,
    "records": "Name Full: Ada was here.\nTown: London is large.\nHobby: She writes.\n\n" * 12,
    "change log": "Added: A new roof.\nFixed: The gutter.\nAdded: A choir.\nFixed: The piano.\n" * 4,
    "log": "2024-05-01 10:00:01 INFO: started\n2024-05-01 10:00:02 ERROR: stopped.\n" * 9,
    "questions": "Q: How long is a roof?\nA: As long as the barn.\n\n" * 9,
    "glossary": "".join(f"Term{n}: A word with a meaning.\n" for n in range(20)),
    "agenda": "".join(f"Point {n} 10:{n:02}\n" for n in range(10, 40)),
    "prose": "The meeting went well. Ada: she was late.\n\nNothing else happened, and nobody spoke.\n\n" * 9,
    "read me": "# Tool\n\nUsage: run it.\n\nNote: It runs.\n\nWarning: It may stop.\n\n" * 6,
    "headers": "From: ada@example.org\nTo: bo@example.org\nSubject: Roof.\nDate: today.\n\n" * 6,
    "measurements": "Alpha: 12 metres\nBeta: 13 metres\n" * 9,
    "poem": "Rain: it falls.\nSnow: it stays.\n",
}


def places(chunks: tuple[ChunkDraft, ...]) -> list[str]:
    return [chunk.headings[-1] if chunk.headings else "" for chunk in chunks]


@pytest.mark.parametrize("style", STYLES)
def test_transcripts_are_known_by_their_lines(style: str) -> None:
    document = chunk_text(STYLES[style], "markdown" if "*" in STYLES[style] else "text", 200)
    assert {chunk.kind for chunk in document.chunks} == {"turns"}
    for name, _, text in TALK:
        (holder,) = [chunk for chunk in document.chunks if text[30:] in chunk.text]
        assert text[:30] in holder.text
        assert name.lower() in holder.headings[-1].lower()


@pytest.mark.parametrize("name", NO_CONVERSATIONS)
def test_what_merely_has_colons_is_no_conversation(name: str) -> None:
    assert not is_conversation(NO_CONVERSATIONS[name])


@pytest.mark.parametrize("style", STYLES)
def test_topics_are_kept_apart(style: str) -> None:
    """The choir follows the roof without any other sign than its words."""
    language = "markdown" if "*" in STYLES[style] else "text"
    budget = default_counter().count(STYLES[style]) * 3 // 4
    chunks = chunk_text(STYLES[style], language, budget).chunks
    (first,) = [chunk for chunk in chunks if CHOIR[0][1][:30] in chunk.text]
    assert ROOF[-1][1][30:] not in first.text


def test_likeness_of_sliding_windows_is_their_cosine() -> None:
    words = [f"word{number * number % 37}" for number in range(4 * WINDOW)]
    gaps = [1, 5, WINDOW - 1, WINDOW, WINDOW + 7, 3 * WINDOW, 4 * WINDOW - 2]
    expected = []
    for gap in gaps:
        left, right = Counter(words[max(0, gap - WINDOW) : gap]), Counter(words[gap : gap + WINDOW])
        product = sum(left[word] * right[word] for word in left)
        expected.append(product / math.hypot(*left.values()) / math.hypot(*right.values()))
    assert likeness_at(words, gaps) == pytest.approx(expected)


def test_times_and_speakers_are_the_last_heading() -> None:
    text = "# Club\n\n## Autumn\n\n" + STYLES["bracketed time"]
    first, *_, last = chunk_text(text, "markdown", 120).chunks
    assert first.headings[:2] == last.headings[:2] == ("Club", "Autumn")
    assert first.headings[2] == "00:00:10-00:03:10, Ada, Bo, Cy"
    assert last.headings[2].split(", ")[0].endswith("00:19:10")


def test_sections_of_a_transcript_end_groups() -> None:
    half = len(STYLES["named"].splitlines()) // 2
    lines = STYLES["named"].splitlines(keepends=True)
    text = "# Roof\n\n" + "".join(lines[:half]) + "\n# Choir\n\n" + "".join(lines[half:])
    document = chunk_text(text, "markdown", 400)
    assert [chunk.headings[0] for chunk in document.chunks] == ["Roof", "Choir"]
    assert document.outline == ("Roof", "Choir")
    assert document.title == "Roof"


def test_title_stands_above_the_first_turn() -> None:
    assert chunk_text(STYLES["titled"], "text", 200).title == "Autumn meeting"


def test_front_matter_of_a_transcript_is_metadata() -> None:
    document = chunk_text("---\ntitle: Autumn\ntags: [club]\n---\n" + STYLES["bold"], "markdown", 200)
    assert (document.title, document.metadata["tags"]) == ("Autumn", "club")
    assert {chunk.kind for chunk in document.chunks} == {"turns"}


def test_long_pause_is_the_best_place_to_cut() -> None:
    same = "We talk about the roof, the tiles, the gutter and the barn."
    minutes = [*range(8), *range(18, 26)]
    text = "".join(f"[00:{m:02}:00] {'Ada' if m % 2 else 'Bo'}: {same}\n" for m in minutes)
    chunks = chunk_text(text, "text", 260).chunks
    assert places(chunks)[1].startswith("00:18:00")


def test_turn_that_fits_is_never_cut() -> None:
    sizes = [3, 1, 9, 2, 12, 1, 1, 7, 14, 2, 2, 8, 3, 11, 1, 5]
    sentence = "This is one of the many sentences that are said. "
    turns = [f"{'Ada' if n % 2 else 'Bo'}: {sentence * size}".rstrip() + "\n" for n, size in enumerate(sizes)]
    chunks = chunk_text("".join(turns), "text", 160).chunks
    assert all(any(turn in chunk.text for chunk in chunks) for turn in turns)


def test_speech_over_the_budget_is_cut_at_sentences_and_keeps_its_speaker() -> None:
    speech = "Dee: " + "The choir sings and nobody listens to the tenor. " * 60 + "\n"
    chunks = chunk_text(STYLES["named"] + speech, "text", 120).chunks
    pieces = [chunk for chunk in chunks if "nobody listens" in chunk.text]
    assert len(pieces) > 4
    assert all(chunk.text.rstrip().endswith("tenor.") for chunk in pieces)
    assert all("Dee" in chunk.headings[-1] for chunk in pieces)


def test_line_before_a_speech_over_the_budget_leads_it() -> None:
    speech = "Dee: " + "The choir sings and nobody listens to the tenor. " * 60 + "\n"
    first, *_ = chunk_text("Bo: Now you.\n" + speech + STYLES["named"], "text", 120).chunks
    assert first.text.startswith("Bo: Now you.\nDee: The choir sings")
    assert first.headings == ("Bo, Dee",)


def test_thread_of_a_chat_stays_together() -> None:
    question = "[2024-05-01 {}] Ada: Does anybody know where the ladder of the roofer is?\n"
    replies = "    [2024-05-01 {}] Bo: In the barn, behind the door.\n        Or below it.\n" * 2
    text = "".join(question.format(f"10:{n:02}") + replies.format("12:00", "12:01") for n in range(0, 60, 5))
    chunks = chunk_text(text, "chat", 280).chunks
    assert len(chunks) > 3
    assert all(chunk.text.startswith("[2024") for chunk in chunks)
    assert all(chunk.headings[-1].endswith("Ada, Bo") for chunk in chunks)


def test_names_in_captions_are_carried_on_and_their_sentences_kept_whole() -> None:
    cue = "{}\n00:00:{:02}.000 --> 00:00:{:02}.900\n{}\n\n"
    said = [
        "Ada: The roof of the barn", "leaks at the gutter.", "Bo: I carry the tiles", "and the ladder.",
        "Cy: And I hold", "the ladder for Bo.",
    ]  # fmt: skip
    text = "WEBVTT\n\n" + "".join(cue.format(n + 1, n, n, words) for n, words in enumerate(said))
    chunks = chunk_text(text, "vtt", 90).chunks
    assert places(chunks) == ["00:00:00-00:00:01, Ada", "00:00:02-00:00:03, Bo", "00:00:04-00:00:05, Cy"]


def test_captions_of_one_speech_that_fits_stay_together() -> None:
    cue = "00:00:{:02}.000 --> 00:00:{:02}.900\n{}and so it goes on and on\n\n"
    names = ["Ada: ", "", "", "Bo: ", "", "", ""]
    text = "WEBVTT\n\n" + "".join(cue.format(n, n, name) for n, name in enumerate(names))
    size = default_counter().count(cue.format(10, 10, "Ada: "))
    chunks = chunk_text(text, "vtt", 5 * size).chunks
    assert places(chunks) == ["00:00:00-00:00:02, Ada", "00:00:03-00:00:06, Bo"]


def test_words_of_captions_are_what_is_embedded() -> None:
    text = (
        "WEBVTT\n\nNOTE nothing\n\n1\n00:01.000 --> 00:02.000\n<v Ada>The <i>roof</i> leaks\n"
        "at the gutter &amp; door.\n\n2\n00:03.000 --> 00:04.000\n<v Bo>It does.\n"
    )
    (chunk,) = with_plain_texts("vtt", chunk_text(text, "vtt", 200).chunks)
    assert chunk.plain_text == "Ada: The roof leaks\nat the gutter & door.\nBo: It does."


def test_captions_without_a_caption_are_cut_by_lines() -> None:
    document = chunk_text("WEBVTT\n\nnothing was said\n" * 40, "vtt", 60)
    assert document.warnings == ("parsed partially: no caption found; cut by lines",)
    assert {chunk.kind for chunk in document.chunks} == {"lines"}


@pytest.mark.parametrize(
    ("line", "speaker", "time"),
    [
        ("Dr. Ada Lovelace-Byron: hello", "Dr. Ada Lovelace-Byron", ""),
        ("The Chair (Hon. Ada Byron (North, Lib.)): hello", "The Chair (Hon. Ada Byron (North, Lib.))", ""),
        ("[10:22 AM] Ada: hello", "Ada", "10:22 AM"),
        ("2024-05-01T10:22:03 Ada: hello", "Ada", "2024-05-01T10:22:03"),
        ("12/05/2024, 10:22 - +49 170 1234: hello", "+49 170 1234", "12/05/2024, 10:22"),
        ("Ada  0:03", "Ada", "0:03"),
        ("### 00:05:00", "", "00:05:00"),
        ("田中: こんにちは", "田中", ""),
    ],
)
def test_who_speaks_and_when(line: str, speaker: str, time: str) -> None:
    found = opening(line)
    assert found is not None
    assert (found.speaker, found.time) == (speaker, time)


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org: x",
        "one two three four five six seven eight: x",
        "a:b",
        ": x",
        "12:30",
        "- Ada said",
    ],
)
def test_who_does_not_speak(line: str) -> None:
    found = opening(line)
    assert found is None or not found.speaker


@pytest.mark.parametrize(
    ("earlier", "later", "gap"),
    [
        ("00:12:03", "00:14:40", 157),
        ("10:59 AM", "1:01 PM", 7_320),
        ("2024-02-28 23:59", "2024-03-01 00:01", 86_520),
        ("31/12/2023, 10:00", "01/01/2024, 10:00", 86_400),
        ("0:03", "1:03", 60),
    ],
)
def test_seconds_between_times(earlier: str, later: str, gap: float) -> None:
    assert (seconds_of(later) or 0) - (seconds_of(earlier) or 0) == gap


@pytest.mark.parametrize(
    ("path", "language", "media_type"),
    [
        ("talk.vtt", "vtt", "text/vtt"),
        ("talk.SRT", "srt", "application/x-subrip"),
        ("server.log", "log", "text/plain"),
        ("rows.jsonlines", "jsonl", "application/x-ndjson"),
    ],
)
def test_turns_and_records_are_known_by_the_name_of_their_file(
    path: str, language: str, media_type: str
) -> None:
    content = open_content(path.encode(), b"some words that do not matter\n")
    assert isinstance(content, Content)
    assert (content.language, content.media_type) == (language, media_type)
