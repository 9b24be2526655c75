"""The code map in the store: made from what was published, kept in step, read within scope."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from brain_dagster.codemap import refresh
from brain_dagster.codemap.base import MAX_FILE_CHARS
from brain_dagster.codemap.mapping import CODE_MAP_RECIPE
from brain_dagster.codemap.refresh import CodeMapCounts, refresh_code_map
from brain_dagster.errors import UnknownSource
from brain_dagster.model import Principal
from brain_dagster.store import codemap as store
from brain_dagster.store.codemap import code_map_of
from brain_dagster.store.pool import Database

ANN = Principal("ann")

APP = '@app.get("/users")\ndef users(): ...\n\n\nif __name__ == "__main__":\n    serve()\n'
REQUIREMENTS = "httpx>=0.27\nuvicorn\n"


def make_source(db: Database, key: str = "shop", reader: str | None = "ann") -> int:
    with db.transaction() as connection:
        collection = connection.execute(
            "INSERT INTO brain.collection (name, owner) VALUES (%s, 'ann') RETURNING id", (key,)
        ).fetchone()
        assert collection is not None
        if reader:
            connection.execute(
                "INSERT INTO brain.collection_reader (collection_id, reader, granted_by)"
                " VALUES (%s, %s, 'ann')",
                (collection[0], reader),
            )
        source = connection.execute(
            "INSERT INTO brain.source (key, collection_id, kind, location, added_by, revision)"
            " VALUES (%s, %s, 'folder', '/x', 'ann', 'r1') RETURNING id",
            (key, collection[0]),
        ).fetchone()
        assert source is not None
    return int(source[0])


def publish(
    db: Database, source_id: int, path: str, *texts: str, generation: int = 1, language: str = ""
) -> None:
    """Put a document into the store as publishing does: its row, and its text in chunks that tile it."""
    chars = sum(map(len, texts))
    with db.transaction() as connection:
        row = connection.execute(
            "INSERT INTO brain.document AS d (source_id, collection_id, path_bytes, path, content_hash,"
            " change_token, state, language, char_count, chunk_count, recipe, generation, revision)"
            " SELECT id, collection_id, convert_to(%(path)s, 'UTF8'), %(path)s, 'h', 't', 'ready',"
            " %(language)s, %(chars)s, %(chunks)s, 'r', %(generation)s, 'rev'"
            " FROM brain.source WHERE id = %(source)s"
            " ON CONFLICT (source_id, path_key) DO UPDATE SET state = 'ready', reason_code = NULL,"
            " reason = NULL, language = EXCLUDED.language, char_count = EXCLUDED.char_count,"
            " chunk_count = EXCLUDED.chunk_count, generation = EXCLUDED.generation"
            " RETURNING d.id, d.collection_id",
            {
                "path": path,
                "language": language,
                "chars": chars,
                "chunks": len(texts),
                "generation": generation,
                "source": source_id,
            },
        ).fetchone()
        assert row is not None
        connection.execute("DELETE FROM brain.chunk WHERE document_id = %s", (row[0],))
        for ordinal, text in enumerate(texts):
            connection.execute(
                "INSERT INTO brain.chunk (document_id, source_id, collection_id, generation, ordinal, kind,"
                " start_line, end_line, text, context, context_kind, context_model, context_prompt_hash,"
                " context_state, tokens, embed_key, terms, bm25)"
                " VALUES (%s, %s, %s, %s, %s, 'lines', 1, 1, %s, '', 'structure', 'm', '', 'ok', 1, '', '{}',"
                " '{1:1}/5')",
                (row[0], source_id, row[1], generation, ordinal, text),
            )


def fail(db: Database, path: str, generation: int) -> None:
    """Publish that a document could not be read any more."""
    with db.transaction() as connection:
        connection.execute(
            "DELETE FROM brain.chunk c USING brain.document d WHERE d.id = c.document_id AND d.path = %s",
            (path,),
        )
        connection.execute(
            "UPDATE brain.document SET state = 'failed', reason_code = 'x', reason = 'x', chunk_count = 0,"
            " generation = %s WHERE path = %s",
            (generation, path),
        )


def mapped(db: Database, key: str = "shop") -> list[tuple[str, str, str, int]]:
    return [(e.kind, e.name, e.path, e.line) for e in code_map_of(db, ANN, key).entries]


@pytest.fixture
def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths whose text was read, in order."""
    paths: list[str] = []
    read = refresh.stored_texts

    def spy(db: Database, ids: list[int], max_chars: int) -> list[store.StoredText]:
        found = read(db, ids, max_chars)
        paths.extend(text.path for text in found)
        return found

    monkeypatch.setattr(refresh, "stored_texts", spy)
    return paths


