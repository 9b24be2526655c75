"""Include and exclude patterns, and .gitignore files: both speak the language of git."""

from __future__ import annotations

import time

import pytest

from brain_dagster.connectors.base import BadGlob
from brain_dagster.connectors.globs import Globs, IgnoreFile, is_ignored


@pytest.mark.parametrize(
    ("pattern", "chosen", "left"),
    [
        ("**/*.py", [b"a.py", b"x/y/a.py"], [b"a.pyc", b"a.py.txt"]),
        ("*.py", [b"a.py", b"x/y/a.py"], [b"py"]),
        ("src/*.py", [b"src/a.py"], [b"src/x/a.py", b"lib/src/a.py"]),
        ("docs/", [b"docs/a.md", b"x/docs/y/a.md"], [b"docs", b"mydocs/a.md"]),
        ("docs/**", [b"docs/a.md", b"docs/x/y.md"], [b"x/docs/a.md"]),
        ("/setup.py", [b"setup.py"], [b"x/setup.py"]),
        ("a[0-9].txt", [b"a1.txt"], [b"ab.txt"]),
    ],
)
def test_a_pattern_chooses_what_git_would_ignore_by_it(
    pattern: str, chosen: list[bytes], left: list[bytes]
) -> None:
    globs = Globs((pattern,), ())
    assert [path for path in chosen + left if globs.accepts(path)] == chosen


def test_without_include_everything_belongs_and_exclude_wins_over_include() -> None:
    assert Globs((), ()).accepts(b"anything/at.all")
    both = Globs(("*.py",), ("tests/",))
    assert both.accepts(b"src/a.py")
    assert not both.accepts(b"src/tests/a.py")


def test_a_later_pattern_takes_back_what_an_earlier_one_chose() -> None:
    globs = Globs((), ("docs/*", "!docs/keep.md"))
    assert globs.accepts(b"docs/keep.md")
    assert not globs.accepts(b"docs/drop.md")
    assert not globs.prunes(b"docs"), "a directory is opened when something in it may be taken back"


def test_a_directory_is_pruned_only_when_nothing_below_it_can_belong() -> None:
    globs = Globs((), ("build/",))
    assert globs.prunes(b"x/build")
    assert not globs.prunes(b"builder")


def test_f4_matching_is_case_sensitive() -> None:
    assert not Globs(("*.PY",), ()).accepts(b"a.py")


def test_f6_a_newline_or_a_foreign_byte_in_a_path_is_an_ordinary_character() -> None:
    globs = Globs(("**/*.py",), ())
    assert globs.accepts(b"a\nb/c.py")
    assert globs.accepts(b"caf\xe9/\xff.py")
    assert not globs.accepts(b"a.py\n")


@pytest.mark.parametrize("pattern", ["", "   ", "# a comment", "*a*a*a*a*b", "a/**/b/**/c/**/d/**/e/**/f"])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(BadGlob):
        Globs((pattern,), ())


def test_the_digest_tells_include_from_exclude() -> None:
    assert Globs(("a",), ()).digest != Globs((), ("a",)).digest


def test_the_innermost_ignore_file_has_the_last_word() -> None:
    outer = IgnoreFile(b"", b"*.log\nsecret/\n")
    inner = IgnoreFile(b"kept", b"!important.log\n")
    files = (outer, inner)
    assert is_ignored(b"a.log", is_directory=False, files=(outer,))
    assert is_ignored(b"kept/other.log", is_directory=False, files=files)
    assert not is_ignored(b"kept/important.log", is_directory=False, files=files)
    assert is_ignored(b"secret", is_directory=True, files=(outer,))
    assert not is_ignored(b"secret", is_directory=False, files=(outer,)), "`secret/` names directories only"


def test_an_anchored_pattern_is_relative_to_its_own_ignore_file() -> None:
    files = (IgnoreFile(b"sub", b"/local.txt\n"),)
    assert is_ignored(b"sub/local.txt", is_directory=False, files=files)
    assert not is_ignored(b"sub/deeper/local.txt", is_directory=False, files=files)


def test_an_ignore_file_with_a_mark_foreign_bytes_and_windows_line_ends_is_obeyed() -> None:
    ignore_file = IgnoreFile(b"", b"\xef\xbb\xbf*.tmp\r\ncaf\xe9.txt\r\n")
    assert ignore_file.verdict(b"a.tmp", is_directory=False)
    assert ignore_file.verdict(b"caf\xe9.txt", is_directory=False)


def test_a_hostile_ignore_file_cannot_hold_up_a_listing() -> None:
    ignore_file = IgnoreFile(b"", b"*a*a*a*a*a*a*a*a*a*a*a*a*b\n*.log\n")
    started = time.monotonic()
    assert ignore_file.verdict(b"a" * 250, is_directory=False) is None
    assert ignore_file.verdict(b"x.log", is_directory=False)
    assert time.monotonic() - started < 1
