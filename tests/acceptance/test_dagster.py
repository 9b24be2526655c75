"""The Dagster project: assets, checks, triggers, and what lands in an instance on a real PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets import triggers
from assets.launch import fail_dead_runs
from brain_dagster.definitions import defs
from brain_dagster.embed import SpaceEmbedder, bind_embedder
from brain_dagster.settings import settings
from brain_dagster.store import sources as registry
from brain_dagster.store.pool import Database
from resources.embedder import EmbedderResource
from resources.sources import SourcesResource
from resources.store import StoreResource
from tests.support.pipeline import WordHashEmbedder, add_folder, add_git
from tests.support.snapshots import texts_of

GRAPH = {
    "diff": set(),
    "chunks": {"diff"},
    "contexts": {"chunks"},
    "embeddings": {"contexts"},
    "search_index": {"embeddings"},
    "code_map": {"search_index"},
    "hnsw_index": {"search_index"},
    "goldset_evaluation": {"hnsw_index"},
}
CHECKS = {
    "diff": {"listing_is_complete"},
    "chunks": {"documents_have_text", "chunks_tile_their_files", "scanned_documents_were_read"},
    "embeddings": {"embeddings_are_complete", "no_embedding_failed"},
    "search_index": {"chunks_have_a_live_document", "listed_items_have_an_outcome"},
    "hnsw_index": {"index_answers_like_an_exact_scan"},
    "goldset_evaluation": {"recall_has_not_regressed"},
}


class WordHashResource(EmbedderResource):
    """Stands in for the model, which takes 8 s to load; the acceptance test of the tour uses the real one."""

    def open(self, db: Database) -> SpaceEmbedder:
        return bind_embedder(WordHashEmbedder(), db)


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.instance_for_test() as opened:
        yield opened


@pytest.fixture
def brain(db: Database, db_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A Brain whose settings come from the environment, as in a run worker."""
    monkeypatch.setenv("BRAIN_DATABASE_URL", db_url)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BRAIN_USER", "ann")
    settings.cache_clear()
    yield db
    settings.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "pages"
    place.mkdir()
    (place / "harbour.md").write_text("# Harbour\n\nShips are moored at the northern quay.\n")
    (place / "lamp.py").write_text("def light_the_lamp():\n    return 'lit'\n")
    time.sleep(2.1)  # the change time of a file younger than two seconds proves nothing
    return place


def run_sync(instance: dg.DagsterInstance, key: str) -> dg.ExecuteInProcessResult:
    """Run the sync job of one source with the stand-in model."""
    instance.add_dynamic_partitions("sources", [key])
    job = dg.Definitions(
        assets=[*(defs.assets or ())],
        asset_checks=[*(defs.asset_checks or ())],
        jobs=[one for one in defs.jobs or () if one.name == "sync_source"],
        resources={"store": StoreResource(), "embedder": WordHashResource(), "sources": SourcesResource()},
        executor=dg.in_process_executor,
    ).resolve_job_def("sync_source")
    return job.execute_in_process(instance=instance, partition_key=key, raise_on_error=False)


def test_asset_graph_is_the_designed_pipeline() -> None:
    graph = defs.resolve_asset_graph()
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }
    assert found == GRAPH


def test_every_asset_says_what_it_does_who_owns_it_and_what_it_is_made_of() -> None:
    graph = defs.resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description and len(node.description) > 60, key
        assert node.owners and node.kinds and node.code_version, key


def test_checks_stand_beside_their_assets() -> None:
    found: dict[str, set[str]] = {}
    for key in defs.resolve_asset_graph().asset_check_keys:
        found.setdefault(key.asset_key.to_user_string(), set()).add(key.name)
    assert found == CHECKS


def test_definitions_load_in_a_fresh_interpreter() -> None:
    code = "import brain_dagster.definitions as d, dagster as g; g.Definitions.validate_loadable(d.defs)"
    ended = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Warning" not in ended.stderr


