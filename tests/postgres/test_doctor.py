"""Every invariant fires when its rule is broken by hand, and only then."""

from __future__ import annotations

import pytest

from brain_dagster.store.doctor import check_invariants, diagnose, invariant_names, read_all_versions
from brain_dagster.store.migrate import migrate
from brain_dagster.store.pool import Database
from tests.support.seed import Passage, add_collection, add_document, add_source, add_space


@pytest.fixture
def healthy(db: Database) -> Database:
    """A store in order: a document of two chunks, with vectors, from a finished run; a spare collection."""
    add_collection(db, "spare")
    source = add_source(db, "wiki", add_collection(db, "handbook"))
    add_document(
        db,
        source,
        "a.md",
        [Passage("apples and pears", (1, 0, 0, 0)), Passage("plums", (0, 1, 0, 0))],
        space=add_space(db),
    )
    db.run("UPDATE brain.chunk SET start_byte = 0, end_byte = 16 WHERE ordinal = 0")
    db.run("UPDATE brain.chunk SET start_byte = 16, end_byte = 21 WHERE ordinal = 1")
    db.run(
        "INSERT INTO brain.sync_run (source_id, generation, run_key, state, revision, listing_token,"
        " listing_is_complete, recipe, listed, finished_at)"
        " VALUES (%s, 1, 'run', 'done', 'r1', 't', true, 'r', 2, now())",
        (source,),
    )
    db.run(
        "INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome, rule, reason)"
        " SELECT r.id, sha256(p.path::bytea), p.path::bytea, p.path, p.outcome, 'x', 'x'"
        " FROM brain.sync_run r, (VALUES ('a.md', 'indexed'), ('b.bin', 'skipped'), ('c.md', 'deleted'))"
        " AS p (path, outcome)"
    )
    return db


# What breaks the rule, and every rule that it breaks.
CORRUPTIONS = {
    "chunk_without_document": (
        "DELETE FROM brain.document",
        {"chunk_without_document"},
    ),
    "ready_without_chunks": (
        "DELETE FROM brain.chunk; DELETE FROM brain.chunk_embedding; DELETE FROM brain.source_term",
        {"ready_without_chunks", "chunk_count_wrong"},
    ),
    "chunk_count_wrong": (
        "UPDATE brain.document SET chunk_count = 3",
        {"chunk_count_wrong"},
    ),
    "mixed_generations": (
        "UPDATE brain.chunk SET generation = 2 WHERE ordinal = 1",
        {"mixed_generations"},
    ),
    "spans_with_gaps": (
        "UPDATE brain.chunk SET start_byte = 17 WHERE ordinal = 1",
        {"spans_with_gaps"},
    ),
    "ordinals_with_gaps": (
        "UPDATE brain.chunk SET ordinal = 2 WHERE ordinal = 1",
        {"ordinals_with_gaps"},
    ),
    "chunk_in_wrong_source": (
        "UPDATE brain.chunk SET collection_id = (SELECT id FROM brain.collection WHERE name = 'spare');"
        " UPDATE brain.chunk_embedding SET collection_id ="
        " (SELECT id FROM brain.collection WHERE name = 'spare')",
        {"chunk_in_wrong_source"},
    ),
    "embedding_in_wrong_collection": (
        "UPDATE brain.chunk_embedding"
        " SET collection_id = (SELECT id FROM brain.collection WHERE name = 'spare')",
        {"embedding_in_wrong_collection"},
    ),
    "embedding_without_chunk": (
        "INSERT INTO brain.chunk_embedding SELECT 999, space_id, width, collection_id, embedding"
        " FROM brain.chunk_embedding LIMIT 1",
        {"embedding_without_chunk"},
    ),
    "chunk_without_embedding": (
        "DELETE FROM brain.chunk_embedding WHERE chunk_id = (SELECT min(id) FROM brain.chunk)",
        {"chunk_without_embedding"},
    ),
    "term_counts_wrong": (
        "UPDATE brain.source_term SET chunks = chunks + 1"
        " WHERE term = (SELECT min(term) FROM brain.source_term)",
        {"term_counts_wrong"},
    ),
    "item_without_outcome": (
        "DELETE FROM brain.outcome WHERE path = 'b.bin'",
        {"item_without_outcome"},
    ),
    "running_without_lock": (
        "UPDATE brain.sync_run SET state = 'running', finished_at = NULL",
        {"running_without_lock"},
    ),
    "two_runs_of_one_source": (
        "UPDATE brain.sync_run SET state = 'running', finished_at = NULL;"
        " INSERT INTO brain.sync_run (source_id, generation, run_key, state, revision, listing_token,"
        " listing_is_complete, recipe, listed) SELECT source_id, 2, 'b', 'running', 'r1', 't', true, 'r', 0"
        " FROM brain.sync_run",
        {"two_runs_of_one_source", "running_without_lock"},
    ),
    "invalid_index": (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'brain.chunk_by_source'::regclass",
        {"invalid_index"},
    ),
}


