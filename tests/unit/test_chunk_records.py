"""Tables, JSON lines and logs are cut between records; the pieces of a table know its columns."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.records import record_starts
from brain_dagster.chunk.source import SourceText
from brain_dagster.chunk.tokens import default_counter

PROSE = Path(__file__).resolve().parent.parent / "corpora" / "prose"


def test_no_record_of_a_table_is_cut_though_its_cells_have_several_lines() -> None:
    text = (PROSE / "csv.csv").read_text(encoding="utf-8")
    chunks = chunk_text(text, "csv", 30).chunks
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 3), (4, 5), (6, 10), (11, 12)]
    assert {chunk.kind for chunk in chunks} == {"rows"}
    rows = [row for chunk in chunks for row in csv.reader(io.StringIO(chunk.text))]
    assert rows == list(csv.reader(io.StringIO(text)))


def test_every_chunk_but_the_first_has_the_header_row() -> None:
    first, *later = chunk_text((PROSE / "csv.csv").read_text(encoding="utf-8"), "csv", 30).chunks
    assert first.enclosing == ()
    assert {chunk.enclosing for chunk in later} == {("name | town | notes",)}


@pytest.mark.parametrize(
    ("head", "row", "language", "header"),
    [
        ("name;town;since\n", "Ada;London;1815\n", "csv", "name | town | since"),
        ("name\ttown\tsince\n", "Ada\tLondon\t1815\n", "tsv", "name | town | since"),
        ('"Name, full",Town\n', '"Ada, Countess",London\n', "csv", "Name, full | Town"),
        ("# exported today\n\nname,town\n", "Ada,London\n", "csv", "name | town"),
        ("\ufeffname,town\n", "Ada,London\n", "csv", "name | town"),
        ("word\n", "bees\n", "csv", "word"),
        ("1,2,3\n", "4,5,6\n", "csv", ""),
        ("2024-01-01,Ada,7\n", "2024-01-02,Bo,8\n", "csv", ""),
        ("Ada,Ada,7\n", "Bo,Bo,8\n", "csv", ""),
        (",,,x\n", "a,b,c,d\n", "csv", ""),
    ],
)
def test_what_is_a_header_row(head: str, row: str, language: str, header: str) -> None:
    chunks = chunk_text(head + row * 200, language, 40).chunks
    assert len(chunks) > 2
    assert {chunk.enclosing for chunk in chunks[1:]} == {(header,) if header else ()}
    assert all(chunk.text.endswith(row) for chunk in chunks)


def test_stray_quotation_mark_does_not_swallow_the_table() -> None:
    text = "size,thing\n" + '5" disk,old\n' * 30 + '"never closed,new\n' + "plain,row\n" * 400
    chunks = chunk_text(text, "csv", 40).chunks
    assert all(chunk.text.endswith("\n") for chunk in chunks)
    assert max(chunk.text.count("\n") for chunk in chunks) < 30


def test_inches_open_no_cell() -> None:
    text = 'a,5" disk\nb,c\nd,5" disk\n"e\nf",g\n'
    assert record_starts(SourceText(text, default_counter()), ",") == [0, 10, 14, 24]


def test_record_over_the_budget_is_cut_and_its_neighbours_are_not() -> None:
    text = "a,b\nx,y\n" + '"' + "many words in a cell. " * 40 + '",z\n' + "c,d\ne,f\n"
    chunks = chunk_text(text, "csv", 50).chunks
    assert "".join(chunk.text for chunk in chunks) == text
    assert chunks[0].text == "a,b\nx,y\n"
    assert chunks[-1].text == "c,d\ne,f\n"


def test_json_lines_are_cut_between_lines() -> None:
    text = (PROSE / "jsonl.jsonl").read_text(encoding="utf-8")
    chunks = chunk_text(text, "jsonl", 50).chunks
    assert [(chunk.start_line, chunk.end_line, chunk.kind) for chunk in chunks] == [
        (1, 2, "rows"),
        (3, 3, "rows"),
    ]


def test_trace_stays_with_the_entry_of_the_log_that_it_explains() -> None:
    text = (PROSE / "log.log").read_text(encoding="utf-8")
    chunks = chunk_text(text, "log", 70).chunks
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 6), (7, 9)]


def test_blank_line_of_a_log_is_the_best_place_to_cut() -> None:
    entry = "2024-05-01 10:22:03 INFO something happened in here\n"
    chunks = chunk_text((entry * 4 + "\n") * 10, "log", 150).chunks
    assert all(chunk.text.endswith("\n\n") for chunk in chunks)
