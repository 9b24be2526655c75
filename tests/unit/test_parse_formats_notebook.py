"""Notebooks by cell: neighbours that belong together, headings from above, outputs kept short."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.chunk.pages import PageChunk
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Part
from tests.support.parts import chunks_of, opened, parts_of, texts_of

PYTHON = {"kernelspec": {"language": "python", "display_name": "Python 3 (bees)"}}


def markdown(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source}


def code(source: str, run: int | None = None, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": run, "outputs": list(outputs)}


def book(*cells: dict[str, Any], **metadata: Any) -> bytes:
    return json.dumps({"cells": cells, "metadata": {**PYTHON, **metadata}, "nbformat": 4}).encode()


def read(*cells: dict[str, Any], budget: int = 200) -> list[Part]:
    return [part for part in parts_of("notebook", book(*cells), budget) if part.text]


def one(*cells: dict[str, Any]) -> PageChunk:
    (part,) = read(*cells)
    (chunk,) = chunks_of(part)
    return chunk


def test_markdown_leads_the_code_below_it_and_a_heading_begins_anew() -> None:
    parts = read(
        code(""),
        markdown(["# Bees\n", "All about bees."]),
        code("import apiary", 1),
        code("def count(hive):\n    return len(hive)", 2),
        markdown("## Honey\nHarvest."),
        code("weigh()", 3),
        markdown("Not much."),
    )
    assert [part.page.label for part in parts] == ["cells 2-4", "cells 5-6", "cell 7"]
    assert [part.page.number for part in parts] == [2, 5, 7]
    assert parts[0].text.startswith("# Bees\nAll about bees.\n\nimport apiary\n\ndef count(hive):")
    found = [chunk for part in parts for chunk in chunks_of(part)]
    assert [chunk.headings for chunk in found] == [("Bees",), ("Bees", "Honey"), ("Bees", "Honey")]
    assert [chunk.symbol for chunk in found] == ["count", "", ""]


def test_single_cell_is_named_with_its_execution() -> None:
    (part,) = read(code("weigh()", 12))
    assert part.page.label == "cell 1 [12]"


def test_long_code_cell_is_cut_at_its_declarations_and_keeps_the_trail() -> None:
    functions = [
        f"def weigh_{n}(hive):\n    total = hive.comb + {n}\n    return total * {n}\n" for n in range(9)
    ]
    parts = read(markdown("# Scales"), code("\n".join(functions), 4), budget=60)
    cut = parts[-1]
    assert cut.page.label == "cell 2 [4]"
    assert all(text.startswith("def weigh_") for text in texts_of(cut))
    assert [chunk.symbol for chunk in chunks_of(cut)] == [f"weigh_{n}" for n in range(9)]
    assert {chunk.headings for chunk in chunks_of(cut)} == {("Scales",)}


def test_long_markdown_cell_knows_the_headings_inside_and_above_it() -> None:
    words = "The queen lays eggs all day long and nobody disturbs her. " * 6
    cell = f"## Queens\n\n{words}\n\n### Age\n\n{words}\n\n# Drones\n\n{words}"
    parts = read(markdown("# Castes"), markdown(cell), code("after()"), budget=90)
    headings = [chunk.headings for chunk in chunks_of(parts[1])]
    assert headings[0] == ("Castes", "Queens")
    assert ("Castes", "Queens", "Age") in headings
    assert headings[-1] == ("Drones",)
    assert chunks_of(parts[-1])[0].headings == ("Drones",)


def test_raw_cell_of_restructured_text_is_prose_with_headings() -> None:
    raw = {
        "cell_type": "raw",
        "metadata": {"raw_mimetype": "text/restructuredtext"},
        "source": "Mites\n=====\nFew.",
    }
    assert one(raw, code("count()")).headings == ("Mites",)


def test_heading_right_above_a_deeper_one_is_part_of_its_trail() -> None:
    assert one(markdown("# Bees\n## Honey\n"), code("weigh()")).headings == ("Bees", "Honey")


OUTPUTS: list[tuple[dict[str, Any], str]] = [
    ({"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]}, "one\ntwo"),
    ({"output_type": "execute_result", "data": {"text/plain": "42", "text/html": "<b>42</b>"}}, "42"),
    ({"output_type": "display_data", "data": {"text/html": "<b>42</b>"}}, "[text/html]"),
    ({"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "Fig"}}, "[image/png]"),
    ({"output_type": "error", "ename": "ValueError", "evalue": "no bees", "traceback": []},
     "ValueError: no bees"),
    ({"output_type": "stream", "text": "\x1b[31mred\x1b[0m\n10%\r20%\rdone\n"}, "red\ndone"),
    ({"output_type": "stream", "text": "".join(f"line {n}\n" for n in range(500))},
     "\n".join(f"line {n}" for n in range(12)) + "\n…"),
    ({"output_type": "pyout", "text": ["7"], "prompt_number": 1}, "7"),
    ({"output_type": "display_data", "png": "iVBOR", "text": ["<Figure>"]}, "[image/png]"),
]  # fmt: skip


@pytest.mark.parametrize(("output", "expected"), OUTPUTS)
def test_output_is_kept_short_and_pictures_are_named(output: dict[str, Any], expected: str) -> None:
    (part,) = read(code("show()", 1, output))
    assert part.text == f"show()\n\nOutput:\n{expected}\n\n"


def test_picture_inside_markdown_is_not_text() -> None:
    picture = "![hive](data:image/png;base64," + "iVBORw0KGgo" * 5_000 + ")"
    (part,) = read(markdown(f"before {picture} after"))
    assert part.text == "before ![hive](data:…) after\n\n"


def test_notebook_of_format_3_is_read_from_its_worksheets() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Old bees"]},
        {"cell_type": "code", "input": ["buzz()"], "prompt_number": 5, "language": "python", "outputs": []},
    ]
    content = json.dumps(
        {"worksheets": [{"cells": cells}], "nbformat": 3, "metadata": {"name": "old"}}
    ).encode()
    parts = parts_of("notebook", content)
    assert [part.text for part in parts] == ["## Old bees\n\nbuzz()\n\n"]
    assert opened("notebook", content).title == "Old bees"


def test_kernel_and_title_are_told() -> None:
    found = opened("notebook", book(markdown("intro"), markdown("# Bees"), authors=[{"name": "Zoë"}]))
    assert found.title == "Bees"
    assert found.metadata == {
        "language": "python",
        "kernel": "Python 3 (bees)",
        "nbformat": "4",
        "author": "Zoë",
    }


def test_code_is_cut_as_the_kernel_or_the_cell_says() -> None:
    scala = code("object Hive {\n  def count(x: Int) = x\n}", 1)
    content = json.dumps({"cells": [scala], "metadata": {"language_info": {"name": "scala"}}, "nbformat": 4})
    assert [chunk.symbol for part in parts_of("notebook", content.encode()) for chunk in chunks_of(part)] == [
        "Hive"
    ]
    assert one(code("%%javascript\nfunction buzz() { return 1 }")).symbol == "buzz"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"cells": 3}', b'{"cells": [', b'{"a":' * 100_000, b"\xff\xfe\x00", b"1" * 5_000],
)
def test_what_is_no_notebook_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises(BrokenDocument, match="The notebook cannot be read: "):
        opened("notebook", content)


ODD_CELLS: list[Any] = [
    {"cell_type": "code", "source": None, "outputs": None},
    {"cell_type": "code", "source": [1, "a", None], "outputs": [1, {"data": 3}, {"output_type": "error"}]},
    {"cell_type": "heading", "level": "x", "source": {"a": 1}},
    {"source": "no type"},
    [], None, 7,
    {"cell_type": "markdown", "source": "nul \x00 and \ud800", "execution_count": True},
]  # fmt: skip


def test_cells_of_odd_shapes_leave_the_others_readable() -> None:
    content = json.dumps({"cells": [*ODD_CELLS, code("needle()")], "metadata": [], "nbformat": 4}).encode()
    assert any("needle()" in part.text for part in parts_of("notebook", content))


CELLS = st.builds(
    lambda kind, source, output: {
        "cell_type": kind,
        "source": source,
        "outputs": [{"output_type": "stream", "text": output}] if output else [],
    },
    st.sampled_from(["code", "markdown", "raw"]),
    st.text(st.sampled_from("# \n\tabcé:=()0-`\x00😀"), max_size=400),
    st.text(st.sampled_from("ab \n\r\x1b["), max_size=60),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, max_size=8), st.sampled_from([20, 60, 200]))
def test_e7_chunks_tile_whatever_the_cells_hold(cells: list[dict[str, Any]], budget: int) -> None:
    parts_of("notebook", book(*cells), budget)