def test_loading_the_definitions_imports_no_model_and_no_expectations() -> None:
    code = (
        "import sys, brain_dagster.definitions;"
        "print([m for m in ('torch', 'sentence_transformers', 'great_expectations') if m in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_sync_job_materializes_every_stage_with_numbers_and_checks_per_partition(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    add_folder(brain, "pages", folder)
    outcome = run_sync(instance, "pages")
    assert outcome.success
    for stage in ("diff", "chunks", "contexts", "embeddings", "search_index", "code_map"):
        assert instance.get_materialized_partitions(dg.AssetKey(stage)) == {"pages"}
    diff = outcome.asset_materializations_for_node("diff")[0].metadata
    assert (diff["listed"].value, diff["added"].value, diff["removed"].value) == (2, 2, 0)
    published = outcome.asset_materializations_for_node("search_index")[0].metadata
    assert (published["indexed"].value, published["failed"].value) == (2, 0)
    assert published["seconds"].value >= 0
    passed = {e.check_name: e.passed for e in outcome.get_asset_check_evaluations()}
    assert set(passed) == set().union(*(CHECKS[s] for s in ("diff", "chunks", "embeddings", "search_index")))
    assert all(passed.values())
    assert {e.partition for e in outcome.get_asset_check_evaluations()} == {"pages"}
    assert set(texts_of(brain, "pages")) == {b"harbour.md", b"lamp.py"}


def test_second_run_of_an_unchanged_source_embeds_nothing(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    add_folder(brain, "pages", folder)
    run_sync(instance, "pages")
    again = run_sync(instance, "pages")
    assert again.success
    embedded = again.asset_materializations_for_node("embeddings")[0].metadata
    assert (embedded["embedded"].value, embedded["model_calls"].value) == (0, 0)


def test_failed_blocking_check_stops_the_stage_after_it_for_that_partition(
    instance: dg.DagsterInstance, brain: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chunker that loses bytes: the check on the tiling fails, and nothing of the source is published."""
    from brain_dagster.store import staging

    honest = staging._chunk_rows

    def forgetful(source, read):  # type: ignore[no-untyped-def]
        for row in honest(source, read):
            yield (*row[:8], row[8] + 3, *row[9:])

    monkeypatch.setattr(staging, "_chunk_rows", forgetful)
    add_folder(brain, "pages", folder)
    outcome = run_sync(instance, "pages")
    assert not outcome.success
    failed = {e.check_name for e in outcome.get_asset_check_evaluations() if not e.passed}
    assert failed == {"chunks_tile_their_files"}
    assert not outcome.asset_materializations_for_node("search_index")
    assert texts_of(brain, "pages") == {}
    assert brain.all("SELECT state, error FROM brain.sync_run") == [
        ("failed", "the run ended before everything was published")
    ]
    monkeypatch.setattr(staging, "_chunk_rows", honest)
    assert run_sync(instance, "pages").success, "what the check refused is read again, not staged for ever"
    assert set(texts_of(brain, "pages")) == {b"harbour.md", b"lamp.py"}


def test_scanned_document_is_named_by_a_check_and_does_not_stop_the_others(
    instance: dg.DagsterInstance, brain: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.corpora import pdfs

    monkeypatch.setenv("BRAIN_VISION", "none")
    settings.cache_clear()
    (folder / "lease.pdf").write_bytes(pdfs.page_mix(["scan", "scan"]))
    add_folder(brain, "pages", folder)
    outcome = run_sync(instance, "pages")
    assert outcome.success, "a warning does not fail a run"
    (found,) = [e for e in outcome.get_asset_check_evaluations() if not e.passed]
    assert found.check_name == "scanned_documents_were_read"
    assert found.severity is dg.AssetCheckSeverity.WARN
    assert found.metadata["unread"].value[0]["path"] == "lease.pdf"
    assert "1" in found.metadata["unread"].value[0]["reason"]
    state = brain.one("SELECT state, reason_code, chunk_count FROM brain.document WHERE path = 'lease.pdf'")
    assert state == ("failed", "needs-ocr", 0)


def test_run_of_a_busy_source_fails_with_words_and_is_not_retried(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    from brain_dagster.store.claims import claim, release_all

    source = add_folder(brain, "pages", folder)
    claim(brain, source, "another run")
    try:
        outcome = run_sync(instance, "pages")
    finally:
        release_all("another run")
    failure = outcome.failure_data_for_node("diff")
    assert failure is not None and failure.user_failure_data is not None
    assert "nothing to do" in (failure.user_failure_data.description or "")
    assert brain.one("SELECT count(*) FROM brain.sync_run") == (0,)


def tick(
    sensor: dg.SensorDefinition, instance: dg.DagsterInstance
) -> dg.SensorResult | dg.RunRequest | dg.SkipReason:
    """Evaluate a sensor once, as the daemon does, and close its resources."""
    resources = {"store": StoreResource(), "sources": SourcesResource()}
    with dg.build_sensor_context(instance=instance, resources=resources, definitions=defs) as context:
        return sensor(context)


def test_sensor_registers_partitions_and_asks_for_a_run_only_where_the_ref_moved(
    instance: dg.DagsterInstance, brain: Database, tmp_path: Path
) -> None:
    from tests.corpora.repositories import Repository

    repository = Repository(tmp_path / "repository")
    repository.commit({b"a.py": b"def a():\n    return 1\n"})
    add_git(brain, "code", tmp_path / "repository")
    first = tick(triggers.git_ref_moved, instance)
    assert isinstance(first, dg.SensorResult)
    assert [request.partition_key for request in first.run_requests or ()] == ["code"]
    assert first.dynamic_partitions_requests == [triggers.SOURCES.build_add_request(["code"])]
    assert run_sync(instance, "code").success

    quiet = tick(triggers.git_ref_moved, instance)
    assert isinstance(quiet, dg.SensorResult) and not quiet.run_requests

    repository.commit({b"a.py": b"def a():\n    return 2\n"})
    moved = tick(triggers.git_ref_moved, instance)
    assert isinstance(moved, dg.SensorResult)
    (request,) = moved.run_requests or ()
    (before,) = first.run_requests or ()
    assert request.partition_key == "code"
    assert request.run_key != before.run_key, "a ref that moves again is synced again"


def test_sensor_leaves_a_run_that_failed_to_the_timer(
    instance: dg.DagsterInstance, brain: Database, tmp_path: Path
) -> None:
    """Otherwise a source with lasting trouble would be run again every few seconds."""
    from tests.corpora.repositories import Repository

    repository = Repository(tmp_path / "repository")
    repository.commit({b"a.py": b"def a():\n    return 1\n"})
    add_git(brain, "code", tmp_path / "repository")
    assert run_sync(instance, "code").success
    brain.run("UPDATE brain.source SET listing_token = NULL")  # as if its run had been partial
    quiet = tick(triggers.git_ref_moved, instance)
    assert isinstance(quiet, dg.SensorResult) and not quiet.run_requests


def test_nightly_evaluation_asks_only_for_goldsets_whose_sources_are_here(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    resources = {"store": StoreResource()}
    with dg.build_schedule_context(instance=instance, resources=resources) as context:
        assert triggers.every_night(context) == []
    add_folder(brain, "starlette", folder)
    with dg.build_schedule_context(instance=instance, resources=resources) as context:
        asked = {request.partition_key for request in triggers.every_night(context)}
    assert asked == {"examples", "python-libraries"}


def test_sensor_drops_the_partition_of_a_removed_source(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    add_folder(brain, "pages", folder)
    instance.add_dynamic_partitions("sources", ["pages", "long-gone"])
    result = tick(triggers.git_ref_moved, instance)
    assert isinstance(result, dg.SensorResult)
    assert result.dynamic_partitions_requests == [triggers.SOURCES.build_delete_request(["long-gone"])]


def test_unreachable_repository_fails_the_tick_when_it_is_the_only_one(
    instance: dg.DagsterInstance, brain: Database, tmp_path: Path
) -> None:
    from brain_dagster.errors import BrainError
    from tests.corpora.repositories import Repository

    Repository(tmp_path / "gone").commit({b"a.py": b"a = 1\n"})
    add_git(brain, "gone", tmp_path / "gone")
    assert run_sync(instance, "gone").success
    (tmp_path / "gone").rename(tmp_path / "elsewhere")
    with pytest.raises(BrainError):
        tick(triggers.git_ref_moved, instance)


def test_timer_asks_only_for_sources_that_are_not_current(
    instance: dg.DagsterInstance, brain: Database, folder: Path, tmp_path: Path
) -> None:
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    (quiet / "page.md").write_text("# Quiet\n\nNothing happens here.\n")
    old = time.time() - 3600
    os.utime(quiet / "page.md", (old, old))
    add_folder(brain, "pages", folder)
    add_folder(brain, "quiet", quiet)
    instance.add_dynamic_partitions("sources", ["pages"])
    time.sleep(2.1)
    assert run_sync(instance, "quiet").success

    def asked_for() -> list[str | None]:
        resources = {"store": StoreResource(), "sources": SourcesResource()}
        with dg.build_schedule_context(instance=instance, resources=resources) as context:
            asked = list(triggers.every_quarter_of_an_hour(context))
        return [one.partition_key for one in asked if isinstance(one, dg.RunRequest)]

    assert asked_for() == ["pages"]
    assert run_sync(instance, "pages").success
    assert asked_for() == []


def test_index_sensor_asks_until_the_index_reflects_what_was_published(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    add_folder(brain, "pages", folder)
    before = tick(triggers.index_is_behind, instance)
    assert isinstance(before, dg.SkipReason)
    run_sync(instance, "pages")
    assert isinstance(tick(triggers.index_is_behind, instance), dg.RunRequest)
    outcome = dg.materialize(
        [asset for asset in defs.assets or () if getattr(asset, "key", None) == dg.AssetKey("hnsw_index")],
        instance=instance,
        resources={"store": StoreResource()},
    )
    assert outcome.success
    assert isinstance(tick(triggers.index_is_behind, instance), dg.SkipReason)


def test_a5_dead_command_line_run_is_failed_and_frees_its_slots(
    instance: dg.DagsterInstance, brain: Database
) -> None:
    import socket

    job = defs.resolve_job_def("refresh_index")
    run = instance.create_run_for_job(
        job, tags={"brain/host": socket.gethostname(), "brain/process": "999999999@1.00"}
    )
    instance.report_engine_event("started", run)
    assert fail_dead_runs(instance) == [run.run_id]
    ended = instance.get_run_by_id(run.run_id)
    assert ended is not None and ended.status is dg.DagsterRunStatus.FAILURE
    assert fail_dead_runs(instance) == []


def test_removing_a_source_and_syncing_it_says_there_is_none(
    instance: dg.DagsterInstance, brain: Database, folder: Path
) -> None:
    add_folder(brain, "pages", folder)
    registry.remove_source(brain, key="pages", user="ann")
    outcome = run_sync(instance, "pages")
    failure = outcome.failure_data_for_node("diff")
    assert failure is not None and failure.user_failure_data is not None
    assert "brain source list" in (failure.user_failure_data.description or "")
