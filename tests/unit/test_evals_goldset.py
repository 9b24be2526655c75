"""A goldset says what is wrong with it, line by line, before anything is measured with it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from brain_dagster.errors import BadUsage
from brain_dagster.evals.goldset import Case, InvalidGoldset, load_goldset
from brain_dagster.settings import REPOSITORY_ROOT

GOOD = '{"id": "a", "query": "where is it", "expect": "lib/it.py"}'


def _write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _refusal(tmp_path: Path, *lines: str) -> str:
    with pytest.raises(InvalidGoldset) as caught:
        load_goldset(_write(tmp_path, *lines))
    return caught.value.message


def test_cases_keep_their_order_and_unknown_keys_are_ignored(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        '{"id": "b", "query": "q", "expect": "x.md", "source": "docs", "commit": "ab", "spans": [[1, 2]]}',
        "",
        '{"id": "a", "query": "p", "expect": "y..z/w.md", "tags": ["t"], "split": "test", "tier": 3}',
    )
    goldset = load_goldset(path)
    assert goldset.name == "small"
    assert goldset.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert goldset.cases == (
        Case("b", "q", "x.md", "docs"),
        Case("a", "p", "y..z/w.md", None, ("t",), "test"),
    )


def test_a_byte_order_mark_windows_line_ends_and_odd_separators_are_read(tmp_path: Path) -> None:
    path = tmp_path / "bom.jsonl"
    # U+2028 inside a string is legal JSON, and splitting lines the Unicode way would cut the case in two.
    second = GOOD.replace('"a"', '"b"').replace("where", "whe\u2028re")
    path.write_bytes(b"\xef\xbb\xbf" + f"{GOOD}\r\n{second}\r\n".encode())
    assert [case.id for case in load_goldset(path).cases] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[1]", "a JSON object is needed, this is a list"),
        ('"text"', "a JSON object is needed, this is a text"),
        ('{"id": "a", "expect": "x"}', "query is missing"),
        ('{"id": 7, "query": "q", "expect": "x"}', "id must be a text, this is a number"),
        ('{"id": "a", "query": null, "expect": "x"}', "query must be a text, this is null"),
        ('{"id": "a", "query": " \\t", "expect": "x"}', "query is empty"),
        ('{"id": "a", "query": "\\u0000\\ud800", "expect": "x"}', "query is empty"),
        ('{"id": "a", "query": "' + "w " * 16_001 + '", "expect": "x"}', "query is longer than 32,000 bytes"),
        ('{"id": "a", "query": "q", "expect": ""}', "expect is empty"),
        ('{"id": "a", "query": "q", "expect": ["x"]}', "expect must be a text, this is a list"),
        (
            '{"id": "a", "query": "q", "expect": "/etc/passwd"}',
            'expect "/etc/passwd" is absolute; it must be relative to the root of its source',
        ),
        ('{"id": "a", "query": "q", "expect": "a/../b"}', 'expect "a/../b" leaves its source with `..`'),
        (
            '{"id": "a", "query": "q", "expect": "a\\ud800"}',
            'expect "a\\ud800" holds characters that no path has',
        ),
        ('{"id": "a", "query": "q", "expect": "x", "source": 1}', "source must be a text, this is a number"),
        ('{"id": "a", "query": "q", "expect": "x", "tags": "t"}', "tags must be a list of texts"),
        ("[" * 100_000, "not JSON that can be read: nested too deeply, or a number of too many digits"),
    ],
)
def test_a_wrong_line_is_named_with_its_number_and_its_fault(
    tmp_path: Path, line: str, complaint: str
) -> None:
    assert f"line 2: {complaint}" in _refusal(tmp_path, GOOD, line)


def test_bytes_that_are_not_utf8_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(GOOD.encode() + b'\n{"id": "caf\xe9"}\n')
    with pytest.raises(InvalidGoldset, match="line 2: not UTF-8 at byte 12"):
        load_goldset(path)


def test_a_repeated_id_names_both_lines(tmp_path: Path) -> None:
    assert 'line 3: id "a" was used on line 1 already' in _refusal(tmp_path, GOOD, "", GOOD)


def test_every_fault_of_a_line_is_named_at_once(tmp_path: Path) -> None:
    message = _refusal(tmp_path, '{"query": "", "expect": "/x"}')
    for fault in ("line 1: id is missing", "line 1: query is empty", 'line 1: expect "/x" is absolute'):
        assert fault in message


def test_twenty_problems_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    message = _refusal(tmp_path, *["{"] * 25)
    assert "line 20: " in message
    assert "line 21: " not in message
    assert message.endswith("and 5 more")


def test_a_goldset_without_a_case_is_refused(tmp_path: Path) -> None:
    assert _refusal(tmp_path, "", "  ") == "it has no case"


def test_a_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="No such file or directory") as caught:
        load_goldset(tmp_path / "nowhere.jsonl")
    assert caught.value.subject.endswith("nowhere.jsonl")


def test_a_folder_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(InvalidGoldset, match="Is a directory"):
        load_goldset(tmp_path)


def test_d1_d2_text_that_the_store_refuses_is_replaced_in_the_question(tmp_path: Path) -> None:
    path = _write(tmp_path, '{"id": "a", "query": "nul\\u0000 lone\\ud800", "expect": "x"}')
    assert load_goldset(path).cases[0].query == "nul\ufffd lone\ufffd"


SHIPPED = sorted((REPOSITORY_ROOT / "goldsets").glob("*.jsonl"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_goldset_loads_and_its_origin_is_told(path: Path) -> None:
    goldset = load_goldset(path)
    assert len(goldset.cases) >= 20
    assert all(case.source for case in goldset.cases)
    assert f"`{path.name}`" in (path.parent / "README.md").read_text(encoding="utf-8")


def test_the_repositorys_own_goldset_expects_files_that_exist() -> None:
    goldset = load_goldset(REPOSITORY_ROOT / "goldsets" / "brain.jsonl")
    gone = [case.expect for case in goldset.cases if not (REPOSITORY_ROOT / case.expect).is_file()]
    assert gone == []
    assert {case.source for case in goldset.cases} == {"brain"}


def test_the_examples_goldset_expects_files_that_the_tour_indexes() -> None:
    import psycopg
    import starlette

    roots = {
        "psycopg": Path(psycopg.__file__).parent,
        "starlette": Path(starlette.__file__).parent,
        "handbook": REPOSITORY_ROOT / "examples" / "handbook",
    }
    goldset = load_goldset(REPOSITORY_ROOT / "goldsets" / "examples.jsonl")
    gone = [c.id for c in goldset.cases if not (roots[c.source or ""] / c.expect).is_file()]
    assert gone == []
