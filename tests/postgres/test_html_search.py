"""Web pages are found by their words, not by their markup, and quoted as they stand in the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from brain_dagster.settings import Settings
from brain_dagster.store.pool import Database
from tests.support.pipeline import add_folder, sync

Run = Callable[..., tuple[int, str, str]]

GUIDE = """<!DOCTYPE html>
<html><head><title>Proofing baskets</title>
<meta name="description" content="Which basket suits which loaf.">
<meta http-equiv="content-type" content="text/html; charset=windows-1251"></head>
<body class="zebracard">
<h1>Baskets</h1>
<p class="zebracard wide" title="zebracard">Rattan keeps the cr<b>umb</b> airy &amp; dry. Мука липнет.</p>
<script>var zebracard = 1;</script>
</body></html>
"""


def ask(brain: Run, question: str) -> list[dict[str, Any]]:
    code, out, err = brain("search", question, "--as", "ann", "--mode", "lexical", "--json")
    assert (code, err) == (0, "")
    excerpts: list[dict[str, Any]] = json.loads(out)["excerpts"]
    return excerpts


def test_page_is_found_by_its_words_and_not_by_a_class(brain: Run, db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "bakery"
    folder.mkdir()
    (folder / "baskets.html").write_bytes(
        GUIDE.replace("<script>var zebracard = 1;</script>\n", "").encode("cp1251")
    )
    (folder / "flour.html").write_text("<h1>Flour</h1><p>Rye wants more water than wheat.</p>")
    (folder / "zebra.md").write_text("# Animals\n\nA card about the zebra.\n")
    add_folder(db, "bakery", folder)
    sync(db, "bakery", Settings(home=tmp_path / "home"))
    db.run("UPDATE brain.collection SET inline_token_limit = 0")

    best = ask(brain, "airy crumb of rattan")[0]
    assert best["path"] == "baskets.html"
    assert best["start_line"] == 6
    assert "cr<b>umb</b> airy &amp; dry" in best["text"]  # quoted as it stands in the file
    assert ask(brain, "мука липнет")[0]["path"] == "baskets.html"  # encoded as the page itself declares
    assert ask(brain, "water for rye")[0]["path"] == "flour.html"
    assert [each["path"] for each in ask(brain, "zebracard")] == []
    assert db.all(
        "SELECT title, metadata->>'description' FROM brain.document WHERE path = 'baskets.html'"
    ) == [("Proofing baskets", "Which basket suits which loaf.")]


def test_script_of_a_page_is_found_apart_from_its_prose(brain: Run, db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "bakery"
    folder.mkdir()
    (folder / "baskets.html").write_text(GUIDE.replace("windows-1251", "utf-8"))
    add_folder(db, "bakery", folder)
    sync(db, "bakery", Settings(home=tmp_path / "home"))
    texts = db.all("SELECT kind, text FROM brain.chunk ORDER BY ordinal")
    (script,) = [text for kind, text in texts if kind == "module"]
    assert script.startswith("<script>var zebracard = 1;</script>")
    assert "Rattan" not in script