def test_map_is_made_from_the_chunks_in_their_order(db: Database) -> None:
    source = make_source(db)
    publish(db, source, "app.py", *APP.splitlines(keepends=True))
    publish(db, source, "api/requirements.txt", REQUIREMENTS)
    publish(db, source, "README.md", "# Not code\n")
    assert refresh_code_map(db, source, 1) == CodeMapCounts(
        mapped_documents=2, manifests=1, dependencies=2, entry_points=1, routes=1
    )
    assert mapped(db) == [
        ("manifest", "requirements.txt", "api/requirements.txt", 1),
        ("dependency", "httpx", "api/requirements.txt", 1),
        ("dependency", "uvicorn", "api/requirements.txt", 2),
        ("entry_point", "app.py", "app.py", 5),
        ("route", "GET /users", "app.py", 1),
    ]


def test_kinds_come_in_reading_order_and_are_counted(db: Database) -> None:
    source = make_source(db)
    publish(db, source, "a.py", APP)
    publish(db, source, "package.json", '{"name": "p",\n"workspaces": ["x"],\n"dependencies": {"y": "1"}}')
    counts = refresh_code_map(db, source, 1)
    assert counts == CodeMapCounts(2, 1, 1, 1, 1, workspaces=1)
    assert [kind for kind, *_ in mapped(db)] == [
        "manifest",
        "dependency",
        "workspace",
        "entry_point",
        "route",
    ]


def test_second_refresh_reads_nothing_also_of_documents_without_entries(
    db: Database, texts_read: list[str]
) -> None:
    source = make_source(db)
    publish(db, source, "app.py", APP)
    publish(db, source, "plain.py", "x = 1\n")
    refresh_code_map(db, source, 1)
    assert texts_read == ["app.py", "plain.py"]
    texts_read.clear()
    assert refresh_code_map(db, source, 2).mapped_documents == 0
    assert texts_read == []


def test_only_what_was_published_again_is_mapped_again(db: Database, texts_read: list[str]) -> None:
    source = make_source(db)
    publish(db, source, "app.py", APP)
    publish(db, source, "requirements.txt", REQUIREMENTS)
    refresh_code_map(db, source, 1)
    texts_read.clear()
    publish(db, source, "requirements.txt", "flask\n", generation=2)
    assert refresh_code_map(db, source, 2).mapped_documents == 1
    assert texts_read == ["requirements.txt"]
    assert [name for kind, name, _, _ in mapped(db) if kind == "dependency"] == ["flask"]


def test_documents_that_cannot_matter_are_never_read(db: Database, texts_read: list[str]) -> None:
    source = make_source(db)
    for path in ("a.md", "notes.txt", "data.json", "lib.c", "Cargo.lock"):
        publish(db, source, path, APP)
    publish(db, source, "bin/tool", APP, language="python")
    refresh_code_map(db, source, 1)
    assert texts_read == ["bin/tool"]


def test_a2_deleted_document_leaves_the_map(db: Database) -> None:
    source = make_source(db)
    publish(db, source, "app.py", APP)
    refresh_code_map(db, source, 1)
    assert mapped(db)
    db.run("DELETE FROM brain.document WHERE path = 'app.py'")
    assert mapped(db) == []


def test_document_that_fails_leaves_the_map_and_returns_with_its_text(db: Database) -> None:
    source = make_source(db)
    publish(db, source, "requirements.txt", REQUIREMENTS)
    refresh_code_map(db, source, 1)
    fail(db, "requirements.txt", 2)
    assert mapped(db) == []
    assert refresh_code_map(db, source, 2) == CodeMapCounts(0, 0, 0, 0, 0)
    publish(db, source, "requirements.txt", "flask\n", generation=3)
    refresh_code_map(db, source, 3)
    assert [name for _, name, _, _ in mapped(db)] == ["requirements.txt", "flask"]


def test_document_that_is_no_longer_a_script_loses_its_entries(db: Database) -> None:
    source = make_source(db)
    publish(db, source, "bin/tool", APP, language="python")
    refresh_code_map(db, source, 1)
    assert len(mapped(db)) == 2
    publish(db, source, "bin/tool", "words\n", generation=2)
    refresh_code_map(db, source, 2)
    assert mapped(db) == []


