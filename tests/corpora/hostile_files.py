"""Generates files that are not what their names say, each by a few readable lines."""

from __future__ import annotations

import io
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path


def zip_archive() -> bytes:
    """A zip archive with one small text in it, stored as it is: most of its bytes are letters."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("readme.txt", "plain words that any reader would take for text\n" * 40)
    return buffer.getvalue()


def elf_program() -> bytes:
    """The header of a 64-bit ELF program, followed by strings as a linker leaves them."""
    header = b"\x7fELF" + bytes([2, 1, 1, 0]) + bytes(8) + struct.pack("<HHI", 2, 62, 1) + bytes(40)
    return header + b"libc.so.6\0printf\0main\0" * 50


def png_image() -> bytes:
    """A one-pixel PNG image, valid to the last checksum."""

    def block(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\x80\x00")
    return b"\x89PNG\r\n\x1a\n" + block(b"IHDR", head) + block(b"IDAT", pixel) + block(b"IEND", b"")


def sqlite_database(folder: Path) -> bytes:
    """A real SQLite database with one row of text."""
    path = folder / "made.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE note (body text)")
    connection.execute("INSERT INTO note VALUES ('words in a database')")
    connection.commit()
    connection.close()
    return path.read_bytes()
