"""Runs a goldset: asks every question in every mode, with the ranking that search itself uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brain_dagster.evals.gate import MissingHalf
from brain_dagster.evals.goldset import Case, Goldset, load_goldset
from brain_dagster.evals.ranks import FILES, rank_of
from brain_dagster.evals.record import judge_and_store
from brain_dagster.evals.result import CaseResult, Evaluation
from brain_dagster.evals.targets import Target, resolve_targets
from brain_dagster.evals.unrelated import modes_blind_to_the_question
from brain_dagster.model import EmbeddingSpace, Mode, Principal
from brain_dagster.progress import reporter
from brain_dagster.query.embedder import QueryEmbedder
from brain_dagster.query.question import read_question
from brain_dagster.query.ranking import Reranking
from brain_dagster.query.rankings import rank_files
from brain_dagster.query.scope import resolve_scope
from brain_dagster.store.evals import list_recipes
from brain_dagster.store.pool import Database
from brain_dagster.store.reading import reading
from brain_dagster.store.spaces import active_space

DEFAULT_MODES = (Mode.DENSE, Mode.LEXICAL, Mode.HYBRID)
STAGE = "evaluate"


@dataclass(frozen=True, slots=True)
class _Ground:
    """What an evaluation stands on, resolved once: the targets, and what is searched with what."""

    targets: list[Target]
    space: str
    recipe: str


def run_goldset(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    path: Path,
    modes: Sequence[Mode] | None = None,
    *,
    collections: Sequence[str] | None = None,
    reranking: Reranking | None = None,
    run_key: str = "",
) -> Evaluation:
    """Evaluate the goldset in a file, judge it against its baseline, and store all of it.

    The result has its verdict, its comparison and its id. It is stored whatever the verdict says.
    embedder  may be None if no mode needs a vector
    run_key   what started this, e.g. the id of a Dagster run
    Raises    InvalidGoldset, and what `evaluate` raises; then nothing was measured and nothing is stored.
    """
    goldset = load_goldset(path)
    evaluation = evaluate(
        db, embedder, principal, goldset, modes, collections=collections, reranking=reranking
    )
    return judge_and_store(db, evaluation, run_key=run_key)


def evaluate(
    db: Database,
    embedder: QueryEmbedder | None,
    principal: Principal,
    goldset: Goldset,
    modes: Sequence[Mode] | None = None,
    *,
    collections: Sequence[str] | None = None,
    reranking: Reranking | None = None,
) -> Evaluation:
    """Ask every question of a goldset in every mode; stores nothing.

    modes      None: dense, lexical, hybrid, and hybrid+rerank where there is a reranking
    A question is embedded once, whatever the number of modes. Progress goes to this context's reporter.
    Raises  UnknownCollection, DenseHalfMissing (a mode that needs vectors cannot have them), SearchTimedOut,
            DatabaseUnavailable.
    """
    started_at = datetime.now(UTC)
    wanted = tuple(dict.fromkeys(modes or (*DEFAULT_MODES, *([Mode.RERANKED] if reranking else []))))
    remembering = None if embedder is None else RememberingEmbedder(embedder)
    asking = _Asking(db, remembering, principal, wanted, collections=collections, reranking=reranking)
    ground = _survey(asking, goldset.cases)
    results = tuple(_each_case(asking, goldset, ground.targets))
    return Evaluation(
        goldset=goldset,
        principal=principal.user,
        collections=None if collections is None else tuple(sorted(set(collections))),
        modes=tuple(mode.value for mode in wanted),
        results=results,
        space=ground.space,
        recipe=ground.recipe,
        started_at=started_at,
        unrelated=modes_blind_to_the_question(
            db, asking.embedder, principal, wanted, collections=collections, reranking=reranking
        ),
        missing=asking.missing_halves(),
    )


class RememberingEmbedder:
    """Embeds each text once: the modes of an evaluation ask the same question."""

    def __init__(self, embedder: QueryEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the embedder it asks."""
        return self._embedder.space

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question. Shape (width,), float32."""
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text)
        return self._vectors[text]


class _Asking:
    """The arguments that every question of an evaluation shares, and which halves failed it."""

    def __init__(
        self,
        db: Database,
        embedder: RememberingEmbedder | None,
        principal: Principal,
        modes: tuple[Mode, ...],
        *,
        collections: Sequence[str] | None,
        reranking: Reranking | None,
    ) -> None:
        self.db, self.embedder, self.principal = db, embedder, principal
        self.modes, self.collections, self.reranking = modes, collections, reranking
        self._missing: Counter[tuple[str, str]] = Counter()

    def ask(self, case: Case, target: Target) -> CaseResult:
        ranks, first = {}, {}
        has_words = bool(read_question(case.query).terms)
        for mode in self.modes:
            found = rank_files(
                self.db,
                self.embedder,
                self.principal,
                case.query,
                collections=self.collections,
                mode=mode,
                files=FILES,
                reranking=self.reranking,
            )
            ranks[mode.value] = rank_of(found.files, target.files)
            first[mode.value] = ":".join(found.files[0]) if found.files else None
            self._missing.update((mode.value, why) for why in found.missing if has_words or _is_dense(why))
        return CaseResult(case, target.why_not, ranks, first)

    def missing_halves(self) -> tuple[MissingHalf, ...]:
        return tuple(MissingHalf(mode, why, count) for (mode, why), count in self._missing.items())


def _is_dense(why: str) -> bool:
    """Whether it is the dense half that is missing: a question of punctuation alone has no other."""
    return why.startswith(f"{Mode.DENSE}:")


def _each_case(asking: _Asking, goldset: Goldset, targets: Sequence[Target]) -> Iterator[CaseResult]:
    """Yield the results in the order of the goldset, and tell the reporter."""
    progress = reporter()
    progress.begin(goldset.name, STAGE, len(goldset.cases))
    for case, target in zip(goldset.cases, targets, strict=True):
        yield asking.ask(case, target)
        progress.advance(goldset.name, STAGE, 1)
    progress.end(goldset.name, STAGE, f"{len(goldset.cases)} questions in {', '.join(asking.modes)}")


def _survey(asking: _Asking, cases: Sequence[Case]) -> _Ground:
    with reading(asking.db) as connection:
        scope = resolve_scope(connection, asking.principal, None, asking.collections)
    space = active_space(asking.db)
    targets = resolve_targets(
        asking.db, cases, collection_ids=scope.ids, space_id=None if space is None else space.id
    )
    name = "" if space is None else f"{space.identity.model}@{space.identity.revision}"
    return _Ground(targets, name, "; ".join(list_recipes(asking.db, scope.ids)))
