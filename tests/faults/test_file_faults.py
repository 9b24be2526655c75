"""Faults E1 to E5 and A3: what files and folders do to those who read them."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_dagster.connectors import folder_files, open_connector
from brain_dagster.connectors.base import VanishedItem
from brain_dagster.errors import BrainError
from brain_dagster.ingest.funnel import read_items
from brain_dagster.model import ItemKind, ReadItem, State
from brain_dagster.parse.worker import ParserPool
from tests.corpora.hostile_files import elf_program, png_image, sqlite_database, zip_archive
from tests.corpora.repositories import Repository, settings_at, source_of


@pytest.fixture(scope="module")
def parser() -> Iterator[ParserPool]:
    with ParserPool(settings_at(Path("unused"))) as pool:
        yield pool


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def read_folder(root: Path, parser: ParserPool) -> dict[str, ReadItem]:
    settings = settings_at(root.parent / "home")
    connector = open_connector(source_of("folder", root), settings)
    items = connector.list().items
    read = list(read_items(connector, items, parser, settings))
    assert [item for item, _ in read] == list(items), "every listed item ends in exactly one outcome"
    return {item.path.decode(): became for item, became in read}


def spans(became: ReadItem) -> list[tuple[int | None, int | None]]:
    assert became.document is not None, became.reason
    return [(chunk.start_line, chunk.end_line) for chunk in became.document.chunks]


# E1 Huge, generated and minified files --------------------------------------------------------------------


def test_e1_a_huge_file_is_skipped_without_being_read(root: Path, parser: ParserPool) -> None:
    with (root / "huge.log").open("wb") as sparse:
        sparse.truncate(200_000_000)
    (root / "ok.txt").write_bytes(b"fine\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    read = read_folder(root, parser)
    assert time.monotonic() - started < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "kilobytes"
    assert (read["huge.log"].state, read["huge.log"].reason_code) == (State.SKIPPED, "too-large")
    assert read["ok.txt"].state is State.READY


def test_e1_minified_is_skipped_by_name_or_shape_and_a_small_file_with_a_long_line_is_not(
    root: Path, parser: ParserPool
) -> None:
    bundle = b"function a(b,c){return b+c}var d=a(1,2);"
    (root / "lib.min.js").write_bytes(bundle * 100)
    (root / "one-line.js").write_bytes(bundle * (1_000_000 // len(bundle)))
    (root / "small.js").write_bytes(
        b"const table = '" + b"x" * 1_385 + b"'\n" + b"export function lookup() { return table }\n" * 14
    )
    read = read_folder(root, parser)
    assert {name: became.reason_code for name, became in read.items()} == {
        "lib.min.js": "generated",
        "one-line.js": "generated",
        "small.js": None,
    }
    assert read["small.js"].state is State.READY


# E2 Binary content under a text name, and text mistaken for binary ----------------------------------------


def test_e2_binary_content_is_refused_under_any_name(root: Path, tmp_path: Path, parser: ParserPool) -> None:
    kinds = {
        "zip": zip_archive(),
        "elf": elf_program(),
        "png": png_image(),
        "sqlite": sqlite_database(tmp_path),
    }
    for kind, content in kinds.items():
        for ending in ("txt", "md", "csv"):
            (root / f"{kind}.{ending}").write_bytes(content)
    read = read_folder(root, parser)
    assert len(read) == 12
    assert {became.reason_code for became in read.values()} == {"binary"}
    fired = {"zip": "a zip archive", "elf": "an ELF program", "png": "a PNG image", "sqlite": "an SQLite"}
    for name, became in read.items():
        assert fired[name.partition(".")[0]] in (became.reason or "")


def test_e2_text_that_was_mistaken_for_binary_elsewhere_is_indexed(root: Path, parser: ParserPool) -> None:
    (root / "bmw.md").write_bytes(b"BMW is not a bitmap.\n")
    (root / "mz.txt").write_bytes(b"MZ are the first letters of a DOS program.\n")
    # The 65,536th byte is inside a character, which a sample of that size would cut in two.
    (root / "cut.txt").write_text("x" + "ä" * 40_000 + "\n", encoding="utf-8")
    (root / "escape.log").write_bytes(b"\x1b[32mok\x1b[0m all tests passed\n")
    read = read_folder(root, parser)
    assert {name: became.state for name, became in read.items()} == dict.fromkeys(read, State.READY)


# E3 Encodings ---------------------------------------------------------------------------------------------

TEXT = (
    "# Größe und Café\n\n"
    "Überall sprechen Menschen verschiedene Sprachen, und dafür gibt es Übersetzungen.\n\n"
    "## Zweiter Teil\n\nLe café était fermé à cause de la grève; où êtes-vous allés déjeuner ?\n"
)


def test_e3_one_text_in_seven_encodings_gives_the_same_chunks(root: Path, parser: ParserPool) -> None:
    encodings = {
        "utf8.md": TEXT.encode(),
        "utf8-mark.md": b"\xef\xbb\xbf" + TEXT.encode(),
        "utf16-le.md": b"\xff\xfe" + TEXT.encode("utf-16-le"),
        "utf16-be.md": b"\xfe\xff" + TEXT.encode("utf-16-be"),
        "utf32-le.md": b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"),
        "utf32-be.md": b"\x00\x00\xfe\xff" + TEXT.encode("utf-32-be"),
        "latin-1.md": TEXT.encode("latin-1"),
    }
    for name, content in encodings.items():
        (root / name).write_bytes(content)
    read = read_folder(root, parser)
    documents = {became.document for became in read.values()}
    assert len(documents) == 1, {name: became.reason for name, became in read.items()}
    document = documents.pop()
    assert document is not None
    assert "".join(chunk.text for chunk in document.chunks) == TEXT


# E4 Line ends ---------------------------------------------------------------------------------------------


def test_e4_crlf_twins_have_the_same_spans(root: Path, parser: ParserPool) -> None:
    lines = [f"def function_{number}(x):\n    return x + {number}\n\n" for number in range(40)]
    text = "".join(lines)
    (root / "lf.py").write_bytes(text.encode())
    (root / "crlf.py").write_bytes(text.replace("\n", "\r\n").encode())
    (root / "cr.py").write_bytes(text.replace("\n", "\r").encode())
    mixed = "".join(part.replace("\n", "\r\n") if number % 2 else part for number, part in enumerate(lines))
    (root / "mixed.py").write_bytes(mixed.encode())
    read = read_folder(root, parser)
    assert spans(read["lf.py"])[-1][1] == 120
    assert spans(read["crlf.py"]) == spans(read["mixed.py"]) == spans(read["lf.py"])
    assert spans(read["cr.py"])[-1][1] == 120
    hashes = {became.content_hash for became in read.values()}
    assert len(hashes) == 4, "identity is that of the stored bytes"


def test_e4_a_second_listing_of_unchanged_files_changes_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit({b"lf.txt": b"a\nb\n", b"crlf.txt": b"a\r\nb\r\n"})
    connector = open_connector(source_of("git", repository.path), settings_at(tmp_path / "home"))
    first, second = connector.list(), connector.list()
    assert (first.token, first.items) == (second.token, second.items)
    assert first.items[0].content_hash != first.items[1].content_hash


# E5 Symlink loops and links that leave the tree -----------------------------------------------------------


def test_e5_links_are_outcomes_and_never_followed(root: Path, parser: ParserPool) -> None:
    (root / "loop").symlink_to(".")
    (root / "notes.md").symlink_to("/etc/passwd")
    (root / "dangling").symlink_to("nowhere")
    (root / "a.md").write_bytes(b"# A\n")
    read = read_folder(root, parser)
    assert {name: became.reason_code for name, became in read.items()} == {
        "loop": "symlink",
        "notes.md": "symlink",
        "dangling": "symlink",
        "a.md": None,
    }


@pytest.mark.parametrize("what", ["the file", "its directory", "the file, between check and open"])
def test_e5_a_link_swapped_in_after_the_listing_leads_nowhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (root / "docs").mkdir()
    victim = root / "docs" / "passwd"
    victim.write_bytes(b"harmless\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "passwd").write_bytes(b"root:secret\n")
    connector = open_connector(source_of("folder", root), settings_at(tmp_path / "home"))
    item = connector.list().items[0]

    def swap_file() -> None:
        victim.unlink()
        victim.symlink_to(outside / "passwd")

    if what == "the file":
        swap_file()
    elif what == "its directory":
        (root / "docs").rename(root / "docs-before")
        (root / "docs").symlink_to(outside)
    else:
        real_open = os.open

        def swap_then_open(path: object, *arguments: object, **options: object) -> int:
            if path == b"passwd":
                swap_file()
            return real_open(path, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(folder_files.os, "open", swap_then_open)
    contents = [content for _, content in connector.read_many([item], 1_000)]
    assert isinstance(contents[0], VanishedItem)
    assert victim.is_symlink() or (root / "docs").is_symlink(), "the swap took place"


@pytest.mark.parametrize("when", ["before the check", "between check and open", "on another device"])
def test_e5_another_file_in_the_same_place_is_not_the_file_that_was_listed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """A hard link needs no link to follow; device and inode tell."""
    victim = root / "a.txt"
    victim.write_bytes(b"harmless\n")
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"root:secret\n")
    connector = open_connector(source_of("folder", root), settings_at(tmp_path / "home"))
    item = connector.list().items[0]

    def swap() -> None:
        victim.unlink()
        os.link(foreign, victim)

    if when == "before the check":
        swap()
    elif when == "on another device":
        real_stat = os.stat

        def stat_elsewhere(*arguments: object, **options: object) -> os.stat_result:
            mode, inode, device, *rest = real_stat(*arguments, **options)  # type: ignore[arg-type]
            return os.stat_result((mode, inode, device + 1, *rest))

        monkeypatch.setattr(folder_files.os, "stat", stat_elsewhere)
    else:
        real_open = os.open

        def swap_then_open(path: object, *arguments: object, **options: object) -> int:
            if path == b"a.txt":
                swap()
            return real_open(path, *arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(folder_files.os, "open", swap_then_open)
    contents: list[bytes | BrainError] = [content for _, content in connector.read_many([item], 1_000)]
    assert isinstance(contents[0], VanishedItem)


def test_e5_a_directory_swapped_for_a_link_during_the_listing_is_a_problem_not_a_door(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "a.md").write_bytes(b"# A\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"secret\n")
    real_open = os.open

    def swap_then_open(path: object, *arguments: object, **options: object) -> int:
        if path == b"docs" and not (root / "docs").is_symlink():
            (root / "docs").rename(tmp_path / "moved-away")
            (root / "docs").symlink_to(outside)
        return real_open(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(folder_files.os, "open", swap_then_open)
    listing = open_connector(source_of("folder", root), settings_at(tmp_path / "home")).list()
    assert [item.path for item in listing.items if item.kind is ItemKind.FILE] == []
    assert not listing.is_complete, "what was in the directory must not be taken for deleted (A3)"