def test_another_recipe_maps_everything_again(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_source(db)
    publish(db, source, "app.py", APP)
    refresh_code_map(db, source, 1)
    monkeypatch.setattr(refresh, "CODE_MAP_RECIPE", CODE_MAP_RECIPE + "-next")
    assert refresh_code_map(db, source, 1).mapped_documents == 1
    assert refresh_code_map(db, source, 1).mapped_documents == 0
    assert len(mapped(db)) == 2


def test_a7_document_published_while_it_was_mapped_stays_due(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_source(db)
    publish(db, source, "requirements.txt", REQUIREMENTS)
    read = refresh.stored_texts

    def overtaken(db: Database, ids: list[int], max_chars: int) -> list[store.StoredText]:
        found = read(db, ids, max_chars)
        publish(db, source, "requirements.txt", "flask\n", generation=2)
        return found

    monkeypatch.setattr(refresh, "stored_texts", overtaken)
    assert refresh_code_map(db, source, 1).mapped_documents == 0
    assert mapped(db) == []
    monkeypatch.setattr(refresh, "stored_texts", read)
    refresh_code_map(db, source, 2)
    assert [name for _, name, _, _ in mapped(db)] == ["requirements.txt", "flask"]


def test_document_too_large_to_read_is_named_if_it_is_a_manifest(db: Database, texts_read: list[str]) -> None:
    source = make_source(db)
    publish(db, source, "package.json", "{}")
    publish(db, source, "app.py", APP)
    db.run("UPDATE brain.document SET char_count = %s", (MAX_FILE_CHARS + 1,))
    refresh_code_map(db, source, 1)
    found = code_map_of(db, ANN, "shop").entries
    assert [(entry.name, entry.detail) for entry in found] == [("package.json", "too large to be read")]


def test_more_documents_than_a_batch_are_all_mapped(db: Database) -> None:
    source = make_source(db)
    for number in range(60):
        publish(db, source, f"p{number:02}/requirements.txt", "httpx\n")
    assert refresh_code_map(db, source, 1) == CodeMapCounts(60, 60, 60, 0, 0)


def test_i3_unknown_and_forbidden_sources_look_the_same(db: Database) -> None:
    source = make_source(db, reader=None)
    publish(db, source, "app.py", APP)
    refresh_code_map(db, source, 1)
    with pytest.raises(UnknownSource) as forbidden:
        code_map_of(db, ANN, "shop")
    with pytest.raises(UnknownSource) as unknown:
        code_map_of(db, ANN, "no-such-source")
    assert replace(forbidden.value.shape(), subject="") == replace(unknown.value.shape(), subject="")


def test_i3_a_group_may_read_and_a_revoked_reader_may_not(db: Database) -> None:
    make_source(db, reader="group:engineers")
    assert code_map_of(db, Principal("bob", ("engineers",)), "shop").entries == ()
    db.run("DELETE FROM brain.collection_reader")
    with pytest.raises(UnknownSource):
        code_map_of(db, Principal("bob", ("engineers",)), "shop")


def test_i10_refreshing_one_source_leaves_the_other_alone(db: Database) -> None:
    first, second = make_source(db, "shop"), make_source(db, "blog")
    for source in (first, second):
        publish(db, source, "requirements.txt", REQUIREMENTS)
        refresh_code_map(db, source, 1)
    publish(db, first, "requirements.txt", "flask\n", generation=2)
    refresh_code_map(db, first, 2)
    assert [name for kind, name, _, _ in mapped(db, "blog") if kind == "dependency"] == ["httpx", "uvicorn"]


REFRESH = """
import sys
from brain_dagster.codemap.refresh import refresh_code_map
from brain_dagster.store.pool import Database
refresh_code_map(Database(sys.argv[1], size=2), int(sys.argv[2]), 2)
"""


@pytest.mark.parametrize(
    "point", ["code_map.after_delete", "code_map.after_entries", "code_map.before_commit"]
)
def test_a1_kill_at_every_step_leaves_the_old_map_and_a_rerun_the_new(
    db: Database, db_url: str, point: str
) -> None:
    source = make_source(db)
    publish(db, source, "requirements.txt", REQUIREMENTS)
    refresh_code_map(db, source, 1)
    publish(db, source, "requirements.txt", "flask\n", generation=2)
    killed = subprocess.run(
        [sys.executable, "-c", REFRESH, db_url, str(source)],
        env={**os.environ, "BRAIN_FAULT_POINTS": f"kill:{point}"},
        check=False,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL
    assert [name for kind, name, _, _ in mapped(db) if kind == "dependency"] == ["httpx", "uvicorn"]
    assert refresh_code_map(db, source, 2) == CodeMapCounts(1, 1, 1, 0, 0)
    assert [name for kind, name, _, _ in mapped(db) if kind == "dependency"] == ["flask"]
