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
        ("app.properties", "", "properties"),
        ("honeycomb.service", "", "ini"),
        ("site.sass", "", "sass"),
        (".github/workflows/ci.yml", "", "yaml"),
        ("schema.sql", "", "sql"),
        ("LICENSE", "", "text"),
        ("bin/run", "#!/usr/bin/env python3", "python"),
        ("bin/run", "#!/usr/bin/env -S node --no-warnings", "javascript"),
        ("bin/run", "#!/bin/bash -e", "shell"),
        ("bin/run", "#!/usr/bin/python3.11", "python"),
        ("bin/run", "#! /usr/local/bin/ruby", "ruby"),
        ("bin/run", "<?php", "php"),
        ("bin/run", "#!/usr/bin/env escript", "erlang"),
        ("bin/run", "#!/usr/bin/env -S julia --project", "julia"),
        ("t/berth.t", "", "perl"),
        ("press.mli", "", "ocaml"),
        ("bin/run", "no shebang", ""),
        ("build.gradle", "", "groovy"),
        ("build.gradle.kts", "", "kotlin"),
        ("ci/Jenkinsfile", "", "groovy"),
        ("View.mm", "", "objc"),
        ("Ladder.fsi", "", "fsharp"),
        ("build.fsx", "", "fsharp"),
        ("Token.sol", "", "solidity"),
        ("mystery.xyz", "", ""),
        ("folder.py/mystery", "", ""),
    ],
)
def test_language_is_found_by_name_then_by_first_line(path: str, first_line: str, language: str) -> None:
    assert language_of(path, first_line) == language


def _kinds_in_paths(paths: list[str]) -> set[str]:
    return {kind for step in _steps(paths) if step[0] in "@><" for kind in step[1:].split(",") if kind}


def _fields_in_paths(paths: list[str]) -> set[str]:
    return {step for step in _steps(paths) if step[0] not in "@><"}


def _steps(paths: list[str]) -> list[str]:
    options = [option for path in paths for option in path.split("|") if not option.startswith("=")]
    return [step for option in options for step in option.split("/")]


def _pieces(row: Language) -> set[str]:
    rules = [rule for rule in row.names.values() if rule.startswith("*")]
    return {piece.partition("=")[0] for rule in rules for piece in rule[1:].split(",")}


def _paths(row: Language) -> list[str]:
    conditions = [condition.partition(" = ")[0] for condition in row.only_with.values()]
    names = [path for rule in row.names.values() for path in rule.split(" ") if not path.startswith("*")]
    return [*conditions, *names, *row.wrappers.values(), *row.bodies.values()]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_kind_and_field_of_a_row_exists_in_its_grammar(name: str) -> None:
    row = LANGUAGES[name]
    grammar = get_language(cast(Any, row.grammar))
    kinds = {grammar.node_kind_for_id(i) for i in range(grammar.node_kind_count)}
    fields = {grammar.field_name_for_id(i) for i in range(1, grammar.field_count + 1)}
    mentioned = (
        set()
        .union(
            row.units,
            row.containers,
            row.namespaces,
            row.values,
            row.transparent,
            row.attributes,
            row.comments,
        )
        .union(row.groups, row.tails, row.spills, row.forms, _pieces(row))
    )
    mentioned |= {*row.only_with, *row.wrappers, *row.imports, *row.names, *row.bodies}
    mentioned |= {*row.docs, *row.afterthoughts, *row.repeats, *row.sections, *row.modules, *row.members}
    mentioned |= {kind for inside in row.members.values() for kind in inside.split()}
    mentioned |= {kind for rule in row.only_with.values() for kind in rule.partition(" = ")[2].split()}
    assert mentioned | _kinds_in_paths(_paths(row)) <= kinds
    assert _fields_in_paths(_paths(row)) <= fields


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_pattern_of_a_row_has_one_group(name: str) -> None:
    row = LANGUAGES[name]
    patterns = [*row.imports.values(), *row.modules.values(), *filter(None, [row.title])]
    assert [re.compile(pattern).groups for pattern in patterns] == [1] * len(patterns)


@pytest.mark.parametrize("name", LANGUAGES)
def test_fallback_is_another_row(name: str) -> None:
    assert set(LANGUAGES[name].fallback.split()) <= set(LANGUAGES) - {name}


@pytest.mark.parametrize("name", LANGUAGES)
def test_what_is_rewritten_leaves_lines_alone(name: str) -> None:
    row = LANGUAGES[name]
    for pattern, instead in row.rewrites.items():
        assert re.compile(pattern).groups >= instead.count("\\")
        assert re.search(pattern, "\n \n\n") is None


@pytest.mark.parametrize("name", LANGUAGES)
def test_forms_give_roles_that_exist(name: str) -> None:
    roles = {role for forms in LANGUAGES[name].forms.values() for role, _ in forms}
    assert roles <= {"unit", "container", "namespace", "value", "attribute", "comment"}