def broken(db: Database) -> set[str]:
    return {violation.invariant for violation in check_invariants(db)}


def corrupt(db: Database, statements: str) -> None:
    """Run statements past the foreign keys that would refuse them."""
    connection = db.direct()
    connection.execute("SELECT set_config('session_replication_role', 'replica', false)")
    connection.execute(statements.encode())
    connection.close()


def test_there_is_a_corruption_for_every_invariant() -> None:
    assert set(CORRUPTIONS) == set(invariant_names())


def test_store_in_order_and_empty_store_break_no_rule(healthy: Database) -> None:
    assert check_invariants(healthy) == ()
    healthy.run("DELETE FROM brain.collection")
    assert check_invariants(healthy) == ()


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_broken_rule_fires_and_names_the_subject(healthy: Database, name: str) -> None:
    statements, expected = CORRUPTIONS[name]
    corrupt(healthy, statements)
    found = check_invariants(healthy)
    assert {violation.invariant for violation in found} == expected
    assert all(violation.subject and violation.words for violation in found)


def test_term_that_was_never_counted_is_noticed_too(healthy: Database) -> None:
    healthy.run("DELETE FROM brain.source_term WHERE term = (SELECT min(term) FROM brain.source_term)")
    assert broken(healthy) == {"term_counts_wrong"}


def test_vector_of_a_retired_space_does_not_count(healthy: Database) -> None:
    healthy.run("UPDATE brain.embedding_space SET state = 'retired'")
    assert broken(healthy) == {"chunk_without_embedding"}


def test_b3_recorded_embedding_failure_is_no_violation(healthy: Database) -> None:
    healthy.run("DELETE FROM brain.chunk_embedding WHERE chunk_id = (SELECT min(id) FROM brain.chunk)")
    healthy.run(
        "INSERT INTO brain.embedding_failure (space_id, key, reason)"
        " SELECT p.id, c.embed_key, 'nan' FROM brain.embedding_space p, brain.chunk c LIMIT 1"
    )
    assert check_invariants(healthy) == ()


def test_a5_running_run_is_fine_while_a_connection_holds_its_source(healthy: Database) -> None:
    corrupt(healthy, CORRUPTIONS["running_without_lock"][0])
    holder = healthy.direct()
    holder.execute("SELECT pg_advisory_lock(hashtext('brain.source'), (SELECT id FROM brain.source))")
    assert check_invariants(healthy) == ()
    holder.close()


def test_run_whose_old_outcomes_were_pruned_is_not_looked_at(healthy: Database) -> None:
    corrupt(healthy, CORRUPTIONS["item_without_outcome"][0])
    healthy.run("UPDATE brain.sync_run SET outcomes_pruned = true")
    assert check_invariants(healthy) == ()


def test_one_bad_document_gives_one_line_and_a_flood_is_capped(healthy: Database) -> None:
    corrupt(
        healthy,
        "INSERT INTO brain.document (source_id, collection_id, path_bytes, path, content_hash, change_token,"
        " state, char_count, chunk_count, recipe, generation, revision)"
        " SELECT source_id, collection_id, n::text::bytea, n::text, 'h', 't', 'ready', 1, 1, 'r', 1, 'r1'"
        " FROM brain.document, generate_series(1, 150) n",
    )
    found = [v for v in check_invariants(healthy) if v.invariant == "ready_without_chunks"]
    assert len(found) == 100
    assert found[0].subject == "wiki:1"


def test_diagnosis_names_the_versions_and_the_search_role(db: Database) -> None:
    migrate(db.url)
    found = diagnose(db)
    assert found.is_healthy
    assert found.search_role == "usable"
    assert found.versions == read_all_versions(db)
    assert found.versions.postgresql.split(".")[0].isdigit()
    assert found.versions.pgvector.startswith("0.8.")
    assert found.versions.schema == found.versions.schema_needed
