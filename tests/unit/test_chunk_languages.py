"""Files are told apart by name and first line; the table names only kinds that the grammars have."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from tree_sitter_language_pack import get_language

from brain_dagster.chunk.languages import LANGUAGES, Language, language_of


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("src/app.py", "", "python"),
        ("stubs/app.pyi", "", "python"),
        ("a/b.mjs", "", "javascript"),
        ("a/b.ts", "", "typescript"),
        ("a/b.tsx", "", "tsx"),
        ("main.go", "", "go"),
        ("lib.rs", "", "rust"),
        ("Main.java", "", "java"),
        ("x.h", "", "c"),
        ("x.hpp", "", "cpp"),
        ("x.cs", "", "csharp"),
        ("Gemfile", "", "ruby"),
        ("index.php", "", "php"),
        ("README.MD", "", "markdown"),
        ("docs/usage.rst", "", "rst"),
        ("report.PDF", "", "pdf"),
        ("CMakeLists.txt", "", "cmake"),
        ("notes.txt", "", "text"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("pyproject.toml", "", "toml"),
        (".github/workflows/ci.yml", "", "yaml"),
        ("schema.sql", "", "sql"),
        ("LICENSE", "", "text"),
        ("bin/run", "#!/usr/bin/env python3", "python"),
        ("bin/run", "#!/usr/bin/env -S node --no-warnings", "javascript"),
        ("bin/run", "#!/bin/bash -e", "shell"),
        ("bin/run", "#!/usr/bin/python3.11", "python"),
        ("bin/run", "#! /usr/local/bin/ruby", "ruby"),
        ("bin/run", "<?php", "php"),
        ("bin/run", "no shebang", ""),
        ("mystery.xyz", "", ""),
        ("folder.py/mystery", "", ""),
    ],
)
def test_language_is_found_by_name_then_by_first_line(path: str, first_line: str, language: str) -> None:
    assert language_of(path, first_line) == language


def _kinds_in_paths(paths: list[str]) -> set[str]:
    steps = [step for path in paths for option in path.split("|") for step in option.split("/")]
    return {kind for step in steps if step[0] in "@>" for kind in step[1:].split(",")}


def _fields_in_paths(paths: list[str]) -> set[str]:
    steps = [step for path in paths for option in path.split("|") for step in option.split("/")]
    return {step for step in steps if step[0] not in "@>="}


def _paths(row: Language) -> list[str]:
    conditions = [condition.partition(" = ")[0] for condition in row.only_with.values()]
    names = [path for rule in row.names.values() for path in rule.split(" ")]
    return [*conditions, *names, *row.wrappers.values(), *row.bodies.values()]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_kind_and_field_of_a_row_exists_in_its_grammar(name: str) -> None:
    row = LANGUAGES[name]
    grammar = get_language(cast(Any, row.grammar))
    kinds = {grammar.node_kind_for_id(i) for i in range(grammar.node_kind_count)}
    fields = {grammar.field_name_for_id(i) for i in range(1, grammar.field_count + 1)}
    mentioned = set().union(
        row.units, row.containers, row.namespaces, row.values, row.transparent, row.attributes, row.comments
    )
    mentioned |= {*row.only_with, *row.wrappers, *row.imports, *row.names, *row.bodies}
    mentioned |= {kind for rule in row.only_with.values() for kind in rule.partition(" = ")[2].split()}
    paths = [path for path in _paths(row) if not path.startswith("=")]
    assert mentioned | _kinds_in_paths(paths) <= kinds
    assert _fields_in_paths(paths) <= fields


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_pattern_of_a_row_has_one_group(name: str) -> None:
    row = LANGUAGES[name]
    patterns = [*row.imports.values(), *filter(None, [row.title])]
    assert [re.compile(pattern).groups for pattern in patterns] == [1] * len(patterns)


@pytest.mark.parametrize("name", LANGUAGES)
def test_fallback_is_another_row(name: str) -> None:
    fallback = LANGUAGES[name].fallback
    assert fallback == "" or (fallback in LANGUAGES and fallback != name)
