"""The code map's benchmark: files of truth are read as their README says, and scored by plain rules."""

from __future__ import annotations

import pytest

from bench.codemap import TRUTHS, Entry, read_truth, score
from bench.projects import PROJECTS

SHOW = Entry("route", "GET /x", "show", "a.py", 1)
ADD = Entry("route", "POST /x", "add", "a.py", 5)
MAIN = Entry("entry_point", "my tool", "", "pyproject.toml", 3)


def test_a_file_of_truth_says_what_is_judged_and_where() -> None:
    truth = read_truth(
        "# read by eye\nkinds: route entry_point\nignored: tests/\n\n"
        "route GET /x show a.py:1\nentry_point my tool pyproject.toml:3\n"
        "rpc shop.Orders/Place A -> B  api/a.proto:9\nconsumer mails send a b/w.py:2\n"
    )
    assert truth.kinds == ("route", "entry_point")
    assert truth.ignored == ("tests/",)
    assert truth.entries == (
        SHOW,
        MAIN,
        Entry("rpc", "shop.Orders/Place", "A -> B", "api/a.proto", 9),
        Entry("consumer", "mails", "send a", "b/w.py", 2),
    )


@pytest.mark.parametrize("line", ["route GET /x show a.py", "route GET a.py:1", "entry_point a.py:1"])
def test_a_line_without_name_or_place_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2: "):
        read_truth(f"kinds: route\n{line}\n")


def test_another_handler_or_line_counts_as_missed_and_as_false() -> None:
    found = [
        SHOW,
        Entry("route", "POST /x", "other", "a.py", 5),
        Entry("route", "PUT /x", "put", "a.py", 9),
        MAIN,
    ]
    measured = score([SHOW, ADD], found, "route")
    assert (measured.true, measured.found, measured.right) == (2, 3, 1)
    assert measured.precision == pytest.approx(1 / 3)
    assert measured.recall == pytest.approx(1 / 2)


def test_nothing_to_find_and_nothing_found_is_no_error() -> None:
    measured = score([], [], "consumer")
    assert (measured.precision, measured.recall) == (1.0, 1.0)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_every_project_has_a_truth_that_can_be_read(project: object) -> None:
    name = getattr(project, "name", "")
    truth = read_truth((TRUTHS / f"{name}.txt").read_text("utf-8"))
    assert truth.kinds
    assert {entry.kind for entry in truth.entries} <= set(truth.kinds)
    assert len(set(truth.entries)) == len(truth.entries)
