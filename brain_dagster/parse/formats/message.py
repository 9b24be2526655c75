"""One mail message as a part: headers a reader wants, the body, quoted history apart, attachments named."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32

from brain_dagster.chunk.pages import Page
from brain_dagster.chunk.structured.plain import plain_text
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Part
from brain_dagster.parse.formats.mail_headers import body_text, header, people, safely, sent_at
from brain_dagster.parse.formats.pieces import PartText

MAX_PARTS = 1_000
MAX_ATTACHED_MESSAGES = 50
MAX_NAMED = 20
MAX_BODY_CHARS = 5_000_000
_QUOTE = re.compile(r"[ \t]{0,3}>")
# What mail programs write above the message that is answered or forwarded.
_WROTE = re.compile(r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|napisał|skrev)\b")
_DIGIT = re.compile(r"\d")
_MAX_ATTRIBUTION = 300
_MAX_SIGNATURE = 20  # lines
_HISTORY = re.compile(
    r"(?:-{2,}[ \t]*(?:Original (?:Message|Appointment)|Forwarded message|Ursprüngliche Nachricht"
    r"|Message d'origine|Mensaje original)[ \t]*-{2,}|Begin forwarded message:)[ \t]*\Z",
    re.IGNORECASE,
)
_RULE = re.compile(r"_{20,}[ \t]*\Z")
_INNER_FROM = re.compile(r"(?:From|Von|De|Da|Van):[ \t*]*\S")
_INNER_HEADER = re.compile(
    r"(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|Enviado|Para|Inviato|Verzonden|Aan):[ \t]"
)


@dataclass(frozen=True)
class Attachment:
    """What came along and was not read."""

    name: str
    media_type: str
    size_bytes: int

    def __str__(self) -> str:
        size = (
            f"{self.size_bytes:,} bytes" if self.size_bytes < 10_000 else f"{self.size_bytes // 1_000:,} kB"
        )
        return f"{self.name or 'without a name'} ({self.media_type}, {size})"


@dataclass
class Contents:
    """What a message consists of: the texts of its body in order, and what came with it."""

    texts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


def parsed_message(content: bytes) -> Message:
    """Parse a message; raises BrokenDocument where not even that is possible."""
    try:
        return BytesParser(policy=compat32).parsebytes(content)
    except RecursionError as error:
        raise BrokenDocument("The mail cannot be read: its parts are nested too deeply") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BrokenDocument(f"The mail cannot be read: {type(error).__name__}") from error


def subject_of(message: Message) -> str:
    """Return the subject, at most 300 characters."""
    return header(message, "subject")[:300]


def message_page(message: Message, number: int) -> Page:
    """Return where a message stands: `message 12, 2024-05-01, Subject`, under its subject and people."""
    date, subject = sent_at(message), subject_of(message)
    day = f"{date:%Y-%m-%d}" if date else ""
    sender, readers = (people(message, name, names_only=True)[:100] for name in ("from", "to"))
    who = " ".join(filter(None, [f"from {sender}" if sender else "", f"to {readers}" if readers else ""]))
    label = ", ".join(filter(None, [f"message {number}", day, subject]))
    headings = (subject, ", ".join(filter(None, [who, day])))
    return Page(number, "message", label[:200], tuple(filter(None, headings)))


def message_part(message: Message, number: int, budget: int, counter: TokenCounter) -> Part:
    """Return a message, and the messages attached to it, as one part."""
    text = PartText(budget, counter)
    waiting: deque[tuple[Message, tuple[str, ...]]] = deque([(message, ())])
    attachments: list[Attachment] = []
    for _ in range(MAX_ATTACHED_MESSAGES):
        if not waiting:
            break
        current, headings = waiting.popleft()
        contents = _contents(current)
        attachments += contents.attachments
        _add_message(text, current, contents, headings)
        for inner in contents.messages:
            waiting.append((inner, ("attached message", *filter(None, [subject_of(inner)]))))
    warnings = []
    if attachments:
        warnings.append(f"message {number}: attachments not read: {_named(attachments)}")
    if waiting:
        warnings.append(f"message {number}: more than {MAX_ATTACHED_MESSAGES} attached messages")
    return text.part(message_page(message, number), tuple(warnings))


def _add_message(text: PartText, message: Message, contents: Contents, headings: tuple[str, ...]) -> None:
    """Add headers and body; what is quoted below and the signature are chunks of their own."""
    top = "\n".join(_header_lines(message, contents.attachments))
    body, quoted, signature = _divided("\n\n".join(contents.texts)[:MAX_BODY_CHARS])
    text.add_page("\n\n".join(filter(None, [top, body])) + "\n\n", headings=headings)
    for name, words in (("signature", signature), ("quoted", quoted)):
        text.add_page(f"{words}\n\n" if words else "", headings=(*headings, name))


def _header_lines(message: Message, attachments: list[Attachment]) -> Iterator[str]:
    for name in ("from", "to", "cc"):
        if who := people(message, name):
            yield f"{name.capitalize()}: {who}"
    sent = sent_at(message)
    if date := (f"{sent:%Y-%m-%d %H:%M %z}".rstrip() if sent else header(message, "date")[:100]):
        yield f"Date: {date}"
    if subject := subject_of(message):
        yield f"Subject: {subject}"
    if attachments:
        yield f"Attachments: {_named(attachments)}"


def _named(attachments: list[Attachment]) -> str:
    more = f" and {len(attachments) - MAX_NAMED} more" if len(attachments) > MAX_NAMED else ""
    return ", ".join(map(str, attachments[:MAX_NAMED])) + more


def _contents(message: Message) -> Contents:
    """Sort the parts of a message, in order; explicit stack, counted parts (E6)."""
    found = Contents()
    stack = [message]
    for _ in range(MAX_PARTS):
        if not stack:
            break
        part = stack.pop()
        kind = safely(part.get_content_type, "application/octet-stream")
        inner = part.get_payload() if part.is_multipart() else None
        if isinstance(inner, list) and kind.startswith("multipart/"):
            parts = [each for each in inner if isinstance(each, Message)]
            stack.extend(reversed(_alternative(parts) if kind == "multipart/alternative" else parts))
        elif isinstance(inner, list) and kind == "message/rfc822":
            found.messages += [each for each in inner if isinstance(each, Message)]
        elif isinstance(inner, list):  # what a server reports of a delivery is a list of headers
            found.texts += filter(None, [_reported(each) for each in inner if isinstance(each, Message)])
        elif _is_text(part, kind):
            found.texts += filter(None, [_text(part, kind)])
        else:
            found.attachments += filter(None, [_attachment(part, kind)])
    return found


def _alternative(parts: list[Message]) -> list[Message]:
    """Of several forms of one text take the plain one, if there is anything in it."""
    for part in parts:
        if safely(part.get_content_type, "") == "text/plain" and body_text(part).strip():
            return [part]
    return parts


def _is_text(part: Message, kind: str) -> bool:
    is_attached = safely(part.get_content_disposition, None) == "attachment"
    # A multipart that has no parts lost its boundary; what it holds is all that is left of the mail.
    is_readable = kind.startswith(("text/", "multipart/")) and kind != "text/calendar"
    return is_readable and not is_attached


def _reported(message: Message) -> str:
    return "\n".join(f"{name}: {' '.join(str(value).split())[:300]}" for name, value in message.raw_items())


def _text(part: Message, kind: str) -> str:
    text = body_text(part)
    if kind == "text/html":
        text = plain_text("html", text[:MAX_BODY_CHARS]) or ""
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n")


def _attachment(part: Message, kind: str) -> Attachment | None:
    """Describe an attachment; a picture that the text itself shows, as a logo is, is none."""
    if kind.startswith("image/") and part.get("Content-ID") and not part.get_filename():
        return None
    name = " ".join(safely(lambda: part.get_filename() or "", "").split())[:100]
    payload = part.get_payload()
    stored = len(payload) if isinstance(payload, str) else 0
    is_base64 = str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64"
    return Attachment(name, kind, stored * 3 // 4 if is_base64 else stored)


def _divided(body: str) -> tuple[str, str, str]:
    """Divide a body into what was written, the history quoted below it, and the signature.

    Quotations between the lines of an answer stay where they are: they are what the answer is about.
    """
    lines = body.split("\n")
    start = _history_start(lines)
    signed = next(
        (i for i in range(start - 1, max(-1, start - _MAX_SIGNATURE), -1) if lines[i] == "--"), start
    )
    stretches = (lines[:signed], lines[start:], lines[signed:start])
    written, quoted, signature = ("\n".join(each).strip("\n") for each in stretches)
    return written, quoted, signature


def _history_start(lines: list[str]) -> int:
    """Return the line with which quoted history begins that runs to the end, or the number of lines."""
    for number, line in enumerate(lines):
        following = [each for each in lines[number + 1 : number + 6] if each.strip()]
        if _begins_history(line, following):
            return number
        is_marked = bool(following) and _QUOTE.match(following[0]) is not None
        if _is_attribution(line) and following and not is_marked:
            return number
    return _marked_tail(lines)


def _begins_history(line: str, following: list[str]) -> bool:
    """Say whether a line is what Outlook and others write above the message they quote."""
    if _HISTORY.match(line.strip()):
        return True
    if _RULE.match(line.strip()):
        return bool(following) and _INNER_FROM.match(following[0]) is not None
    if not _INNER_FROM.match(line):
        return False
    return sum(_INNER_HEADER.match(each) is not None for each in following) > 1


def _marked_tail(lines: list[str]) -> int:
    """Return where the quotation marks begin that run to the end, with the line above that says whose."""
    start = len(lines)
    while start and (not lines[start - 1].strip() or _QUOTE.match(lines[start - 1])):
        start -= 1
    if not any(_QUOTE.match(line) for line in lines[start:]):
        return len(lines)
    for first in range(start - 1, max(-1, start - 3), -1):  # that line may be broken in two
        if _is_attribution(" ".join(lines[first:start])):
            return first
    return start


def _is_attribution(line: str) -> bool:
    line = line.strip()
    return (
        len(line) <= _MAX_ATTRIBUTION
        and line.endswith(":")
        and _WROTE.search(line) is not None
        and _DIGIT.search(line) is not None
    )
