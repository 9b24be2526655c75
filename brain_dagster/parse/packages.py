"""Zip packages that hold one document (docx, pptx, xlsx): what they are, and whether they may be opened.

The libraries that read them believe what a zip directory says and unpack what it names, so every member is
counted here first, in memory and against its real size (faults H1, H2).
"""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO

from brain_dagster.parse.errors import BrokenDocument, NeedsPassword

ZIP_MARK = b"PK\x03\x04"
MAX_MEMBERS = 10_000
MAX_UNPACKED_BYTES = 200_000_000
MAX_XML_BYTES = 100_000_000  # a tree of it takes six times as much, which still fits the child's memory
# Spreadsheets of repeated numbers shrink to a fortieth; only what is made to explode shrinks further.
MAX_RATIO = 200
_SMALL_BYTES = 20_000_000
_DIRECTORY_MARK = b"PK\x01\x02"
_CONTENT_TYPES = "[Content_Types].xml"
_MAX_TYPES_BYTES = 1_000_000
_BLOCK_BYTES = 1 << 18
_OVERLAP_BYTES = 32
_MAIN_PARTS = (
    (re.compile(rb"wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.\w+\.macroEnabled"), "docx"),
    (re.compile(rb"presentationml\.(?:presentation|slideshow|template)\.main\+xml"), "pptx"),
    (re.compile(rb"ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled\.main\+xml"), "pptx"),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main\+xml"), "xlsx"),
    (re.compile(rb"ms-excel\.(?:sheet|template)\.macroEnabled\.main\+xml"), "xlsx"),
    (re.compile(rb"ms-excel\.sheet\.binary\.macroEnabled\.main"), "xlsb"),
)
_OPEN_DOCUMENT = re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument\.([a-z]+)")
_DECLARES = tuple(
    mark.encode(encoding)
    for mark in ("<!ENTITY", "<!DOCTYPE")
    for encoding in ("ascii", "utf-16-le", "utf-16-be")
)


def package_kind(raw: bytes) -> str:
    """Return what a zip file holds by its own word: docx, pptx, xlsx, xlsb, `OpenDocument text`, or ``.

    `broken` is a file that begins as a zip archive and has no directory that can be read.
    """
    found = _OPEN_DOCUMENT.match(raw, 30)
    if found is not None:
        return f"OpenDocument {found[1].decode('ascii', 'replace')}"
    if raw.count(_DIRECTORY_MARK) > MAX_MEMBERS:
        return ""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive, archive.open(_CONTENT_TYPES) as stream:
            types = stream.read(_MAX_TYPES_BYTES).replace(b"\0", b"")
    except KeyError:
        return ""
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError, EOFError):
        return "broken"
    return next((kind for pattern, kind in _MAIN_PARTS if pattern.search(types)), "")


def check_package(content: bytes) -> zipfile.ZipFile:
    """Return the opened package after reading all of it once.

    Errors  BrokenDocument - unsafe, duplicate or damaged members, or more than a document holds.
            NeedsPassword - members are encrypted.
    """
    if content.count(_DIRECTORY_MARK) > MAX_MEMBERS:
        raise BrokenDocument(f"It is a package of more than {MAX_MEMBERS:,} members")
    try:
        archive = zipfile.ZipFile(BytesIO(content))
        members = archive.infolist()
        _check_names([member.filename for member in members])
        if any(member.flag_bits & 1 for member in members):
            raise NeedsPassword()
        _check_contents(archive, members, len(content))
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, EOFError) as error:
        raise BrokenDocument(f"The package is damaged: {' '.join(str(error).split())[:200]}") from error
    return archive


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        parts = name.split("/")
        if name.startswith("/") or ".." in parts or "\\" in name or ":" in parts[0]:
            raise BrokenDocument(f"The package names a member outside itself: {name[:100]!r}")
        if name.lower() in seen:
            raise BrokenDocument(f"The package holds two members called {name[:100]!r}")
        seen.add(name.lower())


def _check_contents(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], stored_bytes: int) -> None:
    """Unpack every member and count, whatever the directory says of its size."""
    limit = min(MAX_UNPACKED_BYTES, max(_SMALL_BYTES, MAX_RATIO * stored_bytes))
    total = 0
    for member in members:
        name = member.filename[:100]
        is_xml = member.filename.lower().endswith((".xml", ".rels", ".vml"))
        size, tail = 0, b""
        with archive.open(member) as stream:
            while block := stream.read(_BLOCK_BYTES):
                size += len(block)
                if total + size > limit or (is_xml and size > MAX_XML_BYTES):
                    raise BrokenDocument(f"The package unpacks to over {min(limit, total + size):,} bytes")
                if is_xml and any(mark in tail + block for mark in _DECLARES):
                    raise BrokenDocument(f"{name} declares entities, as no Office program does")
                tail = block[-_OVERLAP_BYTES:]
        total += size
