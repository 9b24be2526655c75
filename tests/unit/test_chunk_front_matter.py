"""What a document says of itself becomes metadata; what cannot be read stays in the text, with a warning."""

from __future__ import annotations

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.blocks.front_matter import flat, read_front_matter

YAML = """---
title: Keeping bees
tags: [bees, city]
author:
  name: Ada
  town: London
date: 2024-05-01
version: 1.10
draft: no
empty:
nothing: null
reviewers:
  - name: Bo
  - name: Cy
---
# Heading
"""
TOML = """+++
title = "Keeping bees"
tags = ["bees", "city"]
date = 2024-05-01
draft = false
[author]
name = "Ada"
+++
# Heading
"""
JSON = """{
"title": "Keeping bees",
"tags": ["bees", "city"],
"weight": 3,
"author": {"name": "Ada"}
}

# Heading
"""


@pytest.mark.parametrize(
    ("text", "language", "metadata"),
    [
        (
            YAML,
            "markdown",
            {
                "title": "Keeping bees",
                "tags": "bees, city",
                "author.name": "Ada",
                "author.town": "London",
                "date": "2024-05-01",
                "version": "1.10",
                "draft": "no",
                "reviewers": "Bo, Cy",
            },
        ),
        (
            TOML,
            "markdown",
            {
                "title": "Keeping bees",
                "tags": "bees, city",
                "date": "2024-05-01",
                "draft": "false",
                "author.name": "Ada",
            },
        ),
        (
            JSON,
            "markdown",
            {"title": "Keeping bees", "tags": "bees, city", "weight": "3", "author.name": "Ada"},
        ),
        (
            "Title\n=====\n\n:Author: Ada\n:Version: 2\n:Abstract: Bees\n   and how to keep them\n\nText.\n",
            "rst",
            {
                "author": "Ada",
                "version": "2",
                "abstract": "Bees and how to keep them",
                "description": "Bees and how to keep them",
            },
        ),
        (
            ".. meta::\n   :description: All about bees\n   :keywords: bees, city\n\nTitle\n=====\n\nText.\n",
            "rst",
            {"description": "All about bees", "keywords": "bees, city", "tags": "bees, city"},
        ),
        (
            "// remark\n= Title\nAda Green <ada@a.org>\n2024-03-09\n:summary: Bees\n:!toc:\n:no:\n\ntext\n",
            "asciidoc",
            {"author": "Ada Green", "date": "2024-03-09", "summary": "Bees", "description": "Bees"},
        ),
        (
            "#+title: Bees\n#+FILETAGS: :a:b:\n#+STARTUP: fold\n\ntext\n",
            "org",
            {"title": "Bees", "tags": "a, b"},
        ),
    ],
)
def test_what_a_document_says_of_itself_is_metadata(
    text: str, language: str, metadata: dict[str, str]
) -> None:
    document = chunk_text(text, language, 100)
    assert document.metadata == metadata
    assert document.warnings == ()
    assert "".join(chunk.text for chunk in document.chunks) == text


def test_title_of_the_front_matter_wins_over_the_first_heading() -> None:
    assert [chunk_text(text, "markdown", 100).title for text in (YAML, TOML, JSON)] == ["Keeping bees"] * 3


@pytest.mark.parametrize(
    ("text", "warning", "metadata"),
    [
        (
            "---\ntitle: Bees: how to keep them\ntags: a\n---\n# H\n",
            "parsed partially: front matter not read: no valid YAML at line 2",
            {"title": "Bees: how to keep them", "tags": "a"},
        ),
        (
            "---\nlist: [1, 2\nb: 3\n---\n# H\n",
            "parsed partially: front matter not read: no valid YAML at line 3",
            {"list": "[1, 2", "b": "3"},
        ),
        (
            "---\na: &x [lol, lol]\nb: *x\n---\n# H\n",
            "parsed partially: front matter not read: YAML anchors and aliases are not followed",
            {"a": "&x [lol, lol]", "b": "*x"},
        ),
        (
            "---\n? [a, b]\n: c\n---\n# H\n",
            "parsed partially: front matter not read: no valid YAML at line 2",
            {},
        ),
        (
            "+++\ntitle = bees\n+++\n# H\n",
            "parsed partially: front matter not read: no valid TOML",
            {"title": "bees"},
        ),
        (
            f"---\ndeep: {'[' * 9_000}\n---\n# H\n",
            "parsed partially: front matter not read: nested too deep",
            {"deep": "[" * 1_000},
        ),
        (
            f"---\nlong: {'x' * 70_000}\n---\n# H\n",
            "parsed partially: front matter of more than 64 kB not read",
            {},
        ),
    ],
)
def test_broken_front_matter_gives_a_warning_and_loses_nothing(
    text: str, warning: str, metadata: dict[str, str]
) -> None:
    document = chunk_text(text, "markdown", 100)
    assert document.warnings == (warning,)
    assert document.metadata == metadata
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert document.outline == ("H",)


def test_billion_laughs_stay_unread() -> None:
    lines = [
        "a0: &a0 [lol, lol, lol]",
        *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 30)),
    ]
    assert "anchors" in read_front_matter("\n".join(lines), "yaml").warning


def test_yaml_makes_no_objects() -> None:
    found = read_front_matter("x: !!python/object/apply:os.system ['exit 1']\ny: 1\n", "yaml")
    assert found.metadata.get("x", "") in ("", "exit 1")


def test_metadata_is_bounded() -> None:
    found = flat(
        {f"key{number}": "v" * 5_000 for number in range(200)} | {"a": {"b": {"c": {"d": "too deep"}}}}
    )
    assert len(found) == 50
    assert max(map(len, found.values())) == 1_000
    assert flat({"a": {"b": {"c": {"d": "too deep"}}, "e": "seen"}}) == {"a.e": "seen"}


def test_mere_rules_at_the_top_are_no_metadata() -> None:
    document = chunk_text("---\nJust a sentence between rules.\n---\n# H\n", "markdown", 100)
    assert (document.metadata, document.warnings) == ({}, ())
