"""Which files have a reader of their own, told by their content; names decide only where content cannot."""

from __future__ import annotations

import re

from brain_dagster.ingest.rules import Skip
from brain_dagster.parse.errors import NeedsPassword
from brain_dagster.parse.packages import ZIP_MARK, package_kind

MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "mail": "message/rfc822",
    "mbox": "application/mbox",
    "notebook": "application/x-ipynb+json",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "slack": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_OUTLOOK_STREAM = "__substg1.0_".encode("utf-16-le")
_OFFICE_NAMES = {
    b".docx": "docx", b".docm": "docx", b".dotx": "docx", b".dotm": "docx",
    b".pptx": "pptx", b".pptm": "pptx", b".ppsx": "pptx", b".potx": "pptx",
    b".xlsx": "xlsx", b".xlsm": "xlsx", b".xltx": "xlsx", b".xltm": "xlsx",
}  # fmt: skip

_HEAD_CHARS = 40_000
_HEAD_LINES = 300
_HEADER_LINE = re.compile(r"([!-9;-~]{1,76}):")
_MAIL_HEADERS = frozenset(
    ("from", "to", "cc", "date", "subject", "message-id", "received", "mime-version", "content-type",
     "return-path", "reply-to", "sender", "delivered-to", "in-reply-to", "references")
)  # fmt: skip
_FROM_LINE = re.compile(r"From [^\n]{1,300}\b\d{4}\b[^\n]{0,40}\Z")
_GIT_PATCH = re.compile(r"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001")
_NOTEBOOK = re.compile(r"\"nbformat\"\s{0,20}:\s{0,20}[345]\b")
_CELLS = re.compile(r"\"(?:cells|worksheets)\"\s{0,20}:\s{0,20}\[")
_SLACK_BEGINNING = re.compile(r"\s{0,100}\[\s{0,100}\{")
_SLACK_TYPE = re.compile(r"\"type\"\s{0,20}:\s{0,20}\"message\"")
_SLACK_TIME = re.compile(r"\"ts\"\s{0,20}:\s{0,20}\"\d{9,11}\.\d{4,6}\"")
_JSON_NAMES = frozenset(("", "json", "text", "notebook"))


def binary_format(path: bytes, raw: bytes) -> str | Skip | None:
    """Return the language of an office document, why it is left out, or None for every other file.

    Errors  NeedsPassword - an office document that is encrypted.
    """
    if raw.startswith(_OLE_MARK):
        return _old_office(raw)
    if not raw.startswith(ZIP_MARK):
        return None
    kind = package_kind(raw)
    if kind in MEDIA_TYPES:
        return kind
    if kind == "broken":
        # Only its name says what it was; its reader will say what is wrong with it.
        return _OFFICE_NAMES.get(path[-5:].lower())
    return _other_package(kind)


def _other_package(kind: str) -> Skip | None:
    if kind == "xlsb":
        return Skip("binary", "a binary Excel workbook; save it as .xlsx to have it indexed")
    if kind.startswith("OpenDocument "):
        return Skip("binary", f"an {kind}; save it as .docx, .xlsx or .pptx to have it indexed")
    return None


def _old_office(raw: bytes) -> Skip:
    """Judge a compound file: the container of Office before 2007, and of encrypted documents until today."""
    if _ENCRYPTED_STREAM in raw:
        raise NeedsPassword()
    if _OUTLOOK_STREAM in raw:
        return Skip("binary", "an Outlook message; save it as .eml to have it indexed")
    return Skip("binary", "an old Office document; save it as .docx, .xlsx or .pptx to have it indexed")


def text_format(path: bytes, text: str, language: str) -> str:
    """Return the format of a text that has a reader of its own, else its language as it is.

    language  what the name of the file says
    """
    start = text[:_HEAD_CHARS]
    name = path.lower()
    if language in _JSON_NAMES and (kind := _json_kind(text, start)):
        return kind
    if language == "notebook":
        return "notebook" if start.lstrip().startswith("{") else "json"
    if language != "diff" and _is_mailbox(start, is_named=name.endswith(b".mbox")):
        return "mbox"
    if _is_mail(start.lstrip("\r\n").split("\n", _HEAD_LINES), is_named=name.endswith(b".eml")):
        return "mail"
    return language


def _json_kind(text: str, start: str) -> str:
    if start.lstrip().startswith("{"):
        return "notebook" if _NOTEBOOK.search(text) and _CELLS.search(text) else ""
    if _SLACK_BEGINNING.match(start) and _SLACK_TYPE.search(start) and _SLACK_TIME.search(start):
        return "slack"
    return ""


def _is_mailbox(start: str, *, is_named: bool) -> bool:
    first, *lines = (line.rstrip("\r") for line in start.split("\n", _HEAD_LINES))
    if _FROM_LINE.match(first) is None:
        return False
    names = _header_names(lines)
    is_patch = _GIT_PATCH.match(first) is not None
    return len(names & _MAIL_HEADERS) >= 2 and (is_named or not is_patch)


def _is_mail(lines: list[str], *, is_named: bool) -> bool:
    """Say whether a text begins with the headers of a mail: more of them where the name is no help."""
    names = _header_names(lines)
    if is_named:
        return len(names & _MAIL_HEADERS) >= 2
    sent = {"from", "date"} <= names
    return sent and bool(names & {"message-id", "received", "mime-version"} or {"to", "subject"} <= names)


def _header_names(lines: list[str]) -> set[str]:
    """Return the names in a block of header lines that an empty line ends; none if it is no such block."""
    names: set[str] = set()
    for line in lines[:_HEAD_LINES]:
        if not line.strip("\r"):
            break
        if names and line[0] in " \t":
            continue
        found = _HEADER_LINE.match(line)
        if found is None:
            return set()
        names.add(found[1].lower())
    return names
