"""Where a passage without lines stands is said as people say it."""

from __future__ import annotations

import pytest

from brain_dagster.place import part_words


@pytest.mark.parametrize(
    ("kind", "page", "label", "words"),
    [
        ("page", 7, "7", "page 7"),
        ("page", 7, None, "page 7"),
        ("page", 7, "vii", "page 7 (printed vii)"),
        ("scan", 2, "A-2", "page 2 (printed A-2)"),
        ("", 2, "ii", "page 2 (printed ii)"),
        ("page", 2, "i" * 40, f"page 2 (printed {'i' * 20})"),
        ("slide", 3, "slide 3", "slide 3"),
        ("sheet", 1, "sheet Prices, rows 2-40", "sheet Prices, rows 2-40"),
        ("cell", 5, "", "cell 5"),
        ("message", 12, "message 12,\n 1 May", "message 12, 1 May"),
    ],
)
def test_a_page_is_named_by_its_position_and_other_parts_by_their_label(
    kind: str, page: int, label: str | None, words: str
) -> None:
    assert part_words(kind, page, label) == words
