"""Data and markup are cut by their own structure; what a reader expects is written down beside the corpus."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.model import ChunkDraft, ParsedDocument

STRUCTURE = Path(__file__).resolve().parent.parent / "corpora" / "structure"
FILES = sorted(path.name for path in STRUCTURE.iterdir() if path.is_file())
BUDGET = 100


def chunked(name: str, budget: int = BUDGET) -> ParsedDocument:
    text = (STRUCTURE / name).read_text(encoding="utf-8")
    return chunk_text(text, name.partition(".")[0], budget)


def label(chunk: ChunkDraft) -> str:
    if chunk.kind == "module" and not chunk.symbol:
        return "(script)"
    return chunk.symbol or " > ".join(chunk.headings)


def stretches(document: ParsedDocument) -> list[str]:
    """Write neighbouring chunks of one label as one row, as a reader does."""
    rows = []
    for name, chunks in groupby(document.chunks, key=label):
        group = list(chunks)
        rows.append(f"{group[0].start_line}-{group[-1].end_line} {name}".rstrip())
    return rows


def test_every_file_has_what_a_reader_expects_of_it() -> None:
    assert [f"{name}.txt" for name in FILES] == sorted(
        path.name for path in (STRUCTURE / "expected").glob("*.txt")
    )


@pytest.mark.parametrize("name", FILES)
def test_structure_is_cut_where_a_reader_sees_it(name: str) -> None:
    title, outline, *rows = (STRUCTURE / "expected" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    document = chunked(name)
    assert stretches(document) == rows
    assert f"outline {' | '.join(document.outline)}".rstrip() == outline
    assert f"title {document.title}".rstrip() == title
    assert document.warnings == ()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("budget", [16, 40, 200])
def test_no_piece_is_over_budget_and_counts_are_the_tokenizers(name: str, budget: int) -> None:
    for chunk in chunked(name, budget).chunks:
        assert chunk.tokens == default_counter().count(chunk.text) <= budget


def one(language: str, text: str, budget: int = BUDGET) -> list[tuple[str, int | None, int | None]]:
    document = chunk_text(text, language, budget)
    return [(chunk.symbol, chunk.start_line, chunk.end_line) for chunk in document.chunks]


def test_small_file_is_one_chunk_that_names_its_keys() -> None:
    assert one("yaml", "name: shop\nservices:\n  web: {image: a}\n") == [("name, services", 1, 3)]
    assert one("json", '{"a": 1, "b": [1, 2]}') == [("a, b", 1, 1)]


def test_member_of_a_large_mapping_knows_the_keys_around_it() -> None:
    chunks = {chunk.symbol: chunk for chunk in chunked("yaml.yaml").chunks}
    assert chunks["services.web.environment"].enclosing == ("services:", "web:")
    # The first member has these lines in its own text.
    assert chunks["jobs.nightly.steps.Backup"].enclosing == ()
    assert chunks["jobs.nightly.steps.Report"].enclosing == ("jobs:", "nightly:", "steps:")


def test_documents_of_one_yaml_file_are_named_by_what_they_are() -> None:
    document = "---\nkind: {}\nmetadata:\n  labels: [{}]\n"
    many = ", ".join(f"label-{number}" for number in range(12))
    text = document.format("Deployment", many) + document.format("Service", many)
    assert one("yaml", text) == [("Deployment", 1, 4), ("Service", 5, 8)]


def test_comment_travels_with_the_key_below_it_and_not_with_the_block_above() -> None:
    body = "".join(f"  key{number}: value number {number} of all\n" for number in range(9))
    text = f"one:\n{body}\n# About two,\n# which is below.\ntwo:\n{body}"
    assert one("yaml", text) == [("one", 1, 11), ("two", 12, 23)]


def test_line_of_a_string_that_looks_like_a_comment_stays_in_it() -> None:
    script = "".join(f"  echo step {number} of the whole script\n" for number in range(9))
    text = f"run: |\n{script}  # done\nnext:\n{script}".replace("next:\n", "next: |\n")
    assert one("yaml", text) == [("run", 1, 11), ("next", 12, 21)]


def test_elements_of_json_on_one_line_are_cut_apart() -> None:
    element = '{{"id": "hive-{0}", "readings": [{1}]}}'
    numbers = ", ".join(map(str, range(20)))
    text = (
        '{"hives": [' + ", ".join(element.format(name, numbers) for name in ("north", "south", "west")) + "]}"
    )
    symbols = [symbol for symbol, _, _ in one("json", text, 80)]
    assert symbols == ["hives.hive-north", "hives.hive-south", "hives.hive-west"]
    starts = [chunk.text[:14] for chunk in chunk_text(text, "json", 80).chunks]
    assert starts == ['{"hives": [{"i', '{"id": "hive-s', '{"id": "hive-w']


def test_elements_without_a_name_are_counted() -> None:
    text = "[\n" + ",\n".join(f"  [{number}, {number + 1}]" for number in range(30)) + "\n]\n"
    symbols = [symbol for symbol, _, _ in one("json", text)]
    assert symbols[0].startswith("[0-")
    assert symbols[-1].endswith("-29]")


def test_later_piece_of_a_long_value_knows_its_key() -> None:
    text = "top:\n  script: |\n" + "".join(f"    echo {number} >> the/file\n" for number in range(60))
    first, *rest = chunk_text(text, "yaml", BUDGET).chunks
    assert first.enclosing == ()
    assert {piece.symbol for piece in rest} == {"top.script"}
    assert {piece.enclosing for piece in rest} == {("top:", "script: |")}


def test_continued_value_of_an_ini_file_stays_with_its_key() -> None:
    packages = "".join(f"    package-{number}>=1.{number}\n" for number in range(12))
    text = f"[options]\ninstall_requires =\n{packages}[metadata]\nname = x\n"
    *pieces, last = chunk_text(text, "ini", BUDGET).chunks
    assert {piece.symbol for piece in pieces} == {"options.install_requires"}
    assert (last.symbol, last.start_line) == ("metadata", 15)


def test_server_configuration_called_conf_is_cut_by_lines_without_complaint() -> None:
    text = "server {\n  listen 80;\n  location / { proxy_pass http://app; }\n}\n" * 9
    document = chunk_text(text, "ini", BUDGET)
    assert {chunk.kind for chunk in document.chunks} == {"lines"}
    assert document.warnings == ()


def test_script_of_a_component_says_what_it_imports() -> None:
    assert chunked("vue.vue").imports == ("vue", "./HiveCard.vue")
    assert chunked("svelte.svelte").imports == ("svelte",)


def test_e7_warning_of_a_component_counts_lines_from_the_start_of_the_file() -> None:
    text = (
        "<template>\n  <p/>\n</template>\n<script>\nfunction fine() { return 1; }\nfunction (((\n</script>\n"
    )
    assert chunk_text(text, "vue", BUDGET).warnings == ("parsed partially: syntax not understood at line 6",)


@pytest.mark.parametrize(
    ("language", "text", "warning"),
    [
        ("json", '{"a": "fine",\n "b": [1, 2},\n "c": "fine"\n}\n', "syntax not understood at line 2"),
        (
            "yaml",
            "{{- if .Values.on }}\nkind: {{ .Values.kind }}\n{{- end }}\n" * 20,
            "hardly anything is valid yaml",
        ),
        ("xml", "<a>\n<b>\n</a>\n", "syntax not understood at line 2"),
        ("css", ".a { b: c }\n.d { e: f\n", "syntax not understood at line 2"),
        ("json", "Dear all, find attached (draft!) the minutes.\n", "hardly anything is valid json"),
        ("css", "Dear all, find attached (draft!) the minutes.\n", "hardly anything is valid css"),
    ],
)
def test_e7_what_makes_no_sense_is_said(language: str, text: str, warning: str) -> None:
    (said,) = chunk_text(text, language, BUDGET).warnings
    assert said.startswith(f"parsed partially: {warning}")


_DEEP = 100_000


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("json", "[" * _DEEP),
        ("json", "[" * _DEEP + "]" * _DEEP),
        ("yaml", "[" * _DEEP),
        ("yaml", "- " * _DEEP),
        ("yaml", "\n".join(" " * depth + "a:" for depth in range(400))),
        ("toml", "a = " + "[" * _DEEP),
        ("xml", "<a>" * _DEEP + "</a>" * _DEEP),
        ("xml", "<a b='" * _DEEP),
        ("css", "a{" * _DEEP),
        ("css", ":not(" * _DEEP),
        ("vue", "<template>" * _DEEP),
    ],
    ids=lambda value: value[:6].strip(),
)
def test_e6_depth_of_100000_is_survived(language: str, text: str) -> None:
    """Every one is linear; the grammars of YAML, XML and CSS alone crash or take minutes on one of them."""
    document = chunk_text(text, language, 200)
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert all(warning.startswith("parsed partially: ") for warning in document.warnings)
    if text.startswith(("[", "- ", "a = ", "a{", ":not")):
        assert document.warnings
