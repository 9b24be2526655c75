"""A small knowledge base about insects, its goldset, and an embedder that knows four words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain_dagster.evals.goldset import Case, Goldset
from brain_dagster.evals.result import Evaluation
from brain_dagster.evals.run import evaluate
from brain_dagster.model import EmbeddingSpace, Principal
from brain_dagster.store.pool import Database
from tests.support.seed import (
    Passage,
    add_collection,
    add_document,
    add_source,
    add_space,
    add_unready_document,
)

ALICE = Principal("alice")
NORTH, EAST, UP, BACK = (1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0)
DIRECTIONS = {"wasp": NORTH, "bee": EAST, "order": UP, "kernel": BACK}


@dataclass
class CompassEmbedder:
    """Points a question where its known word points, and remembers what it was asked."""

    space: EmbeddingSpace
    directions: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: DIRECTIONS)
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        sums = [self.directions[word] for word in text.split() if word in self.directions] or [NORTH]
        return np.array(sums, dtype=np.float32).sum(axis=0)


def add_insects(db: Database) -> EmbeddingSpace:
    """Two collections of insects with one path in common, and one that alice may not read."""
    space = add_space(db)
    insects = add_source(db, "insects", add_collection(db, "animals"))
    garden = add_source(db, "garden", add_collection(db, "plants"))
    secret = add_source(db, "secret", add_collection(db, "locked", readers=()))
    add_document(db, insects, "wasp.md", [Passage("the wasp builds a paper nest", NORTH)], space=space)
    add_document(db, insects, "bee.md", [Passage("the bee keeps honey in wax", EAST)], space=space)
    add_document(db, insects, "same.md", [Passage("ants carry leaves", UP)], space=space)
    add_document(db, garden, "same.md", [Passage("roses want sun", BACK)], space=space)
    add_document(db, garden, "bare.md", [Passage("tulips without a vector")], space=space)
    add_document(db, secret, "vault.md", [Passage("the wasp of the vault", NORTH)], space=space)
    add_unready_document(db, garden, "scan.pdf", "failed")
    add_unready_document(db, garden, "logo.png", "skipped")
    add_unready_document(db, garden, "soon.md", "pending")
    return space


def goldset_of(*cases: Case, name: str = "insects") -> Goldset:
    return Goldset(name, "0" * 64, cases)


WASP = Case("wasp", "where does the wasp live", "wasp.md", "insects")
BEE = Case("bee", "what does the bee keep", "bee.md", "insects")


def evaluate_cases(db: Database, space: EmbeddingSpace, *cases: Case, **more: Any) -> Evaluation:
    return evaluate(db, CompassEmbedder(space), ALICE, goldset_of(*cases), **more)
