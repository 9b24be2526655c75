"""Models that lie: too few vectors, shuffled widths, NaN, zero (B2, B3, B4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from brain_dagster.embed import bind_embedder
from brain_dagster.embed.base import Vectors
from brain_dagster.embed.bound import OtherSpaceIsActive
from brain_dagster.errors import InvalidEmbedding
from brain_dagster.model import Mode, Principal, SpaceIdentity
from brain_dagster.query.search import search
from brain_dagster.settings import Settings
from brain_dagster.store.doctor import check_invariants
from brain_dagster.store.pool import Database
from tests.support.pipeline import WIDTH, WordHashEmbedder, add_folder, sync

PAGES = {
    "good.md": "# Harbour\n\nShips are moored at the northern quay.\n",
    "bad.md": "# Lighthouse\n\nThe poisoned paragraph about the lamp room.\n",
}


class Liar(WordHashEmbedder):
    """Answers as told for every text that contains `poisoned`."""

    def __init__(self, lie: float | None) -> None:
        super().__init__()
        self.lie = lie

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed_passages(texts)
        for row, text in enumerate(texts):
            if "poisoned" in text and self.lie is not None:
                vectors[row] = self.lie
        return vectors


@pytest.fixture
def source(db: Database, tmp_path: Path) -> Settings:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    add_folder(db, "s", folder)
    return Settings(home=tmp_path / "home")


@pytest.mark.parametrize("lie", [float("nan"), float("inf"), 0.0])
def test_b3_chunk_with_a_bad_vector_is_found_by_its_words_and_counted(
    db: Database, source: Settings, lie: float
) -> None:
    liar = Liar(lie)
    report = sync(db, "s", source, liar)
    assert report.counts.indexed == 2
    assert report.vectors == report.chunks - 1
    asked = [text for text in liar.texts if "poisoned" in text]
    assert len(asked) == 2, "it is tried once more, alone, and not a third time"
    by_words = search(db, None, Principal("ann"), "poisoned lamp room", mode=Mode.LEXICAL)
    assert by_words.excerpts[0].path == "bad.md"
    by_vector = search(db, bind_embedder(liar, db), Principal("ann"), "northern quay ships", mode=Mode.DENSE)
    assert [excerpt.path for excerpt in by_vector.excerpts] == ["good.md"]
    assert db.one("SELECT count(*) FROM brain.embedding_failure") == (1,)
    assert check_invariants(db) == ()


def test_b3_failed_text_is_tried_again_by_the_next_run_that_stages_it(
    db: Database, source: Settings, tmp_path: Path
) -> None:
    sync(db, "s", source, Liar(float("nan")))
    (tmp_path / "pages" / "bad.md").rename(tmp_path / "pages" / "mended.md")
    report = sync(db, "s", source, Liar(None))
    assert report.vectors == report.chunks == 1
    assert db.one("SELECT count(*) FROM brain.embedding_failure") == (0,)


class Miscounting(WordHashEmbedder):
    """Drops the last vector of a batch, or adds one."""

    def __init__(self, change: int) -> None:
        super().__init__()
        self.change = change

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed_passages(texts)
        return vectors[:-1] if self.change < 0 else np.concatenate([vectors, vectors[:1]])


@pytest.mark.parametrize("change", [-1, 1])
def test_b2_batch_with_another_number_of_vectors_is_not_stored(
    db: Database, source: Settings, change: int
) -> None:
    with pytest.raises(InvalidEmbedding, match=f"returned {2 + change} vectors for 2 texts"):
        sync(db, "s", source, Miscounting(change))
    assert db.one("SELECT count(*) FROM brain.embedding_cache") == (0,)
    assert db.one("SELECT count(*) FROM brain.chunk") == (0,)


def test_b2_each_chunk_gets_the_vector_of_its_own_text(db: Database, source: Settings) -> None:
    model = WordHashEmbedder()
    sync(db, "s", source, model)
    for text in list(model.texts):
        nearest = db.one(
            "SELECT c.text FROM brain.chunk_embedding e JOIN brain.chunk c ON c.id = e.chunk_id"
            " ORDER BY e.embedding <=> %s LIMIT 1",
            (model.embed_query(text),),
        )
        assert nearest is not None and text.endswith(nearest[0])


class OtherWidth(WordHashEmbedder):
    """Promises one width and returns another."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return super().embed_passages(texts)[:, : WIDTH - 1]


def test_b4_vectors_of_another_width_are_not_stored(db: Database, source: Settings) -> None:
    with pytest.raises(InvalidEmbedding, match="width 15, not 16"):
        sync(db, "s", source, OtherWidth())
    assert db.one("SELECT count(*) FROM brain.embedding_cache") == (0,)


class OtherModel(WordHashEmbedder):
    """Another model of the same width: the case in which mixing would go unnoticed (B5)."""

    @property
    def identity(self) -> SpaceIdentity:
        return SpaceIdentity("other-model", "1", WIDTH, "", "", is_normalised=True, max_tokens=256)


def test_b5_model_of_another_space_is_refused_before_anything_is_mixed(
    db: Database, source: Settings
) -> None:
    sync(db, "s", source)
    with pytest.raises(OtherSpaceIsActive, match=r"word-hash.*other-model.*BRAIN_EMBED_MODEL"):
        bind_embedder(OtherModel(), db)
