"""Tells what is not text by looking at it, never at its name (E2)."""

from __future__ import annotations

import re
import unicodedata

from brain_dagster.errors import Refused

# Only marks that no text can begin with: at least four bytes, one of them a control character or
# beyond ASCII. `BM`, `MZ`, `PK` and `GIF89a` begin sentences; what those formats hold fails the test
# of the characters below anyway.
_SIGNATURES = (
    (b"\x7fELF", "an ELF program"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff\xe0", "a JPEG image"),
    (b"\xff\xd8\xff\xe1", "a JPEG image"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x1f\x8b\x08\x00", "a gzip archive"),
    (b"\x1f\x8b\x08\x08", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"\x00asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
)
_CONTROL_SHARE = 0.05
# Tab, the line ends and the form feed are text, and so is the escape that colours logs.
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_COUNTED_CHARACTERS = 1_000_000
_NAMED_CHARACTERS = 20_000  # looking up categories costs ten times as much


class BinaryContent(Refused):
    """The content is not text, whatever the name of the file says."""


def check_signature(raw: bytes) -> None:
    """Refuse content that begins like a known binary format.

    Errors  BinaryContent names the format.
    """
    for mark, name in _SIGNATURES:
        if raw.startswith(mark):
            raise BinaryContent(f"the content begins like {name}")


def check_text(text: str, encoding: str) -> None:
    """Refuse decoded content that does not consist of characters.

    Any byte is a letter in some legacy encoding, and any pair of bytes in UTF-16, so those must also
    show no more than a few characters that are assigned to nobody.

    Errors  BinaryContent says which test fired.
    """
    if "\x00" in text:
        raise BinaryContent(f"it holds NUL characters (read as {encoding})")
    head = text[:_COUNTED_CHARACTERS]
    controls = len(_CONTROLS.findall(head)) + head.count("\ufffd")
    if controls > _CONTROL_SHARE * len(head):
        raise BinaryContent(
            f"{controls / len(head):.0%} of it are control or undecodable characters (read as {encoding})"
        )
    if encoding != "utf-8":
        sample = text[:_NAMED_CHARACTERS]
        strange = sum(1 for character in sample if unicodedata.category(character) in ("Cn", "Co", "Cs"))
        if strange > _CONTROL_SHARE * len(sample):
            raise BinaryContent(
                f"{strange / len(sample):.0%} of it are unassigned characters (read as {encoding})"
            )
