"""Text without a grammar is cut at blank lines, then where it is least indented."""

from __future__ import annotations

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.lines import chunk_lines


def test_blocks_between_blank_lines_stay_whole() -> None:
    block = "alpha beta gamma\ndelta epsilon zeta\n\n"
    chunks = chunk_text(block * 40, "", 60).chunks
    assert len(chunks) > 2
    assert all(chunk.text.endswith("\n\n") for chunk in chunks)
    assert {chunk.kind for chunk in chunks} == {"lines"}


def test_yaml_is_cut_where_a_top_level_key_begins() -> None:
    service = "{name}:\n  image: registry/{name}\n  ports:\n    - 80\n    - 443\n  restart: always\n"
    text = "".join(service.format(name=f"service{n}") for n in range(20))
    chunks = chunk_text(text, "yaml", 60).chunks
    assert len(chunks) > 3
    assert all(chunk.text.startswith("service") for chunk in chunks)


def test_closing_line_stays_with_what_it_closes() -> None:
    block = "rule {\n  when it rains\n  then take an umbrella\n}\n"
    chunks = chunk_text(block * 10, "", 40).chunks
    assert all(chunk.text.startswith("rule {") and chunk.text.endswith("}\n") for chunk in chunks)


def test_pieces_are_alike_in_size() -> None:
    chunks = chunk_text("one two three four five\n" * 41, "", 200).chunks
    assert [chunk.tokens for chunk in chunks] == [105, 100]


def test_short_text_is_one_chunk() -> None:
    (chunk,) = chunk_text("a,b\n1,2\n", "csv", 200).chunks
    assert (chunk.start_line, chunk.end_line, chunk.start_byte, chunk.end_byte) == (1, 2, 0, 8)


def test_warnings_are_passed_on() -> None:
    assert chunk_lines("x\n", 10, warnings=("why",)).warnings == ("why",)


def test_file_of_blank_lines_between_two_words_is_cut_in_linear_time() -> None:
    text = "first\n" + "\n" * 300_000 + "last\n"
    chunks = chunk_text(text, "", 200).chunks
    assert "".join(chunk.text for chunk in chunks) == text
    assert chunks[-1].text.endswith("last\n")
